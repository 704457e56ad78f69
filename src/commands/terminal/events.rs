//! Events while a command waits: keys, ticks and signals, as one stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ratatui_crossterm::crossterm::event::{
    Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::output::screens::Key;

/// Interval of checks whether keys are still needed.
const PATIENCE: Duration = Duration::from_millis(250);
/// Number of intervals per second.
const WAITS: u32 = 4;

/// An event that a waiting command receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Key(Key),
    /// Redraw the screen: a second has passed, or the terminal was resized.
    Draw,
    /// A message for the user.
    Message(String),
    /// A signal to end the program.
    Interrupted,
}

/// Stream of events.
pub struct Events {
    incoming: UnboundedReceiver<Event>,
    outgoing: UnboundedSender<Event>,
    is_wanted: Arc<AtomicBool>,
}

/// Signals that end the program, caught from the creation of this value: before the terminal is taken over, since a
/// kill would leave it in raw mode.
pub struct Signals {
    #[cfg(unix)]
    caught: Vec<tokio::signal::unix::Signal>,
    #[cfg(windows)]
    caught: Option<tokio::signal::windows::CtrlC>,
}

impl Signals {
    /// Must be called within the runtime. A signal that cannot be caught ends the program.
    pub fn catch() -> Self {
        #[cfg(unix)]
        let caught = {
            use tokio::signal::unix::{SignalKind, signal};
            let kinds = [
                SignalKind::interrupt(),
                SignalKind::terminate(),
                SignalKind::hangup(),
            ];
            let caught = kinds.into_iter().map(signal);
            caught.filter_map(Result::ok).collect()
        };
        #[cfg(windows)]
        let caught = tokio::signal::windows::ctrl_c().ok();
        Signals { caught }
    }

    /// Waits for the first signal.
    async fn first(mut self) {
        std::future::poll_fn(|context| {
            let mut caught = self.caught.iter_mut();
            match caught.any(|signal| signal.poll_recv(context).is_ready()) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        })
        .await;
    }
}

impl Events {
    /// Creates a stream of signals and, if `has_keys`, of keys. Must be called within the runtime.
    pub fn new(signals: Signals, has_keys: bool) -> Self {
        let (outgoing, incoming) = unbounded_channel();
        let is_wanted = Arc::new(AtomicBool::new(true));
        tokio::spawn(report_signal(signals, outgoing.clone()));
        if has_keys {
            let (outgoing, is_wanted) = (outgoing.clone(), Arc::clone(&is_wanted));
            // Reading the terminal blocks, so it needs a thread.
            thread::spawn(move || keys(&outgoing, &is_wanted));
        }
        Events {
            incoming,
            outgoing,
            is_wanted,
        }
    }

    /// Returns a sender that adds events.
    pub fn sender(&self) -> UnboundedSender<Event> {
        self.outgoing.clone()
    }

    /// Returns the next event.
    pub async fn next(&mut self) -> Event {
        match self.incoming.recv().await {
            Some(event) => event,
            // Unreachable: the stream holds a sender.
            None => std::future::pending().await,
        }
    }

    /// Returns a pending event.
    pub fn waiting(&mut self) -> Option<Event> {
        self.incoming.try_recv().ok()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.is_wanted.store(false, Ordering::Relaxed);
    }
}

/// Reports the first signal.
async fn report_signal(signals: Signals, outgoing: UnboundedSender<Event>) {
    signals.first().await;
    let _ = outgoing.send(Event::Interrupted);
}

/// Reads keys while they are needed. A closed terminal ends the program, like a hangup.
fn keys(outgoing: &UnboundedSender<Event>, is_wanted: &AtomicBool) {
    let mut waits = 0;
    while is_wanted.load(Ordering::Relaxed) {
        let event = match poll(PATIENCE) {
            Ok(true) => match read() {
                Ok(Input::Key(pressed)) => key(pressed).map(Event::Key),
                Ok(Input::Resize(..)) => Some(Event::Draw),
                Ok(_) => None,
                Err(_) => Some(Event::Interrupted),
            },
            Ok(false) => {
                waits += 1;
                (waits % WAITS == 0).then_some(Event::Draw)
            }
            Err(_) => Some(Event::Interrupted),
        };
        let is_last = event == Some(Event::Interrupted);
        if event.is_some_and(|event| outgoing.send(event).is_err()) || is_last {
            return;
        }
    }
}

/// Converts a key for the screens.
fn key(pressed: KeyEvent) -> Option<Key> {
    // Windows also reports key releases.
    if pressed.kind == KeyEventKind::Release {
        return None;
    }
    Some(match pressed.code {
        KeyCode::Char('c') if pressed.modifiers.contains(KeyModifiers::CONTROL) => Key::Interrupt,
        KeyCode::Char(_) if pressed.modifiers.contains(KeyModifiers::CONTROL) => return None,
        KeyCode::Char(character) => Key::Char(character),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Tab => Key::Tab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    })
}
