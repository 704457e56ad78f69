//! The `kubectl-sts_plan` executable. Under the name `kubectl_complete-sts_plan`, it completes command lines.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// Allocator. The default in Linux releases is that of musl, which is slow.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    kubectl_sts_plan::run(
        args,
        &mut stdin.lock(),
        &mut stdout.lock(),
        &mut stderr.lock(),
    )
    .into()
}
