//! The line of a process's last words that tells why it ended.

use super::CauseEntry;
use super::joined_lines::with_neighbors;
use super::log_entry::{Line, lines_of};

/// Starts of lines that only add to another line: details, hints, stack frames and usage.
const ADDITIONS: [&str; 16] = [
    "DETAIL:",
    "HINT:",
    "CONTEXT:",
    "LOG:",
    "note: ",
    "at ",
    "... ",
    "Usage",
    "Run '",
    "See ",
    "npm ERR!",
    "npm error",
    "exit status",
    "goroutine ",
    "Traceback ",
    "File \"",
];

/// Words of a line that only refers to another line.
const REFERENCES: [&str; 11] = [
    "boot failed",
    "root cause above",
    "error above",
    "errors above",
    "see above",
    "log above",
    "logs above",
    "see log for",
    "see the log",
    "unable to acquire security key",
    "complete log of this run",
];

/// Lines that only announce the line with the reason, in lower case, without a full stop.
const ANNOUNCEMENTS: [&str; 28] = [
    "application run failed",
    "an error occurred",
    "cannot load certificates",
    "cannot load config file",
    "configuration is invalid",
    "error during startup",
    "error starting application",
    "error starting server",
    "exception during startup",
    "exception encountered during startup",
    "failed to initialize",
    "failed to start",
    "failed to start application",
    "failed to start server",
    "failed to start server in (development) mode",
    "failed to start server in (production) mode",
    "fatal error during startup",
    "fatal exception during initialization",
    "initialization failed",
    "invalid config, exiting abnormally",
    "invalid configuration",
    "multiple config errors found, please read carefully",
    "server failed to start",
    "startup failed",
    "unable to run quorum server",
    "unable to start server",
    "unexpected exception, exiting abnormally",
    "validating config: multiple config errors found, please read carefully",
];

/// Words of a sentence about something that failed.
const FAILURES: [&str; 21] = [
    "cannot",
    "can't",
    "could not",
    "unable",
    "fail",
    "not found",
    "invalid",
    "denied",
    "refused",
    "refusing",
    "missing",
    "incorrect",
    "mismatch",
    "no such",
    "unknown",
    "supported",
    "requires",
    "wrong",
    "bad ",
    "must ",
    "was not used",
];

/// Returns the most useful line of a termination message, without what a logger writes before it: the one that identifies
/// the cause, that of a Go panic, the first fatal one, the last cause of an exception, the exception, the first error, the
/// first that tells of a failure, or the last line that is more than information.
pub(crate) fn decisive_line(words: &str, entry: Option<&CauseEntry>) -> String {
    if let Some(root) = root_of_chain(words) {
        return root;
    }
    let lines = lines_of(words);
    let telling: Vec<&Line<'_>> = lines.iter().filter(|line| !is_ornament(line)).collect();
    let of_its_own: Vec<&Line<'_>> = telling
        .iter()
        .copied()
        .filter(|line| !is_reference(line))
        .collect();
    // A line that refers to another still tells more than one that reports no failure.
    let tells = |line: &&Line<'_>| {
        let is_grave = line.is_fatal() || line.is_error() || is_exception(line.said());
        is_main(line) && (is_grave || tells_failure(line.said()))
    };
    let has_own = of_its_own.iter().any(tells);
    let found = chosen(if has_own { &of_its_own } else { &telling }, entry);
    match found {
        Some(line) => with_neighbors(line, &lines),
        None => {
            let any = lines.iter().rfind(|line| !line.text.trim().is_empty());
            any.map_or_else(String::new, |line| line.said().to_owned())
        }
    }
}

/// Returns the end of a chain of errors as anyhow and eyre print it: `Caused by:`, and below it the links, indented, with
/// numbers if there are several. The last link may quote a text with marks, and end in the reason.
fn root_of_chain(words: &str) -> Option<String> {
    let mut lines = words.lines().skip_while(|line| line.trim() != "Caused by:");
    lines.next()?;
    let inner = lines.take_while(|line| line.starts_with(' '));
    let number = |line: &str| {
        let (number, rest) = line.trim().split_once(": ")?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| rest.to_owned())
    };
    let mut link: Vec<String> = Vec::new();
    for line in inner {
        match number(line) {
            Some(first) => link = vec![first],
            None => link.push(line.trim().to_owned()),
        }
    }
    let is_quote = |line: &String| line.contains(" | ") || line.starts_with('|') || line.is_empty();
    let first = link.first()?.clone();
    let last = link
        .iter()
        .skip(1)
        .rfind(|line| !is_quote(line) && !line.ends_with('|'));
    Some(match last {
        Some(last) => format!("{first}: {last}"),
        None => first,
    })
}

