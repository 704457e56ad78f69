//! The message of a line of a log, without what loggers write before it: time, level, thread, process and class.

/// Names of levels, in lower case.
const LEVELS: [&str; 20] = [
    "error", "err", "eror", "erro", "fatal", "ftl", "fata", "critical", "crit", "crt", "severe",
    "panic", "alert", "emerg", "warn", "warning", "info", "notice", "debug", "trace",
];

/// Names that stand in times, without full stops.
const TIMES: [&str; 23] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Mon",
    "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "UTC", "GMT", "Z", "CET",
];

/// Returns the message of a line. An exception keeps its class, without the package. A line that consists of what loggers
/// write stays as it is.
pub(super) fn message(line: &str) -> &str {
    let mut rest = line.trim();
    for announced in ["nested exception is ", "the attached cause exception \""] {
        rest = rest
            .rsplit_once(announced)
            .map_or(rest, |(_, reason)| reason);
    }
    let mut before = Before::Nothing;
    while let Some((part, kind)) = first_part(rest, before) {
        before = kind;
        rest = rest[part..].trim_start();
    }
    // The fields of an error of Fluentd, and of an action of Logstash.
    for (mark, start) in [
        (" error_class=", " error=\""),
        (":exception=>", ":message=>\""),
    ] {
        let said = rest
            .split_once(mark)
            .and_then(|(_, it)| it.split_once(start));
        rest = said.map_or(rest, |(_, said)| {
            said.split("\", :")
                .next()
                .unwrap_or(said)
                .trim_end_matches('"')
        });
    }
    // `--->` announces the inner exception in .NET.
    for announced in ["Caused by: ", "---> "] {
        rest = rest.strip_prefix(announced).unwrap_or(rest);
    }
    if let Some(exception) = rest.strip_prefix("Exception in thread \"") {
        rest = exception.split_once("\" ").map_or(rest, |(_, rest)| rest);
    }
    rest = rest
        .split_once(") encountered during startup: ")
        .map_or(rest, |(_, reason)| reason);
    // ClickHouse announces the frames in the next lines.
    rest = rest
        .split_once(", Stack trace (when copying")
        .map_or(rest, |(said, _)| said);
    // `AggregateException: One or more errors occurred. (the reason)` in .NET.
    if let Some((_, inner)) = rest.split_once("One or more errors occurred. (") {
        rest = inner.trim_end().strip_suffix(')').unwrap_or(inner);
    }
    rest = without_quotes(rest);
    // `Caught exception: Code: 231. DB::Exception: Suspiciously many`.
    if let Some((before, said)) = rest.split_once(". DB::Exception: ") {
        let code = before.rsplit_once("Code: ").map_or("", |(_, code)| code);
        let is_code = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit());
        rest = if is_code { said } else { rest };
    }
    // Marks of a report of the JVM, and of HashiCorp programs.
    for mark in ["# ", "==> "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    rest = without_package(last_exception(rest));
    match rest.chars().any(char::is_alphabetic) {
        true => rest,
        false => line.trim(),
    }
}

/// The last part before the rest of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// None: the line begins.
    Nothing,
    /// A part of a time.
    Time,
    /// Any other part.
    Other,
}

/// Returns the length of the first part of a line if a logger wrote it.
fn first_part(rest: &str, before: Before) -> Option<(usize, Before)> {
    let token = rest.split_whitespace().next()?;
    let ends_line = token.len() == rest.len();
    let has_begun = before != Before::Nothing;
    if let Some(length) = bracketed(rest, has_begun).filter(|length| *length < rest.len()) {
        return Some((length, Before::Other));
    }
    if ends_line {
        return None;
    }
    let next = rest[token.len()..].trim_start();
    let word = token.trim_matches(|c: char| matches!(c, ':' | ',' | '|' | '='));
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let begins_with_number = next.starts_with(|c: char| c.is_ascii_digit());
    // Else it is the first word of a sentence: `fatal exception while booting`.
    let stands_alone = word.bytes().all(|byte| byte.is_ascii_uppercase())
        || token.len() > word.len()
        || rest[token.len()..].starts_with('\t');
    let is_name = TIMES.contains(&word.trim_end_matches('.'));
    let is_of_time = is_time(word)
        || is_process(token, next)
        || is_date(word, next)
        || (is_name && (begins_with_number || before == Before::Time))
        || (is_number && (before == Before::Time || (has_begun && is_name_of_month(next))));
    // A column of zap: the name of its logger.
    let ends_in_tab = rest[token.len()..].starts_with('\t');
    let is_of_level = is_level(word) && stands_alone && (has_begun || is_of_logger(next));
    let kind = match (is_of_time, is_of_level) {
        (true, _) => Before::Time,
        (false, true) => Before::Other,
        (false, false)
            if has_begun && (is_separator(token) || is_logger(token, next) || ends_in_tab) =>
        {
            Before::Other
        }
        (false, false) => return None,
    };
    Some((token.len(), kind))
}

