//! Serves a fleet that does not exist, to measure what reading and planning a large cluster takes:
//!
//! ```text
//! cargo run --release --example fleet -- 50 100 10        # namespaces, sets of each, pods of each set
//! /usr/bin/time -v kubectl-sts_plan -A --server http://127.0.0.1:PORT
//! ```
//!
//! `fleet dump json 50 100 10` and `fleet dump yaml 50 100 10` print the same objects as `kubectl get` would. With
//! `at-rest` at the end, no set is in a rollout.
//!
//! A fourth argument is the milliseconds that each answer takes. Pods are as a cluster has them: some 5 KB of JSON, and
//! as much again of `managedFields`. Every third set is in the middle of a rollout, and every thirtieth is stuck in it.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _, stdout};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::json;
use test_kit::fleet::{Fleet, Syntax};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (syntax, args) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["dump", "json", ..] => (Some(Syntax::Json), &args[2..]),
        ["dump", "yaml", ..] => (Some(Syntax::Yaml), &args[2..]),
        _ => (None, &args[..]),
    };
    let (rolls, args) = match args {
        [args @ .., last] if last == "at-rest" => (false, args),
        _ => (true, args),
    };
    let numbers: Result<Vec<usize>, _> = args.iter().map(|arg| arg.parse()).collect();
    let (namespaces, sets, pods, delay) = match numbers.as_deref() {
        Ok([namespaces, sets, pods]) => (*namespaces, *sets, *pods, 0),
        Ok([namespaces, sets, pods, delay]) => (*namespaces, *sets, *pods, *delay),
        _ => {
            eprintln!(
                "usage: fleet [dump json|yaml] NAMESPACES SETS-OF-EACH PODS-OF-EACH-SET [MILLISECONDS] [at-rest]"
            );
            return ExitCode::from(2);
        }
    };
    let mut fleet = Fleet::new(namespaces, sets, pods, Duration::from_millis(delay as u64));
    fleet.rolls = rolls;
    if let Some(syntax) = syntax {
        let mut out = BufWriter::new(stdout().lock());
        fleet.dump(syntax, &mut out).unwrap();
        out.flush().unwrap();
        return ExitCode::SUCCESS;
    }
    let fleet = Arc::new(fleet);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("http://{}", listener.local_addr().unwrap());
    for stream in listener.incoming().flatten() {
        let fleet = Arc::clone(&fleet);
        thread::spawn(move || serve(stream, &fleet));
    }
    ExitCode::SUCCESS
}

fn serve(mut stream: TcpStream, fleet: &Fleet) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap_or(0) > 2 {
            line.clear();
        }
        let target = first.split_whitespace().nth(1).unwrap_or("/");
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        thread::sleep(fleet.delay);
        let (status, body) = match answer(fleet, path, query) {
            Some(body) => (200, body),
            None => (
                404,
                json!({"kind": "Status", "code": 404, "message": "not found"}).to_string(),
            ),
        };
        let head = format!(
            "HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let sent = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body.as_bytes()));
        if sent.is_err() {
            return;
        }
    }
}

fn answer(fleet: &Fleet, path: &str, query: &str) -> Option<String> {
    if path == "/version" {
        return Some(json!({"major": "1", "minor": "35", "gitVersion": "v1.35.2"}).to_string());
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let rest = match parts.as_slice() {
        ["api", _, rest @ ..] | ["apis", _, _, rest @ ..] => rest,
        _ => return None,
    };
    match rest {
        ["namespaces", namespace, kind] => {
            let namespace: usize = namespace.strip_prefix("team-")?.parse().ok()?;
            let per_set = fleet.per_set(kind);
            Some(page(query, fleet.sets * per_set, |index| {
                fleet.object(kind, namespace, index / per_set, index % per_set)
            }))
        }
        ["namespaces", namespace, "statefulsets", name] => {
            let namespace: usize = namespace.strip_prefix("team-")?.parse().ok()?;
            let set: usize = name.strip_prefix("web-")?.parse().ok()?;
            (set < fleet.sets).then(|| fleet.object("statefulsets", namespace, set, 0))
        }
        [kind] => {
            let per_set = fleet.per_set(kind);
            let per_namespace = fleet.sets * per_set;
            Some(page(query, fleet.namespaces * per_namespace, |index| {
                let (namespace, index) = (index / per_namespace, index % per_namespace);
                fleet.object(kind, namespace, index / per_set, index % per_set)
            }))
        }
        _ => None,
    }
}
/// A page of a list, as its query wants it.
fn page(query: &str, all: usize, object: impl Fn(usize) -> String) -> String {
    let number = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let found = pairs.find(|(given, _)| *given == name);
        found.and_then(|(_, value)| value.parse::<usize>().ok())
    };
    let from = number("continue").unwrap_or(0);
    let end = from
        .saturating_add(number("limit").unwrap_or(usize::MAX))
        .min(all);
    let next = if end < all {
        end.to_string()
    } else {
        String::new()
    };
    let left = all.saturating_sub(end);
    let mut out = format!(
        "{{\"metadata\":{{\"resourceVersion\":\"4711\",\"continue\":\"{next}\",\"remainingItemCount\":{left}}},\"items\":["
    );
    for index in from..end {
        let comma = if index == from { "" } else { "," };
        write!(out, "{comma}{}", object(index)).unwrap();
    }
    out.push_str("]}");
    out
}
