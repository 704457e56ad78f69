//! What the linker leaves out of the program that users get.

use std::path::Path;
use std::{env, fs, io};

/// A panic aborts, so that nothing is ever unwound; only the standard library, which comes compiled, has tables for it.
/// Those of the C runtime are referred to.
const NO_UNWINDING: &str = "SECTIONS { /DISCARD/ : { \
     *(EXCLUDE_FILE(*crt*.o) .eh_frame EXCLUDE_FILE(*crt*.o) .gcc_except_table*) \
     } } INSERT AFTER .text;\n";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(out) = env::var_os("OUT_DIR") else {
        return Ok(());
    };
    let out = Path::new(&out);
    // target/PROFILE/build/PACKAGE/out: Cargo tells build scripts only which of its own profiles it is derived from.
    let profile = out.ancestors().nth(3).and_then(Path::file_name);
    let is_linux = env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|os| os == "linux");
    // Other linkers than GNU's and LLVM's take no such script.
    let flags = env::var_os("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let flags = flags.to_string_lossy();
    let takes_scripts = !flags.contains("fuse-ld=") || flags.contains("fuse-ld=lld");
    if is_linux && takes_scripts && profile.is_some_and(|profile| profile == "dist") {
        let script = out.join("no-unwinding.ld");
        fs::write(&script, NO_UNWINDING)?;
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr");
        println!("cargo::rustc-link-arg-bins=-T{}", script.display());
    }
    Ok(())
}