/// Returns the length of a short group in brackets at the beginning, with the colon after it: `[main]`, `<0.254.0>:`. A
/// group with a text, such as `["cannot join"]`, belongs to the message.
fn bracketed(rest: &str, has_begun: bool) -> Option<usize> {
    const LONGEST: usize = 60;
    let close = match rest.chars().next()? {
        '[' => ']',
        '<' => '>',
        '(' if has_begun => ')',
        _ => return None,
    };
    let end = rest.find(close).filter(|end| *end <= LONGEST)?;
    let inner = &rest[1..end];
    // Only a process in angle brackets, as Erlang writes it.
    let is_process = inner
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if (close == '>' && !is_process) || inner.starts_with('"') {
        return None;
    }
    let after = &rest[end + 1..];
    Some(end + 1 + after.len() - after.trim_start_matches(':').len())
}

/// Reports whether a word is a time, a date, a time zone or an offset: `2026-11-27T03:57:18.355Z`, `+0000`, `E1127`.
fn is_time(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let separators = word.matches(['-', '/', ':']).count();
    let is_of_time =
        |c: char| c.is_ascii_digit() || matches!(c, '-' | '/' | ':' | '.' | ',' | 'T' | 'Z' | '+');
    let is_offset =
        word.starts_with(['+', '-']) && digits >= 4 && digits + 1 + separators >= word.len();
    let is_clock = word.starts_with(|c: char| c.is_ascii_digit())
        && digits >= 4
        && separators >= 2
        && word.chars().all(is_of_time);
    // `2026.11.27`, as SonarQube and ClickHouse write it.
    let is_dotted_date =
        word.len() == 10 && digits == 8 && word.split('.').map(str::len).eq([4, 2, 2]);
    let is_half_day = word.ends_with("AM") || word.ends_with("PM");
    let is_clock_of_half_day =
        is_half_day && word.contains(':') && word[..word.len() - 2].chars().all(is_of_time);
    let is_epoch = digits >= 10
        && word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    // klog: a letter for the level, month and day.
    let is_klog = word.len() == 5 && word.starts_with(['I', 'W', 'E', 'F']) && digits == 4;
    let is_of_day = is_clock || is_clock_of_half_day || is_dotted_date;
    is_of_day || is_epoch || is_klog || is_offset
}

/// Reports whether a word is a month and a day before a time: `11-27 03:57:02`.
fn is_date(word: &str, next: &str) -> bool {
    let digits = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = word.split_once(['-', '/']);
    let is_date = parts.is_some_and(|(month, day)| digits(month) && digits(day));
    is_date && next.split_whitespace().next().is_some_and(is_time)
}

/// Reports whether a logger wrote what follows a level: a group in brackets, or a time.
fn is_of_logger(next: &str) -> bool {
    let mut tokens = next.split_whitespace();
    let token = tokens.next().unwrap_or_default();
    token.starts_with('[') || is_time(token) || is_date(token, tokens.next().unwrap_or_default())
}

