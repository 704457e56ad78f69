//! The destinations and formats of plans: standard output, and a file for each `--report`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, bail};

use crate::output;
use crate::output::atomic;
use crate::output::atomic::FileVisibility;
use crate::output::{Columns, Format, Needs, OutputSpec, Printer, Style, Template, TemplateError};
use kubectl_config::bounded;
use sts_plan::report::ReportList;

/// The requested outputs, with every template read.
pub struct Outputs {
    shown: Printer,
    files: Vec<(Printer, PathBuf)>,
}

impl Outputs {
    /// Reads what was asked for.
    ///
    /// # Errors
    /// When a template is wrong, its file cannot be read, two outputs have one path, or an output has the path of an
    /// input.
    pub fn new(
        format: &OutputSpec,
        out: &[(OutputSpec, PathBuf)],
        save: Option<&Path>,
        inputs: &[PathBuf],
    ) -> Result<Self> {
        let shown = printer(format).with_context(|| format!("-o {format}"))?;
        refuse_inputs(format, out, save, inputs)?;
        let mut paths: BTreeSet<PathBuf> = save.map(identity).into_iter().collect();
        let mut files = Vec::new();
        for (asked, path) in out {
            let flag = || format!("--report {asked}={}", path.display());
            if !paths.insert(identity(path)) {
                bail!(
                    "{}: another output goes there: give each its own file",
                    flag()
                );
            }
            files.push((printer(asked).with_context(flag)?, path.clone()));
        }
        Ok(Outputs { shown, files })
    }

    /// Returns what the report of a plan has to have, alone or beside others.
    #[must_use]
    pub fn needs(&self, beside_others: bool) -> Needs {
        let files = self.files.iter();
        let files = files.map(|(printer, _)| printer.needs(beside_others));
        files.fold(self.shown.needs(beside_others), Needs::or)
    }

    /// Reports whether standard output is written for people at a terminal.
    #[must_use]
    pub fn has_colors(&self) -> bool {
        self.shown.has_colors()
    }

    /// Writes everything. A template that fails leaves no file behind; files come first, since a program that reads
    /// standard output may have seen enough of it. `link` leads from pages to the page that plans.
    ///
    /// # Errors
    /// When a template does not fit the plan, or something cannot be written.
    pub fn write(
        &self,
        plans: &ReportList<'_>,
        style: &Style,
        link: Option<&str>,
        stdout: &mut dyn Write,
    ) -> Result<()> {
        let print = |printer: &Printer, style: &Style, out: &mut dyn Write| match (printer, link) {
            (Printer::Plain(Format::Html), Some(link)) => {
                output::render_linked_page(plans, style, link, out)
            }
            _ => output::print(printer, plans, style, out),
        };
        let in_file = Style {
            color: false,
            width: None,
            verbatim: true,
            ..*style
        };
        let mut texts = Vec::new();
        for (printer, path) in &self.files {
            let mut text = Vec::new();
            print(printer, &in_file, &mut text)
                .map_err(|error| explained(error, &path.to_string_lossy()))?;
            texts.push((path, text));
        }
        for (path, text) in texts {
            atomic::write_file(path, &text, FileVisibility::Usual)
                .with_context(|| format!("cannot write the plan to {}", path.display()))?;
        }
        let mut out = io::BufWriter::new(stdout);
        print(&self.shown, style, &mut out).map_err(|error| explained(error, "standard output"))?;
        out.flush().context("cannot write the plan")
    }
}

/// The file that a path leads to, by which two paths to one file are told. Pipes and terminals are what they are called.
fn identity(path: &Path) -> PathBuf {
    let is_special = std::fs::metadata(path).is_ok_and(|there| !there.is_file());
    match atomic::target(path) {
        Ok(target) if !is_special => target,
        _ => path.to_path_buf(),
    }
}

/// Refuses to write to a file that the run reads, by whatever path: the input would be lost.
fn refuse_inputs(
    format: &OutputSpec,
    out: &[(OutputSpec, PathBuf)],
    save: Option<&Path>,
    inputs: &[PathBuf],
) -> Result<()> {
    if save.is_none() && out.is_empty() {
        return Ok(());
    }
    let asked = std::iter::once(format).chain(out.iter().map(|(asked, _)| asked));
    let templates = asked.filter_map(OutputSpec::file);
    let read: BTreeSet<PathBuf> = inputs
        .iter()
        .map(PathBuf::as_path)
        .chain(templates)
        .map(identity)
        .collect();
    let saved = save.map(|path| ("--save ".to_owned(), path));
    let reports = out
        .iter()
        .map(|(asked, path)| (format!("--report {asked}="), path.as_path()));
    for (flag, path) in saved.into_iter().chain(reports) {
        // A device such as /dev/null keeps nothing that could be lost.
        let is_file = std::fs::metadata(path).is_ok_and(|there| there.is_file());
        if is_file && read.contains(&identity(path)) {
            bail!(
                "{flag}{}: the file is also an input: name another file",
                path.display()
            );
        }
    }
    Ok(())
}

/// Explains an error that occurred while a plan was written.
fn explained(error: io::Error, place: &str) -> Error {
    let in_template = error
        .get_ref()
        .and_then(|within| within.downcast_ref::<TemplateError>());
    match in_template {
        Some(template) => Error::new(template.clone())
            .context(format!("the template for {place} does not fit the plan")),
        None => Error::new(error).context("cannot write the plan"),
    }
}

/// A format with its template read.
///
/// # Errors
/// When the template is wrong or its file cannot be read.
pub fn printer(asked: &OutputSpec) -> Result<Printer> {
    Ok(match asked {
        OutputSpec::Plain(format) => Printer::Plain(*format),
        OutputSpec::JsonPath(template) => Printer::JsonPath(Template::new(template)?),
        OutputSpec::JsonPathFile(file) => Printer::JsonPath(Template::new(&read(file)?)?),
        OutputSpec::Columns(spec) => Printer::Columns(Columns::new(spec)?),
        OutputSpec::ColumnsFile(file) => Printer::Columns(Columns::of_file(&read(file)?)?),
    })
}

fn read(file: &Path) -> Result<String> {
    bounded::read_text(file).with_context(|| format!("cannot read {}", file.display()))
}
