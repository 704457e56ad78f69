//! The `kubectl-sts_plan` executable. Under the name `kubectl_complete-sts_plan`, it completes command lines.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

#[cfg(not(target_family = "wasm"))]
use kubectl_sts_plan::commands::completion;

/// Allocator. The default in Linux releases is that of musl, which is slow.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    #[cfg(not(target_family = "wasm"))]
    match completion::answer(
        &args,
        std::env::current_dir().ok().as_deref(),
        &mut stdout.lock(),
    ) {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => {}
        // A failed completion leaves the command line unchanged.
        Err(_) => return ExitCode::FAILURE,
    }
    kubectl_sts_plan::run::run(
        args,
        &mut stdin.lock(),
        &mut stdout.lock(),
        &mut stderr.lock(),
    )
    .into()
}
