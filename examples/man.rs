//! Prints the manual page, in roff: `cargo run --example man > kubectl-sts_plan.1`.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    let command = kubectl_sts_plan::internals::manual()
        .bin_name("kubectl sts-plan")
        .display_name("kubectl-sts_plan");
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    io::stdout().lock().write_all(&page)
}
