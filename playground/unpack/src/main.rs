//! Unpacks the program of the planning page: LZMA from the file `packed` to standard output.
//!
//! Browsers inflate gzip, and LZMA makes the program a third smaller. The page runs this program first, from gzip.

use std::fs::File;
use std::io::{self, BufReader};

use lzma_rust2::LzmaReader;

/// Memory limit in KiB: the dictionary, which is larger than the program, and some room.
const MEMORY: u32 = 16 * 1024;

fn main() -> io::Result<()> {
    let packed = BufReader::new(File::open("packed")?);
    let mut program = LzmaReader::new_mem_limit(packed, MEMORY, None)?;
    io::copy(&mut program, &mut io::stdout().lock())?;
    Ok(())
}
