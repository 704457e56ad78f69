//! Terminates the processes that an interactive plugin started.
//!
//! Such a plugin stays in the process group of the terminal, which cannot be killed because this program is part of
//! it. Its descendants are found by their parents instead. Orphaned processes are not found.

use std::collections::BTreeSet;

use rustix::process::{Pid, Signal, kill_process};

/// Maximum number of process listings: stopped processes start no others, so the list soon stays the same.
const MOST_LISTS: usize = 10;

/// Terminates all descendants of a process.
pub(super) fn end_descendants(of: u32) {
    let mut found = BTreeSet::new();
    stop(of);
    for _ in 0..MOST_LISTS {
        let new: Vec<u32> = descendants(of, &processes())
            .into_iter()
            .filter(|process| !found.contains(process))
            .collect();
        if new.is_empty() {
            break;
        }
        for process in new {
            stop(process);
            found.insert(process);
        }
    }
    for process in found {
        send(process, Signal::KILL);
    }
}

fn stop(process: u32) {
    send(process, Signal::STOP);
}

fn send(process: u32, signal: Signal) {
    if let Some(process) = Pid::from_raw(process.cast_signed()) {
        // It may have ended already.
        let _ = kill_process(process, signal);
    }
}

/// Returns all descendants of a process.
fn descendants(of: u32, processes: &[(u32, u32)]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut parents = vec![of];
    while let Some(parent) = parents.pop() {
        let children = processes.iter().filter(|(_, its)| *its == parent);
        parents.extend(children.filter_map(|(child, _)| found.insert(*child).then_some(*child)));
    }
    found
}

/// Returns the visible processes, each with its parent.
#[cfg(target_os = "linux")]
fn processes() -> Vec<(u32, u32)> {
    let Ok(folder) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let processes = folder.flatten().filter_map(|entry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The command in parentheses may contain parentheses; state and parent follow.
        let (_, rest) = stat.rsplit_once(')')?;
        let parent = rest.split_whitespace().nth(1)?.parse().ok()?;
        Some((process, parent))
    });
    processes.collect()
}

/// Returns the visible processes, each with its parent.
#[cfg(not(target_os = "linux"))]
fn processes() -> Vec<(u32, u32)> {
    let mut ps = std::process::Command::new("/bin/ps");
    let listed = ps.args(["-A", "-o", "pid=", "-o", "ppid="]).output();
    let listed = listed.map(|output| output.stdout).unwrap_or_default();
    let lines = String::from_utf8_lossy(&listed);
    let processes = lines.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace();
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    });
    processes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_by_their_parents() {
        let processes = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 5), (7, 2)];
        assert_eq!(descendants(2, &processes), BTreeSet::from([3, 4, 7]));
        assert_eq!(descendants(4, &processes), BTreeSet::new());
    }

    #[test]
    fn this_process_is_among_those_that_can_be_seen() {
        let own = std::process::id();
        assert!(processes().iter().any(|(process, _)| *process == own));
    }
}
