//! Command line for saved plans, without secrets.

use std::ffi::OsString;

/// Flags whose value is a secret or may contain a password.
const SECRET: [&str; 4] = ["--token", "--password", "--proxy-url", "--server"];
/// Short form of `--server`.
const SHORT: &str = "-s";

/// Returns the words of the command line, with `***` for each secret.
pub(super) fn command_line(words: &[OsString]) -> Vec<String> {
    let mut out = Vec::new();
    let mut is_secret = false;
    for word in words {
        let word = word.to_string_lossy();
        if std::mem::take(&mut is_secret) {
            out.push("***".to_owned());
            continue;
        }
        is_secret = word == SHORT || SECRET.contains(&&*word);
        let parts = word.split_once('=');
        let hidden = parts.filter(|(flag, _)| SECRET.contains(flag));
        out.push(match hidden {
            Some((flag, _)) => format!("{flag}=***"),
            None if word.starts_with(SHORT) && word.len() > 2 => format!("{SHORT}***"),
            None => word.into_owned(),
        });
    }
    // Omit the directory of the program.
    if let Some(program) = out.first_mut() {
        let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
        *program = name.to_owned();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_omitted() {
        let words = "/bin/kubectl-sts_plan web --token abc --token=abc -n prod -shttps://u:p@x -s y --server=z";
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        assert_eq!(
            command_line(&words).join(" "),
            "kubectl-sts_plan web --token *** --token=*** -n prod -s*** -s *** --server=***"
        );
    }
}
