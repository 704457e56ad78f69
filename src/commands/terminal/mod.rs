//! The terminal as a screen that answers keys. Whatever ends the program gives it back as it was: the end of a command, an
//! error, a panic, and every signal that can be caught.

mod events;

use std::io::{self, Write};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use ratatui_core::backend::Backend as _;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::{Frame, Terminal, TerminalOptions, Viewport};
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::cursor::{Hide, Show};
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui_crossterm::crossterm::{ExecutableCommand as _, QueueableCommand as _};

pub use events::{Event, Events, Signals};

/// True while a screen is drawn; read on a panic.
static IS_DRAWN: AtomicBool = AtomicBool::new(false);

/// Has the terminal give keys as they are pressed, without an echo. False where there is none that does.
#[must_use]
pub fn gives_keys() -> bool {
    enable_raw_mode().is_ok()
}

/// More columns and rows than any screen has. A terminal may claim 65535 of each, and every cell takes memory.
const MAX_SIZE: (u16, u16) = (1000, 500);

/// A terminal that is drawn on, until it is dropped.
pub struct DrawnTerminal<'w> {
    terminal: Terminal<CrosstermBackend<&'w mut dyn Write>>,
    area: Rect,
}

/// The part of a terminal that is drawn on.
fn drawn_area(width: u16, height: u16) -> Rect {
    Rect::new(0, 0, width.min(MAX_SIZE.0), height.min(MAX_SIZE.1))
}

impl<'w> DrawnTerminal<'w> {
    /// Takes over a terminal that gives keys: another screen, and no cursor.
    ///
    /// # Errors
    /// When it cannot be drawn on.
    pub fn enter(out: &'w mut dyn Write) -> io::Result<Self> {
        restore_on_panic();
        IS_DRAWN.store(true, Ordering::SeqCst);
        let entered = out.execute(EnterAlternateScreen);
        let entered = entered.and_then(|out| out.execute(Hide).map(|_| ()));
        let terminal = entered.and_then(|()| {
            let backend = CrosstermBackend::new(out);
            let size = backend.size()?;
            let area = drawn_area(size.width, size.height);
            let viewport = Viewport::Fixed(area);
            let terminal = Terminal::with_options(backend, TerminalOptions { viewport })?;
            Ok(DrawnTerminal { terminal, area })
        });
        match terminal {
            Ok(terminal) => Ok(terminal),
            Err(error) => {
                IS_DRAWN.store(false, Ordering::SeqCst);
                let _ = disable_raw_mode();
                Err(error)
            }
        }
    }

    /// Draws a screen.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let size = self.terminal.backend().size()?;
        let area = drawn_area(size.width, size.height);
        if area != self.area {
            self.area = area;
            self.terminal.resize(area)?;
        }
        self.terminal.draw(draw).map(|_| ())
    }

    /// Gives the terminal back, and leaves this text on it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn leave(mut self, text: &[u8]) -> io::Result<()> {
        restore(self.terminal.backend_mut())?;
        self.terminal.backend_mut().write_all(text)?;
        io::Write::flush(self.terminal.backend_mut())
    }
}

impl Drop for DrawnTerminal<'_> {
    fn drop(&mut self) {
        let _ = restore(self.terminal.backend_mut());
    }
}

/// Gives the terminal back, once.
fn restore(out: &mut impl Write) -> io::Result<()> {
    if !IS_DRAWN.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let left = out
        .queue(Show)
        .and_then(|out| out.queue(LeaveAlternateScreen));
    let left = left.and_then(Write::flush);
    disable_raw_mode().and(left)
}

/// Sees to it that a panic is told on a terminal that shows it: a release ends there, and drops nothing.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // Standard output is locked by the main thread; any other would wait for it for ever.
            let _ = match thread::current().name() {
                Some("main") => restore(&mut io::stdout()),
                _ => restore(&mut io::stderr()),
            };
            tell(panic);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_of_any_size_takes_little_memory() {
        let area = drawn_area(u16::MAX, u16::MAX);
        assert!(area.area() <= 500_000, "{area:?}");
        assert_eq!(drawn_area(80, 24), Rect::new(0, 0, 80, 24));
    }

    #[test]
    fn a_panic_gives_the_terminal_back_first() {
        restore_on_panic();
        IS_DRAWN.store(true, Ordering::SeqCst);
        let ended = thread::spawn(|| panic!("for the hook")).join();
        assert!(ended.is_err());
        assert!(!IS_DRAWN.load(Ordering::SeqCst));
    }
}
