//! The frame of every page: content security policy, styles and script.

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::csp_hash;
use crate::output::style::write_visible;
use crate::output::svg;
use crate::output::svg::shown;

const CSS: &str = include_str!("page.css");

/// Writes a page. Its policy allows this script and these styles only, and no requests.
pub(super) fn write(
    title: &str,
    body: &Markup,
    script: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let scripts = script.map_or_else(|| "'none'".to_owned(), csp_hash::source);
    let policy = format!(
        "default-src 'none'; script-src {scripts}; style-src {} {}; img-src data:; base-uri 'none'; form-action 'none'",
        csp_hash::source(svg::CSS),
        csp_hash::source(CSS)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (shown(title)) }
                link rel="icon" href="data:,";
                style { (PreEscaped(svg::CSS)) }
                style { (PreEscaped(CSS)) }
            }
            body {
                (body)
                @if let Some(script) = script { script { (PreEscaped(script)) } }
            }
        }
    };
    write_visible(&page.into_string(), out)?;
    writeln!(out)
}
