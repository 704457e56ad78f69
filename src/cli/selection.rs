//! Which sets are planned: contract section 2.

use clap::Args;

/// Which sets are planned.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
pub struct Selection {
    /// Plan sets of this namespace; objects of the input without a namespace belong to it
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,

    /// Plan the sets of all namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,

    /// Plan the sets whose labels match: a=b,c!=d,e in (f,g),h,!i
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub selector: Option<String>,
}

impl Selection {
    /// Takes what is empty for what is not given, as kubectl does.
    pub(super) fn without_empty(&mut self) {
        for text in [&mut self.namespace, &mut self.selector] {
            if text.as_deref() == Some("") {
                *text = None;
            }
        }
    }
}
