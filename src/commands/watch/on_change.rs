//! `--on-change`: a command that gets each changed plan. Runs do not overlap: the run after several changes gets the
//! latest plan. A run that times out is killed with all its processes.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Event;
use crate::request::{ChangeCommand, ChangeState};
use sts_plan::duration::spell;
use sts_plan::report::{Report, SetState};

/// Environment variable with the change in one sentence.
const MESSAGE: &str = "STS_PLAN_MESSAGE";
/// Maximum number of bytes that are read from the standard error of a command.
const SAID: u64 = 64 * 1024;
/// Time to read standard error after the command has ended: a background process may hold it open.
const LATER: Duration = Duration::from_millis(200);

/// A changed plan for the command.
#[derive(Debug, Clone, Default)]
struct Change {
    json: Vec<u8>,
    message: String,
}

/// The command, and pending changes.
pub struct OnChange {
    latest: Sender<Change>,
    on: Vec<ChangeState>,
    /// The state of the last plan.
    last: Option<ChangeState>,
    worker: JoinHandle<()>,
}

impl OnChange {
    /// Creates a runner for the command; problems are sent as events. Must be called within the runtime.
    pub fn new(command: &ChangeCommand, events: UnboundedSender<Event>) -> Self {
        let (latest, changes) = channel(Change::default());
        OnChange {
            latest,
            on: command.on.clone(),
            last: None,
            worker: tokio::spawn(work(command.clone(), changes, events)),
        }
    }

    /// Takes the state of a plan. Reports whether the command runs for it.
    pub fn enters(&mut self, plan: &Report) -> bool {
        let state = match plan.state {
            SetState::Stuck | SetState::Livelock => Some(ChangeState::Blocked),
            SetState::UpToDate => Some(ChangeState::Done),
            _ => None,
        };
        let before = std::mem::replace(&mut self.last, state);
        self.on.is_empty() || before != state && state.is_some_and(|it| self.on.contains(&it))
    }

    /// Runs the command with a plan, after the current run.
    pub fn send(&self, json: Vec<u8>, message: String) {
        self.latest.send_replace(Change { json, message });
    }

    /// Waits until the command has run for all changes.
    pub async fn finish(self) {
        drop(self.latest);
        // The worker ends on its own, and has reported its errors.
        let _ = self.worker.await;
    }

    /// Kills the current run.
    pub async fn stop(self) {
        self.worker.abort();
        let _ = self.worker.await;
    }
}

async fn work(
    command: ChangeCommand,
    mut changes: Receiver<Change>,
    events: UnboundedSender<Event>,
) {
    // A pending change is still reported after the last one.
    while changes.changed().await.is_ok() {
        let change = changes.borrow_and_update().clone();
        if let Err(why) = run(&command, change).await {
            let _ = events.send(Event::Message(format!("--on-change: {why}")));
        }
    }
}

/// Runs the command once.
async fn run(command: &ChangeCommand, change: Change) -> Result<(), String> {
    let spawned = shell(&command.line)
        .env(MESSAGE, &change.message)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut child = spawned.map_err(|error| format!("cannot run the command: {error}"))?;
    let group = Group::of(&child);
    let ended = timeout(command.timeout, ended(&mut child, &change.json)).await;
    let Ok(ended) = ended else {
        let limit = spell(
            command
                .timeout
                .try_into()
                .unwrap_or(jiff::SignedDuration::MAX),
        );
        return Err(format!(
            "the command timed out after {limit} and was killed"
        ));
    };
    group.keep();
    let (status, said) = ended.map_err(|error| format!("cannot run the command: {error}"))?;
    if status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    Err(match last {
        Some(last) => format!("the command failed ({status}): {}", last.trim()),
        None => format!("the command failed ({status})"),
    })
}

/// Returns the exit status of a command and its standard error.
async fn ended(child: &mut Child, json: &[u8]) -> std::io::Result<(ExitStatus, Vec<u8>)> {
    let (input, errors) = (child.stdin.take(), child.stderr.take());
    let write = async {
        if let Some(mut input) = input {
            // The command may not read its input.
            let _ = input.write_all(json).await;
        }
    };
    let mut said = Vec::new();
    let mut errors = errors.map(|errors| errors.take(SAID));
    let read = async {
        if let Some(errors) = &mut errors {
            let _ = errors.read_to_end(&mut said).await;
        }
    };
    let wait = async {
        let (_, status) = tokio::join!(write, child.wait());
        status
    };
    tokio::pin!(read, wait);
    let status = tokio::select! {
        status = &mut wait => {
            let _ = timeout(LATER, &mut read).await;
            status
        }
        () = &mut read => wait.await,
    };
    Ok((status?, said))
}

/// Returns the command that runs a line in the system's shell.
fn shell(line: &str) -> Command {
    #[cfg(unix)]
    {
        let mut command = Command::new("sh");
        // A separate process group: Ctrl-C is for the watch, and a hanging run can be killed whole.
        command.arg("-c").arg(line).process_group(0);
        command
    }
    #[cfg(not(unix))]
    {
        let mut command = Command::new("cmd");
        command.arg("/C").arg(line);
        command
    }
}

/// The processes of a run, which are killed on drop unless kept.
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Group {
            leader: id.and_then(rustix::process::Pid::from_raw),
        }
    }

    fn keep(mut self) {
        self.leader = None;
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.leader {
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(not(unix))]
impl Group {
    fn of(_: &Child) -> Self {
        Group {}
    }

    fn keep(self) {}
}
