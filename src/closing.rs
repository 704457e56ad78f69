//! Output whose reader may leave. What is written after that is dropped, and the command goes on: its exit code, which a
//! gate decides, does not depend on who reads its output.

use std::io::{self, ErrorKind, Write};

/// Writer that takes a closed pipe for an empty one.
pub(crate) struct UntilClosed<'w> {
    inner: &'w mut dyn Write,
    is_closed: bool,
}

impl<'w> UntilClosed<'w> {
    pub(crate) fn new(inner: &'w mut dyn Write) -> Self {
        UntilClosed {
            inner,
            is_closed: false,
        }
    }

    /// Returns the result of a write, or `dropped` if the reader has left.
    fn unless_closed<T>(&mut self, result: io::Result<T>, dropped: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(dropped)
            }
            other => other,
        }
    }
}

impl Write for UntilClosed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        let written = self.inner.write(bytes);
        self.unless_closed(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let flushed = self.inner.flush();
        self.unless_closed(flushed, ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a few bytes, and then has no reader.
    struct Leaves(usize);

    impl Write for Leaves {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(ErrorKind::BrokenPipe.into());
            }
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            match self.0 {
                0 => Err(ErrorKind::BrokenPipe.into()),
                _ => Ok(()),
            }
        }
    }

    #[test]
    fn what_nobody_reads_is_dropped() {
        let mut leaves = Leaves(5);
        let mut out = UntilClosed::new(&mut leaves);
        assert!(out.write_all(b"a plan of many lines").is_ok());
        assert!(out.flush().is_ok());
        assert!(out.write_all(b"more").is_ok());
    }

    #[test]
    fn other_errors_are_kept() {
        let mut none: &mut [u8] = &mut [];
        let mut out = UntilClosed::new(&mut none);
        assert!(out.write_all(b"x").is_err());
    }
}
