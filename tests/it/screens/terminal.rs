//! The program on a real terminal, made by `script` of util-linux: the terminal is restored, however the program ends.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests wait for a program that goes by the clock"
)]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::watching::server::Server;
use crate::watching::server_of;

const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";
const LONG: Duration = Duration::from_secs(20);

/// The program on its own terminal.
pub struct OnTerminal {
    child: std::process::Child,
    pieces: Receiver<String>,
    seen: String,
}

impl OnTerminal {
    /// Starts the program; `None` without `script`.
    pub fn new(args: &str) -> Option<Self> {
        let mut terminal = Self::unread(args, "")?;
        terminal.read();
        Some(terminal)
    }

    /// Starts the program without reading its output. `before` is a shell command to run first.
    fn unread(args: &str, before: &str) -> Option<Self> {
        let is_there = Path::new("/usr/bin/script").exists() && cfg!(target_os = "linux");
        if !is_there {
            println!("not tried: there is no script of util-linux");
            return None;
        }
        let program = env!("CARGO_BIN_EXE_kubectl-sts_plan");
        let line = format!("stty rows 30 cols 100; {before} exec {program} {args}");
        let child = Command::new("/usr/bin/script")
            .args(["-qefc", &line, "/dev/null"])
            .env_clear()
            .env("HOME", nonexistent!())
            .env("PATH", "/usr/bin:/bin")
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (_, pieces) = channel();
        Some(OnTerminal {
            child,
            pieces,
            seen: String::new(),
        })
    }

    /// Starts to read the output.
    fn read(&mut self) {
        let mut out = self.child.stdout.take().unwrap();
        let (sender, pieces) = channel();
        self.pieces = pieces;
        thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut piece) {
                let text = String::from_utf8_lossy(&piece[..count]).into_owned();
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
    }

    /// Waits until the output contains a text.
    #[track_caller]
    fn until(&mut self, text: &str) {
        while !self.seen.contains(text) {
            match self.pieces.recv_timeout(LONG) {
                Ok(piece) => self.seen += &piece,
                Err(_) => panic!("{text:?} does not come: {:?}", self.seen),
            }
        }
    }

    /// Discards the output so far.
    fn forget(&mut self) {
        while self.pieces.try_recv().is_ok() {}
        self.seen.clear();
    }

