//! The `kubectl-sts_plan` executable.

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    sts_plan::run::run(
        std::env::args_os(),
        &mut stdin.lock(),
        &mut stdout.lock(),
        &mut stderr.lock(),
    )
    .into()
}
