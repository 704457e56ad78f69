//! `--on-change`: a command that gets each changed plan. Runs do not overlap: what changes during one is told by the next,
//! which gets the newest plan. A run that takes too long is ended, with everything that it has started.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Event;
use crate::request::ChangeCommand;
use sts_plan::duration::spell;

/// The variable with the change in one line.
const MESSAGE: &str = "STS_PLAN_MESSAGE";
/// Maximum number of bytes that are read of a command's standard error.
const SAID: u64 = 64 * 1024;
/// The time for which standard error is read after the command has ended: a process that it left behind may hold it
/// open.
const LATER: Duration = Duration::from_millis(200);

/// A changed plan as the command gets it.
#[derive(Debug, Clone, Default)]
struct Change {
    json: Vec<u8>,
    message: String,
}

/// The command, and the changes that it is to be told.
pub struct OnChange {
    latest: Sender<Change>,
    worker: JoinHandle<()>,
}

impl OnChange {
    /// A command that is told nothing yet; what goes wrong is told by an event. To be made within the runtime.
    #[must_use]
    pub fn new(command: &ChangeCommand, events: UnboundedSender<Event>) -> Self {
        let (latest, changes) = channel(Change::default());
        OnChange {
            latest,
            worker: tokio::spawn(work(command.clone(), changes, events)),
        }
    }

    /// Runs the command with a plan, after the run that is in progress.
    pub fn tell(&self, json: Vec<u8>, message: String) {
        self.latest.send_replace(Change { json, message });
    }

    /// Waits until the command has been told of everything.
    pub async fn finish(self) {
        drop(self.latest);
        // It ends by itself, and what went wrong in it has been told.
        let _ = self.worker.await;
    }

    /// Ends a run that is in progress.
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
    // A change that has not been reported is reported even when there will be no other.
    while changes.changed().await.is_ok() {
        let change = changes.borrow_and_update().clone();
        if let Err(why) = run(&command, change).await {
            let _ = events.send(Event::Told(format!("--on-change: {why}")));
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
            "the command took longer than {limit}, and was ended"
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
            // A command that does not read has nothing to read.
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

/// A command line as the system's shell takes it.
fn shell(line: &str) -> Command {
    #[cfg(unix)]
    {
        let mut command = Command::new("sh");
        // A group of its own: Ctrl-C is for the watch, and what hangs can be ended whole.
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

/// The processes that a run has started, which end with it unless they are kept.
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