/// Reports whether a word is Redis' process and role before a date: `1:M 27 Nov 2026`.
fn is_process(token: &str, next: &str) -> bool {
    let is_of_number = |c: char| c.is_ascii_digit() || c == ':';
    let role = token.rsplit_once(':').filter(|(process, role)| {
        process.chars().all(is_of_number) && matches!(*role, "M" | "S" | "C" | "X")
    });
    role.is_some() && next.starts_with(|c: char| c.is_ascii_digit())
}

fn is_name_of_month(next: &str) -> bool {
    next.split_whitespace()
        .next()
        .is_some_and(|word| TIMES[..12].contains(&word))
}

fn is_level(word: &str) -> bool {
    LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level))
}

fn is_separator(token: &str) -> bool {
    let is_mark = |byte| matches!(byte, b'-' | b'|' | b':' | b'#' | b'>' | b'*' | b'=');
    is_letter_of_level(token) || token.bytes().all(is_mark)
}

/// Reports whether a token is a level as Tarantool writes it, or Telegraf: `F>`, `E!`.
fn is_letter_of_level(token: &str) -> bool {
    matches!(
        token,
        "F>" | "!>" | "E>" | "C>" | "W>" | "I>" | "V>" | "D>" | "E!" | "W!" | "I!" | "D!"
    )
}

/// Reports whether a token is the class or the file that logs: `o.e.n.Node:`, `main.go:12]`, `CassandraDaemon.java:911 -`.
fn is_logger(token: &str, next: &str) -> bool {
    let name = token.trim_end_matches([':', ']']);
    let line = name.rsplit_once(':').map_or("", |(_, line)| line);
    let has_line = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = name.contains('.')
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !is_exception(name)
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '-' | '/' | ':'));
    let mark = next.split_whitespace().next().unwrap_or_default();
    let ends = token.len() > name.len() || matches!(mark, "-" | ":") || is_letter_of_level(mark);
    is_name && (has_line || ends)
}

fn is_exception(class: &str) -> bool {
    ["Exception", "Error", "Throwable", "Failure"]
        .iter()
        .any(|end| class.ends_with(end))
}

/// Returns a line from its last exception on, which has the reason: others wrap it, or a sentence announces it.
fn last_exception(line: &str) -> &str {
    const SHORTEST: usize = 12;
    let ends = line.match_indices(": ").map(|(at, _)| at);
    let starts = ends.filter_map(|end| {
        let start = line[..end].rfind(' ').map_or(0, |at| at + 1);
        let class = &line[start..end];
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
        let is_class = class.matches('.').count() > 1 && class.chars().all(is_name);
        let tells = line.len() - end > SHORTEST;
        (is_class && is_exception(class) && tells).then_some(start)
    });
    starts.last().map_or(line, |start| &line[start..])
}

/// Returns the text of a group as TiKV and TiDB write it, unless an error follows: `["cannot join"] [thread_id=1]`.
fn without_quotes(line: &str) -> &str {
    let Some(inner) = line.strip_prefix("[\"") else {
        return line;
    };
    let end = inner
        .find("\"]")
        .filter(|end| !inner[*end..].contains("[err"));
    &inner[..end.unwrap_or(inner.len())]
}

