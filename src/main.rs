//! The `kubectl-sts_plan` executable, which is also `kubectl_complete-sts_plan` when it is called so.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

#[cfg(not(target_family = "wasm"))]
use kubectl_sts_plan::commands::completion;

/// The allocator that releases for Linux get is musl's otherwise, which is slow.
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
        // A completion that fails leaves the command line as it is.
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
