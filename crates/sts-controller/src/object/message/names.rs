//! Names of credentials.
//!
//! The names follow the key words of gitleaks' generic rule (config/gitleaks.toml at b58d3f102cf3, 2026-07-22, MIT)
//! and the variables, parameters and headers of the databases, brokers and clouds whose images run in StatefulSets.

/// Suffixes of names, in lower case, without dashes, underscores, dots and final digits.
const SUFFIXES: [&str; 25] = [
    "accesskey",
    "accountkey",
    "apikey",
    "appkey",
    "authkey",
    "credential",
    "credentials",
    "encryptionkey",
    "hmackey",
    "licensekey",
    "masterkey",
    "pass",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "sharedkey",
    "signingkey",
    "sshkey",
    "storagekey",
    "token",
];
/// Whole names in the same form.
const WHOLE: [&str; 15] = [
    "auth",
    "authstring",
    "bindpw",
    "githubpat",
    "jsessionid",
    "jwt",
    "masterauth",
    "phpsessid",
    "pw",
    "rediscliauth",
    "requirepass",
    "rootpw",
    "sessionid",
    "sessionkey",
    "userpw",
];
/// Names that a space alone separates from their value.
const SPACED: [&str; 6] = [
    "awssecretaccesskey",
    "awssessiontoken",
    "identified by",
    "masterauth",
    "requirepass",
    "rootpw",
];
/// Query parameters of signed URLs. The value after an equal sign is a credential; elsewhere the name is a plain word.
const PARAMETERS: [&str; 4] = ["signature", "amzcredential", "googcredential", "sastoken"];
/// A parameter of that kind that is also a suffix of other words.
const SHARED_ACCESS: &str = "sig";
/// Programs with flags for credentials.
pub(super) const PROGRAMS: [Program; 9] = [
    Program::new(
        &["curl"],
        &["-u", "--user", "-U", "--proxy-user"],
        Value::AfterColon,
    ),
    Program::new(&["redis-cli", "valkey-cli"], &["-a", "--pass"], Value::Word),
    Program::new(&["sshpass"], &["-p"], Value::Attached),
    Program::new(
        &[
            "mysql",
            "mysqladmin",
            "mysqldump",
            "mysqlsh",
            "mariadb",
            "mariadb-dump",
        ],
        &["-p"],
        Value::AttachedOnly,
    ),
    Program::new(
        &["mongo", "mongosh", "mongodump", "mongorestore"],
        &["-p"],
        Value::Word,
    ),
    Program::new(&["rabbitmqadmin"], &["-p"], Value::Word),
    Program::new(
        &["ldapsearch", "ldapadd", "ldapmodify"],
        &["-w"],
        Value::Word,
    ),
    Program::new(&["login"], &["-p"], Value::Word),
    Program::new(&["cqlsh", "sqlcmd", "isql"], &["-p", "-P"], Value::Word),
];

/// A program with flags for credentials.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    pub(super) flags: &'static [&'static str],
    pub(super) value: Value,
}

/// Place of the value of a flag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// The next word.
    Word,
    /// The part of the next word after a colon.
    AfterColon,
    /// The rest of the word, or the next word.
    Attached,
    /// The rest of the word.
    AttachedOnly,
}

impl Program {
    const fn new(
        names: &'static [&'static str],
        flags: &'static [&'static str],
        value: Value,
    ) -> Self {
        Program {
            names,
            flags,
            value,
        }
    }
}

/// Rule for the value of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The value is a credential.
    Credential,
    /// The value is a credential after an equal sign.
    Parameter,
    /// A header that has a scheme and a credential.
    Authorization,
    /// A header that has pairs.
    Cookie,
}

/// Returns the rule for a name.
pub(super) fn rule(name: &str) -> Option<Rule> {
    let plain = plain(name);
    let ends_with = |ends: &[&str]| ends.iter().any(|end| plain.ends_with(end));
    match &*plain {
        "cookie" | "setcookie" => Some(Rule::Cookie),
        _ if plain.ends_with("authorization") => Some(Rule::Authorization),
        SHARED_ACCESS => Some(Rule::Parameter),
        _ if ends_with(&PARAMETERS) => Some(Rule::Parameter),
        _ if ends_with(&SUFFIXES) || WHOLE.contains(&&*plain) => Some(Rule::Credential),
        _ => None,
    }
}

/// Reports whether a space alone may separate the name, or the last two words, from their value.
pub(super) fn is_spaced(name: &str, before: &str) -> bool {
    const BY: &str = "identified ";
    let plain = plain(name);
    let start = before.len().saturating_sub(BY.len());
    let is_by = plain == "by"
        && before
            .get(start..)
            .is_some_and(|words| words.eq_ignore_ascii_case(BY));
    is_by || SPACED.contains(&&*plain)
}

/// Reports whether a name is that of a password, which SQL separates from a quoted value by a space.
pub(super) fn is_password(name: &str) -> bool {
    ["password", "passwd", "passphrase"].contains(&&*plain(name))
}

fn plain(name: &str) -> String {
    let mut plain = name.to_ascii_lowercase();
    plain.retain(|c| !matches!(c, '-' | '_' | '.'));
    plain.truncate(plain.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    plain
}
