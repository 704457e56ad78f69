//! The destinations and formats of plans: standard output, and a file for each `--report`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};

use crate::output;
use crate::output::atomic;
use crate::output::atomic::FileVisibility;
use crate::output::{Columns, Needs, OutputSpec, Printer, Style, Template, TemplateError};
use sts_plan::fleet::ReportList;

/// The requested outputs, with parsed templates.
pub struct Outputs {
    shown: Printer,
    files: Vec<(Printer, PathBuf)>,
}

impl Outputs {
    /// Parses the requested outputs.
    ///
    /// # Errors
    /// When a template is invalid, two outputs share a path, or an output has the path of an
    /// input.
    pub fn new(
        format: &OutputSpec,
        out: &[(OutputSpec, PathBuf)],
        save: Option<&Path>,
        inputs: &[PathBuf],
    ) -> Result<Self> {
        let shown = printer(format).with_context(|| format!("-o {format}"))?;
        refuse_inputs(out, save, inputs)?;
        let mut paths: BTreeSet<PathBuf> = save.map(identity).into_iter().collect();
        let mut files = Vec::new();
        for (asked, path) in out {
            let flag = || format!("--report {asked}={}", path.display());
            if !paths.insert(identity(path)) {
                bail!(
                    "{}: another output has the same path: use a separate file for each",
                    flag()
                );
            }
            files.push((printer(asked).with_context(flag)?, path.clone()));
        }
        Ok(Outputs { shown, files })
    }

    /// Returns the parts that the report of a plan needs, alone or beside others.
    pub fn needs(&self, beside_others: bool) -> Needs {
        let files = self.files.iter();
        let files = files.map(|(printer, _)| printer.needs(beside_others));
        files.fold(self.shown.needs(beside_others), Needs::or)
    }

    /// Reports whether standard output is written for people at a terminal.
    pub fn has_colors(&self) -> bool {
        self.shown.has_colors()
    }

    /// Writes all outputs. A template that fails leaves no file behind. Files come first, since the reader of standard
    /// output may close it early.
    ///
    /// # Errors
    /// When a template does not match the plan, or a write fails.
    pub fn write(
        &self,
        plans: &ReportList<'_>,
        style: &Style,
        stdout: &mut dyn Write,
    ) -> Result<()> {
        let in_file = Style {
            color: false,
            width: None,
            verbatim: true,
            ..*style
        };
        let mut texts = Vec::new();
        for (printer, path) in &self.files {
            let mut text = Vec::new();
            output::print(printer, plans, &in_file, &mut text)
                .map_err(|error| explained(error, &path.to_string_lossy()))?;
            texts.push((path, text));
        }
        for (path, text) in texts {
            atomic::write_file(path, &text, FileVisibility::Default)
                .with_context(|| format!("cannot write the plan to {}", path.display()))?;
        }
        let mut out = io::BufWriter::new(stdout);
        output::print(&self.shown, plans, style, &mut out)
            .map_err(|error| explained(error, "standard output"))?;
        out.flush().context("cannot write the plan")
    }
}

/// Returns the resolved path of a file, which identifies it. Pipes and terminals keep their names.
fn identity(path: &Path) -> PathBuf {
    let is_special = std::fs::metadata(path).is_ok_and(|there| !there.is_file());
    match atomic::target(path) {
        Ok(target) if !is_special => target,
        _ => path.to_path_buf(),
    }
}

/// Returns an error if an output would overwrite an input, by whatever path.
fn refuse_inputs(
    out: &[(OutputSpec, PathBuf)],
    save: Option<&Path>,
    inputs: &[PathBuf],
) -> Result<()> {
    if save.is_none() && out.is_empty() {
        return Ok(());
    }
    let read: BTreeSet<PathBuf> = inputs.iter().map(|path| identity(path)).collect();
    let saved = save.map(|path| ("--save ".to_owned(), path));
    let reports = out
        .iter()
        .map(|(asked, path)| (format!("--report {asked}="), path.as_path()));
    for (flag, path) in saved.into_iter().chain(reports) {
        // A device such as /dev/null has no content to lose.
        let is_file = std::fs::metadata(path).is_ok_and(|there| there.is_file());
        if is_file && read.contains(&identity(path)) {
            bail!(
                "{flag}{}: the file is also an input: use another file",
                path.display()
            );
        }
    }
    Ok(())
}

/// Adds context to an error that occurred while a plan was written.
fn explained(error: io::Error, place: &str) -> Error {
    let in_template = error
        .get_ref()
        .and_then(|within| within.downcast_ref::<TemplateError>());
    match in_template {
        Some(template) => Error::new(template.clone())
            .context(format!("the template for {place} does not match the plan")),
        None => Error::new(error).context("cannot write the plan"),
    }
}

/// Returns the printer of a format, with its template parsed.
///
/// # Errors
/// When the template is invalid.
pub fn printer(asked: &OutputSpec) -> Result<Printer> {
    Ok(match asked {
        OutputSpec::Plain(format) => Printer::Plain(*format),
        OutputSpec::JsonPath(template) => Printer::JsonPath(Template::new(template)?),
        OutputSpec::Columns(spec) => Printer::Columns(Columns::new(spec)?),
    })
}
