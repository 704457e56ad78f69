//! What clap has to say: that the usage is wrong, or the help or version that was asked for.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;

use super::exit::Exit;
use crate::output::escape;

/// Why arguments come to no request.
#[derive(Debug)]
pub struct Usage(clap::Error);

impl Usage {
    /// Prints it: in colour where the terminal has it, unless that would hand it characters which do something to
    /// it.
    pub fn report(&self, args: &[OsString], stderr: &mut dyn Write) -> Exit {
        let error = &self.0;
        if !error.use_stderr() {
            let _ = error.print();
            return Exit::Done;
        }
        let safe = |arg: &OsString| matches!(escape(&arg.to_string_lossy()), Cow::Borrowed(_));
        if args.iter().all(safe) {
            let _ = error.print();
        } else {
            for line in error.render().to_string().lines() {
                let _ = writeln!(stderr, "{}", escape(line));
            }
        }
        Exit::Error
    }
}

impl From<clap::Error> for Usage {
    fn from(error: clap::Error) -> Self {
        Usage(error)
    }
}