    fn press(&mut self, keys: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Sends a signal to the program, the only child of `script`. Returns false without `pkill`.
    fn signal(&self, name: &str) -> bool {
        let parent = self.child.id().to_string();
        let mut pkill = Command::new("pkill");
        let killed = pkill.args([&format!("-{name}"), "-P", &parent]).status();
        killed.is_ok_and(|status| status.success())
    }

    /// Returns a column of `ps` about the program; `None` without `ps`.
    fn listed(&self, column: &str) -> Option<String> {
        let parent = self.child.id().to_string();
        let mut ps = Command::new("ps");
        let listed = ps.args(["-o", column, "--ppid", &parent]).output().ok()?;
        Some(String::from_utf8_lossy(&listed.stdout).trim().to_owned())
    }

    /// Reports whether the terminal is in raw mode; `None` if unknown.
    fn is_raw(&self) -> Option<bool> {
        let path = format!("/dev/{}", self.listed("tty=")?);
        let mut stty = Command::new("stty");
        let modes = stty.args(["-F", &path, "-a"]).output().ok()?;
        Some(String::from_utf8_lossy(&modes.stdout).contains("-icanon"))
    }

    /// Resizes the terminal. Returns false if that is not possible.
    fn resize(&self, rows: u16, columns: u16) -> bool {
        let Some(tty) = self.listed("tty=") else {
            return false;
        };
        let path = format!("/dev/{tty}");
        let mut stty = Command::new("stty");
        let (rows, columns) = (rows.to_string(), columns.to_string());
        stty.args(["-F", &path, "rows", &rows, "cols", &columns])
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Returns all output and the exit code.
    #[track_caller]
    pub fn end(mut self) -> (String, i32) {
        let started = Instant::now();
        // A screen that is redrawn every second never stops sending.
        while let Ok(piece) = self.pieces.recv_timeout(LONG) {
            self.seen += &piece;
            assert!(started.elapsed() < LONG, "it goes on: {:?}", self.seen);
        }
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (std::mem::take(&mut self.seen), status.code().unwrap_or(-1));
            }
            assert!(started.elapsed() < LONG, "it does not end: {:?}", self.seen);
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn assert_given_back(seen: &str) {
    let (entered, left) = (seen.find(ENTER), seen.rfind(LEAVE));
    assert!(entered.is_some() && entered < left, "{seen:?}");
    assert_eq!(seen.matches(ENTER).count(), seen.matches(LEAVE).count());
    assert!(
        seen.rfind("\u{1b}[?25h") > seen.rfind("\u{1b}[?25l"),
        "no cursor: {seen:?}"
    );
}

#[test]
fn a_watch_leaves_the_terminal_as_it_was_and_the_plan_on_it() {
    let server = server_of("rollout.yaml");
    for ends_it in ["q", "\u{3}", "TERM", "HUP"] {
        let args = format!("web -n prod -w --server {}", server.url);
        let Some(mut terminal) = OnTerminal::new(&args) else {
            return;
        };
        terminal.until("web-2");
        match ends_it {
            signal @ ("TERM" | "HUP") => {
                if !terminal.signal(signal) {
                    println!("not tried: there is no pkill");
                    terminal.press("q");
                }
            }
            key => {
                terminal.press("s");
                terminal.until("OPERATION");
                terminal.press(key);
            }
        }
        let (seen, code) = terminal.end();
        assert_eq!(code, 130, "{ends_it:?}: {seen:?}");
        assert_given_back(&seen);
        let after = &seen[seen.rfind(LEAVE).unwrap()..];
        assert!(after.contains("Plan: 3 to replace"), "{after:?}");
    }
}

/// A server with a second set, which has no pods yet.
fn two_sets() -> Server {
    let server = server_of("rollout.yaml");
    let web = server.get("statefulsets", "web").unwrap().to_string();
    let db = web.replace("web", "db").replace("6f1d3c52", "7f1d3c52");
    server.put(db.parse::<Value>().unwrap());
    server
}

#[test]
fn several_sets_are_one_screen_and_their_table_stays() {
    for place in ["-n prod", "-A"] {
        let server = two_sets();
        let args = format!("-w {place} --server {}", server.url);
        let Some(mut terminal) = OnTerminal::new(&args) else {
            return;
        };
        terminal.until("2 sets:");
        terminal.until("prod/web");
        // Only changed cells are written.
        terminal.press("\r");
        terminal.until("(update)");
        terminal.press("\u{1b}");
        terminal.until("2 sets: 2 progressing");
        // A set that is deleted leaves the screen.
        server.remove("statefulsets", "db");
        // The second "s" of the word does not move, and is not written.
        terminal.until(": 1 progres");
        terminal.press("q");
        let (seen, code) = terminal.end();
        assert_eq!(code, 0, "{seen:?}");
        assert_given_back(&seen);
        let after = &seen[seen.rfind(LEAVE).unwrap()..];
        assert!(after.contains("web"), "{after:?}");
    }
}

/// A terminal that reads nothing blocks the program at its first drawing.
#[test]
fn signals_are_caught_before_a_terminal_is_taken_over() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
    let args = format!("-f {fixture} --interactive");
    for signal in ["TERM", "HUP"] {
        let full = "head -c 1000000 /dev/zero &";
        let Some(mut terminal) = OnTerminal::unread(&args, full) else {
            return;
        };
        let started = Instant::now();
        loop {
            match terminal.is_raw() {
                Some(true) => break,
                Some(false) => assert!(started.elapsed() < LONG, "keys are never taken"),
                None => {
                    println!("not tried: there is no ps or no stty");
                    return;
                }
            }
            thread::sleep(Duration::from_millis(20));
        }
        if !terminal.signal(signal) {
            println!("not tried: there is no pkill");
            return;
        }
        terminal.read();
        let (seen, code) = terminal.end();
        let seen = seen.replace('\0', "");
        assert_eq!(code, 130, "{signal}: {seen:?}");
        assert_given_back(&seen);
    }
}

#[test]
fn interactive_plans_print_their_command_line() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
    for input in [format!("-f {fixture}"), "demo healthy".to_owned()] {
        let Some(mut terminal) = OnTerminal::new(&format!("{input} --interactive")) else {
            return;
        };
        terminal.until("Event 0 of ");
        terminal.press("++");
        terminal.until("--partition 2");
        // crossterm delays a key that arrives while it reads others until the next key.
        thread::sleep(Duration::from_millis(300));
        terminal.press("q");
        let (seen, code) = terminal.end();
        assert_eq!(code, 0, "{seen:?}");
        assert_given_back(&seen);
        let after = &seen[seen.rfind(LEAVE).unwrap() + LEAVE.len()..];
        let line = format!("kubectl sts-plan {input} --partition 2");
        assert!(after.trim().ends_with(&line), "{after:?}");
    }
}

#[test]
fn a_terminal_may_become_as_small_as_it_likes() {
    let server = server_of("rollout.yaml");
    let watch = format!("web -n prod -w --server {}", server.url);
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
    let interactive = format!("-f {fixture} --interactive");
    for (args, code) in [(watch, 130), (interactive, 0)] {
        let Some(mut terminal) = OnTerminal::new(&args) else {
            return;
        };
        terminal.until("web-2");
        for (rows, columns) in [(1, 1), (2, 3), (5, 20), (1, 200), (60, 1), (3, 80)] {
            if !terminal.resize(rows, columns) {
                println!("not tried: there is no ps or no stty");
                return;
            }
            terminal.press("\u{1b}[B");
            thread::sleep(Duration::from_millis(100));
        }
        // It is still running, and draws.
        terminal.forget();
        assert!(terminal.resize(30, 100));
        terminal.until("quit");
        // crossterm delays a key that arrives together with a resize until the next key.
        thread::sleep(Duration::from_millis(300));
        terminal.press("q");
        let (seen, ended) = terminal.end();
        assert_eq!(ended, code, "{seen:?}");
        assert!(seen.contains(LEAVE), "{seen:?}");
    }
}