/// Returns the most useful of these lines.
fn chosen<'l, 'w>(lines: &[&'l Line<'w>], entry: Option<&CauseEntry>) -> Option<&'l Line<'w>> {
    let all = || lines.iter().copied();
    let is_named =
        |line: &&Line<'_>| entry.is_some_and(|entry| entry.end_of_words(&line.text).is_some());
    let main = || all().filter(|line| is_main(line));
    let grave = || main().filter(|line| !line.is_below_error());
    // The parser of options of a Go program ends it; errors before it were no end.
    let of_options = all().find(|line| line.text.trim_end().ends_with(", try --help"));
    of_options
        .or_else(|| {
            let mut grave = all().filter(|line| !line.is_below_error());
            grave.find(is_named)
        })
        .or_else(|| all().find(is_named))
        .or_else(|| fatal_line(lines))
        .or_else(|| main().find(|line| line.is_error()))
        .or_else(|| grave().find(|line| tells_failure(line.said())))
        .or_else(|| main().find(|line| tells_failure(line.said())))
        .or_else(|| grave().next_back())
        .or_else(|| main().next_back())
        .or_else(|| all().next_back())
}

/// Reports whether a line has no words of its own: a rule of asterisks, a banner, a closing brace, a count of errors,
/// a line of code, a numbered frame of a stack, an exception without a message.
pub(super) fn is_ornament(line: &Line<'_>) -> bool {
    let line = line.text.trim();
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    let marks = line.chars().filter(|c| !c.is_whitespace()).count();
    let is_count = counted(line).is_some_and(|what| matches!(what, "error" | "errors"));
    let rules = ["***", "===", "---", "###"];
    let is_banner = rules
        .iter()
        .any(|rule| line.starts_with(rule) && line.ends_with(rule));
    // The line of a program in a trace: `throw new ERR_MODULE_NOT_FOUND(`, `raise ValueError(`.
    let is_code = line.ends_with('(') || line.starts_with("raise ") || line.starts_with("throw ");
    let is_mark = letters < 3 || letters * 4 < marks || is_count || is_banner || is_key(line);
    is_mark || is_code || is_frame(line) || is_bare_exception(line)
}

/// Reports whether a line is a numbered frame of a stack: `0. DB::Exception::Exception(int) @ 0x1`, `2: 0xe36 node::Abort()`,
/// `#1 0x5581 main`.
fn is_frame(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let number = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = &rest[number..];
    let is_numbered = number > 0 && number < 4 && after.starts_with([' ', '.', ':']);
    let is_address = after.contains(" 0x") || after.contains("@ 0x");
    is_numbered && (is_address || (after.contains("::") && !after.contains(": ")))
}

/// Reports whether a line is an exception that says nothing: `org.apache.BookieException$InvalidCookieException: `.
fn is_bare_exception(line: &str) -> bool {
    let class = line.strip_suffix(':').unwrap_or_default();
    class.matches('.').count() > 1 && class.ends_with("Exception") && !class.contains(' ')
}

