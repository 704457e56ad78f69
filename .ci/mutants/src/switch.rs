//! Which mutant is on: a module of the mutated copy of the engine, and of nothing else.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// `MUTANT` of the environment; or none of them is on; or which are reached is written into the file `MUTANTS_REACHED`.
static ON: AtomicU32 = AtomicU32::new(NOT_READ);
const NONE: u32 = 0;
const RECORD: u32 = u32::MAX - 1;
const NOT_READ: u32 = u32::MAX;

static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

#[inline(always)]
pub fn on(mutant: u32) -> bool {
    let on = ON.load(Relaxed);
    on == mutant || (on >= RECORD && read_or_record(mutant))
}

#[cold]
fn read_or_record(mutant: u32) -> bool {
    if ON.load(Relaxed) == NOT_READ {
        let number = std::env::var("MUTANT").ok().map(|number| number.parse().unwrap());
        let record = std::env::var_os("MUTANTS_REACHED").map(|_| RECORD);
        ON.store(number.or(record).unwrap_or(NONE), Relaxed);
        return on(mutant);
    }
    if !REACHED[mutant as usize].swap(true, Relaxed) {
        let path = std::env::var_os("MUTANTS_REACHED").unwrap();
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(format!("{mutant}\n").as_bytes()).unwrap();
    }
    false
}
