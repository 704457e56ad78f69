//! Terminal in full-screen mode. It is restored at the end of a command and on an error, a panic, and every signal
//! that can be caught.

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

/// Switches the terminal to unbuffered keys without echo. Returns false if there is no such terminal.
pub fn gives_keys() -> bool {
    enable_raw_mode().is_ok()
}

/// Maximum number of columns and rows, above those of any screen. A terminal may report 65535 of each, and every cell
/// takes memory.
const MAX_SIZE: (u16, u16) = (1000, 500);

/// A terminal in full-screen mode until it is dropped.
pub struct DrawnTerminal<'w> {
    terminal: Terminal<CrosstermBackend<&'w mut dyn Write>>,
    area: Rect,
}

/// Returns the area of a terminal to draw on.
fn drawn_area(width: u16, height: u16) -> Rect {
    Rect::new(0, 0, width.min(MAX_SIZE.0), height.min(MAX_SIZE.1))
}

impl<'w> DrawnTerminal<'w> {
    /// Enters full-screen mode: alternate screen, no cursor.
    ///
    /// # Errors
    /// When the terminal cannot be drawn on.
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

    /// Leaves full-screen mode, and prints this text.
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

/// Restores the terminal once.
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

/// Restores the terminal before a panic message: a release build aborts without dropping anything.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // The main thread holds the lock of standard output; other threads would wait for it forever.
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