/// Reports whether a line is only the key of a value in the next lines, as hclog writes it: `error=`.
pub(super) fn is_key(line: &str) -> bool {
    line.strip_suffix('=').is_some_and(|key| {
        key.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Reports whether a line only refers to another line: `Engine core initialization failed. See root cause above.`
fn is_reference(line: &Line<'_>) -> bool {
    let said = line.said().to_ascii_lowercase();
    let said = said
        .trim_start_matches("error: ")
        .trim_end_matches(['.', ':', '!']);
    let line = line.text.to_ascii_lowercase();
    ANNOUNCEMENTS.contains(&said) || REFERENCES.iter().any(|words| line.contains(words))
}

/// Reports whether a line tells of a failure in a sentence.
pub(crate) fn tells_failure(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    FAILURES.iter().any(|word| line.contains(word))
}

/// Returns the line that a termination message marks as the end of the process; `None` if it marks none.
pub(super) fn marked_line(words: &str) -> Option<String> {
    let lines = lines_of(words);
    let telling = lines.iter().filter(|line| !is_ornament(line));
    let telling: Vec<&Line<'_>> = telling.filter(|line| !is_reference(line)).collect();
    let marked = fatal_line(&telling).filter(|line| !counts_errors(line.said()));
    marked.map(|line| line.text.trim().to_owned())
}

/// Reports whether a line only counts the errors in the lines after it: `ValidationError: 2 validation errors for Settings`.
fn counts_errors(line: &str) -> bool {
    let what = line.rsplit_once(": ").map_or(line, |(_, what)| what);
    counted(what).is_some_and(|rest| rest.starts_with("validation error"))
}

/// Returns the words after the number with which a line begins.
fn counted(line: &str) -> Option<&str> {
    let (count, rest) = line.split_once(' ')?;
    count.parse::<u32>().is_ok().then_some(rest)
}

fn fatal_line<'l, 'w>(lines: &[&'l Line<'w>]) -> Option<&'l Line<'w>> {
    let starts_with = |line: &Line<'_>, start: &str| line.text.trim().starts_with(start);
    let all = || lines.iter().copied();
    let fatal = || {
        let at = lines.iter().position(|line| line.is_fatal())?;
        // The exception says what the line before it announces.
        let next = lines.get(at + 1).copied();
        let exception = next.filter(|next| is_exception(next.said()));
        exception.or_else(|| lines.get(at).copied())
    };
    all()
        .find(|line| starts_with(line, "panic: "))
        .or_else(fatal)
        .or_else(|| {
            let mut causes = all();
            causes.rfind(|line| starts_with(line, "Caused by: "))
        })
        .or_else(|| {
            let mut exceptions = all().filter(|line| is_main(line));
            exceptions.rfind(|line| is_exception(line.said()))
        })
}

/// Returns a message without the lines of a level below an error; `None` if nothing is left, or nothing is left out.
pub(super) fn without_warnings(words: &str) -> Option<String> {
    let is_below = |line: &&str| lines_of(line).iter().any(Line::is_below_error);
    let rest: Vec<&str> = words.lines().filter(|line| !is_below(line)).collect();
    let is_shorter = rest.len() < words.lines().count();
    // Lines that only refer to another one leave it the word.
    let tells = |line: &&str| !line.trim().is_empty() && !lines_of(line).iter().all(is_reference);
    (is_shorter && rest.iter().any(tells)).then(|| rest.join("\n"))
}

pub(super) fn is_main(line: &Line<'_>) -> bool {
    let texts = [line.text.trim(), line.said()];
    let is_addition = |text: &str| ADDITIONS.iter().any(|start| text.starts_with(start));
    !texts.into_iter().any(is_addition)
}

/// Reports whether a line is an exception: `java.io.IOException: No snapshot found`, `** (ArgumentError) no port` in Elixir,
/// or ``app.rb:3:in `<main>': no port (ArgumentError)`` in Ruby.
fn is_exception(line: &str) -> bool {
    let is_class = |class: &str| {
        let ends = class.ends_with("Exception") || class.ends_with("Error");
        ends && !class.contains(' ') && !matches!(class, "Exception" | "Error")
    };
    let in_brackets = |(_, class): (&str, &str)| {
        let class = class.split_once(')');
        class.is_some_and(|(class, _)| is_class(class))
    };
    let of_ruby = line
        .rsplit_once(" (")
        .filter(|(said, _)| said.contains("': ") && line.ends_with(')'));
    is_class(line.split(':').next().unwrap_or_default())
        || line
            .strip_prefix("** (")
            .is_some_and(|class| in_brackets(("", class)))
        || of_ruby.is_some_and(in_brackets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_chain_of_errors_tells_most() {
        let words = "Error: failed to load config\n\nCaused by:\n    0: could not parse /etc/a.toml\n    1: TOML parse error at line \
                     4, column 1\n         |\n       4 | workers = \"8\"\n         | ^^^\n       invalid type: string \"8\", expected \
                     usize\n";
        let told =
            "TOML parse error at line 4, column 1: invalid type: string \"8\", expected usize";
        assert_eq!(decisive_line(words, None), told);
        let words = "Error: cannot start\n\nCaused by:\n    Connection refused (os error 111)\n";
        assert_eq!(
            decisive_line(words, None),
            "Connection refused (os error 111)"
        );
        // An exception of Java names its cause in the same line.
        let words = "java.lang.A: x\nCaused by: java.io.IOException: no space\n";
        assert!(decisive_line(words, None).contains("no space"));
    }

    #[test]
    fn a_line_keeps_the_field_or_the_file_that_it_is_about() {
        let words = "ValidationError: 2 validation errors for Settings\nopenai_api_key\n  Field required [type=missing]\n";
        let setting = crate::catalogue::Catalogue::default().by_id("setting-missing");
        let told = decisive_line(words, setting);
        assert_eq!(told, "openai_api_key: Field required");
        let words = "Error in configuration at 'database.args.cp_max':\n  Expected integer, got string '10'\nThere may be more \
                     errors.\n";
        let told =
            "Error in configuration at 'database.args.cp_max': Expected integer, got string '10'";
        let rejected = crate::catalogue::Catalogue::default().by_id("configuration-rejected");
        assert_eq!(decisive_line(words, rejected), told);
        let words = "ERROR: Invalid configuration\ncom.a.ValidationException: The minimum length is 16 characters.\n";
        assert!(decisive_line(words, None).contains("minimum length"));
    }
}