/// Returns a line without the package of the exception that it begins with.
fn without_package(line: &str) -> &str {
    let Some((class, _)) = line.split_once(':') else {
        return line;
    };
    let is_class = is_exception(class)
        && class
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$'));
    let package = class.rfind('.').filter(|_| is_class);
    package.map_or(line, |at| &line[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_stands_without_what_loggers_write() {
        for (line, wanted) in [
            (
                "2026-11-27 03:57:30,415 FATAL [regionserver/hbase-rs-3:16020] regionserver.HRegionServer: Master \
                 rejected startup because clock is out of sync",
                "Master rejected startup because clock is out of sync",
            ),
            (
                "[2026-11-27T03:57:20,123][ERROR][o.e.b.Elasticsearch] [es-0] fatal exception while booting",
                "fatal exception while booting",
            ),
            (
                "ERROR [main] 2026-11-27 03:57:20,123 CassandraDaemon.java:911 - Exception encountered during startup",
                "Exception encountered during startup",
            ),
            (
                "Caused by: java.lang.RuntimeException: Journal j has not been formatted!",
                "RuntimeException: Journal j has not been formatted!",
            ),
            (
                "org.x.WrapException: start failed, caused by: com.sleepycat.je.EnvironmentFailureException: clock delta: 28 s",
                "EnvironmentFailureException: clock delta: 28 s",
            ),
            (
                "Exception (java.lang.RuntimeException) encountered during startup: a node is down",
                "a node is down",
            ),
            (
                "Exception in thread \"main\" java.net.UnknownHostException: zk-0",
                "UnknownHostException: zk-0",
            ),
            (
                "org.springframework.beans.factory.BeanCreationException: Error creating bean; nested exception is \
                 java.lang.IllegalStateException: No DataSource set",
                "IllegalStateException: No DataSource set",
            ),
            (
                "2026-11-27 03:57:20.123 UTC [1] FATAL:  password authentication failed for user \"app\"",
                "password authentication failed for user \"app\"",
            ),
            (
                "1:M 27 Nov 2026 03:57:20.123 # Fatal error loading the DB: Permission denied",
                "Fatal error loading the DB: Permission denied",
            ),
            (
                "1:19:S 27 Nov 2026 03:57:20.123 # Bad file format",
                "Bad file format",
            ),
            (
                "2026-11-27T03:57:20.123456Z 0 [ERROR] [MY-012592] [InnoDB] Operating system error number 13",
                "Operating system error number 13",
            ),
            (
                "E1127 03:57:20.123456       1 main.go:12] failed to start: no route",
                "failed to start: no route",
            ),
            (
                "2026-11-27T03:57:18.355Z\tFATAL\tserver/main.go:12\tcannot open the store",
                "cannot open the store",
            ),
            (
                "2026-11-27 03:57:20 +0000 [error]: config error file=\"/fluentd/etc/fluent.conf\"",
                "config error file=\"/fluentd/etc/fluent.conf\"",
            ),
            (
                "2026-11-27T03:57:18Z\tERROR\tsetup\tunable to start",
                "unable to start",
            ),
            ("Nov 27 03:57:20.000 [err] cannot listen", "cannot listen"),
            (
                "[2026/11/27 03:57:20.402 +00:00] [FATAL] [setup.rs:308] [\"no raftdb\"] [thread_id=1]",
                "no raftdb",
            ),
            (
                "2026.11.27 03:57:20.3 [ 1 ] {} <Error> Application: Code: 115. DB::Exception: no such setting, Stack trace (when copying this message):",
                "no such setting",
            ),
            (
                "ERROR 11-27 03:57:02 [core.py:396] ValueError: the context is too long",
                "ValueError: the context is too long",
            ),
            (
                "2026-11-27 03:58:01.418 [1] main/103/init.lua F> can't initialize storage",
                "can't initialize storage",
            ),
            ("3:57AM ERR the height is unknown", "the height is unknown"),
            (
                "2026-11-27T03:57:24Z E! the plugin is unknown",
                "the plugin is unknown",
            ),
            (
                "Component 'x' failed to start. Please see the attached cause exception \"The store is old\".",
                "The store is old\".",
            ),
            (
                "[EROR] [11-27|03:55:38.995] Could not connect to DB",
                "Could not connect to DB",
            ),
            (
                "2026-11-27 03:57:20 +0000 [error] <0.254.0> Feature flags: refused",
                "Feature flags: refused",
            ),
        ] {
            assert_eq!(message(line), wanted, "{line}");
        }
    }

    #[test]
    fn a_message_loses_nothing() {
        for line in [
            "",
            "FATAL: the database system is starting up",
            "Error: cannot open /data/db: permission denied",
            "May not run as root",
            "10.0.0.1:5432 refuses connections",
            "1.2.3 is older than the data",
            "java.lang.OutOfMemoryError",
            "[main]",
            "2026-11-27 03:57:20",
            "config.yaml: line 3: unknown key",
            "panic: UPGRADE \"v22.0.0\" NEEDED at height: 24214000:",
            "Ünïcödé: ✗ fehlgeschlagen",
        ] {
            assert_eq!(message(line), line, "{line}");
        }
    }
}
