//! The objects of a file, each with its position and the keys that it has: `cargo run --example positions web.yaml`

#![allow(clippy::print_stdout, reason = "an example")]

use std::error::Error;

use kubectl_manifest::read;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("name a file")?;
    let reading = read(&file, &std::fs::read(&file)?)?;
    for warning in &reading.warnings {
        println!("warning: {warning}");
    }
    for manifest in reading.manifests {
        let (kind, location) = (manifest.kind.clone(), manifest.location.clone());
        let object = manifest.into_value();
        let keys: Vec<&str> = object
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, _)| key.as_str())
            .collect();
        println!("{location}: {kind} with {}", keys.join(", "));
    }
    Ok(())
}
