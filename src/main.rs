//! The `kubectl-sts_plan` executable.

fn main() {}
