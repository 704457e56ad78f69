//! Address of a service in the message of a process.

/// Words before a colon and a number that are no hosts, such as `line:12`.
const NO_HOSTS: [&str; 14] = [
    "code", "column", "epoch", "errno", "error", "exit", "line", "lineno", "pid", "port",
    "process", "status", "thread", "tid",
];

/// Ends of the names of source and configuration files: `main.go:23` is no address.
const FILES: [&str; 29] = [
    "c", "cc", "clj", "conf", "cpp", "cs", "cxx", "erl", "ex", "exs", "go", "h", "hpp", "ini",
    "java", "js", "json", "kt", "lua", "php", "pl", "py", "rb", "rs", "scala", "sh", "toml", "ts",
    "yaml",
];

/// Returns the first address that a message names, with the port if it has one, and without the user of a URL:
/// `https://host/path`, `host:port`, an IP address, `host=name`, or `host port 443`.
pub(crate) fn address_in(message: &str) -> Option<&str> {
    let is_end = |c: char| c.is_whitespace() || "\"'`,;(){}<>|\\".contains(c);
    let mut words = message.split(is_end).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let mut next = words.clone();
        let has_port = next.next() == Some("port") && next.next().is_some_and(is_port);
        let of_pair = Some(word).filter(|word| has_port && is_name(word));
        if let Some(address) = of_word(word).or(of_pair) {
            return Some(address);
        }
    }
    None
}

/// Returns the address in a word of a message.
fn of_word(word: &str) -> Option<&str> {
    if let Some((_, rest)) = word.split_once("://") {
        let authority = rest.split(['/', '?', '#', ']']).next()?;
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let host = host.trim_end_matches([':', '.']);
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
        return (!host.is_empty() && host.chars().all(is_host)).then_some(host);
    }
    let named = word.split_once("host=").map(|(_, host)| host);
    let word = named.unwrap_or(word);
    // `tcp/10.0.0.4:9042`, `db/10.0.0.4:5432` as Java writes a resolved name, `@db:5432`, `[10.0.0.4:2379]`.
    let word = word.rsplit(['/', '@', '[', '=']).next()?;
    let word = word.trim_end_matches(['.', ':', ']', '!', '?']);
    let (host, port) = match word.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (word, None),
    };
    let is_address = match port {
        None => is_ipv4(host) || named.is_some() && is_name(host),
        Some(port) => is_port(port) && (is_ipv4(host) || is_name(host) && !is_place(host)),
    };
    is_address.then_some(word)
}

/// Reports whether a text is an IPv4 address.
pub(crate) fn is_ipv4(text: &str) -> bool {
    let is_octet = |part: &str| part.parse::<u8>().is_ok();
    text.split('.').count() == 4 && text.split('.').all(is_octet)
}

/// Reports whether a text can be the name of a host.
fn is_name(text: &str) -> bool {
    let is_label = |label: &str| {
        let inner = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        label.starts_with(|c: char| c.is_ascii_alphanumeric()) && label.chars().all(inner)
    };
    let has_letter = text.contains(|c: char| c.is_ascii_lowercase());
    let is_class = text.contains(|c: char| c.is_ascii_uppercase());
    has_letter && !is_class && text.split('.').all(is_label)
}

/// Reports whether a text is a port that a service listens on: two to five digits.
fn is_port(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    is_plain && text.len() >= 2 && text.parse::<u16>().is_ok()
}

/// Reports whether the text before a number names a place in a file, or a word of a log.
fn is_place(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let end = text.rsplit('.').next().unwrap_or_default();
    NO_HOSTS.contains(&&*text) || text.contains('.') && FILES.contains(&end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_address_of_a_service() {
        for (message, address) in [
            (
                "dial tcp 10.96.14.2:5432: connect: connection refused",
                Some("10.96.14.2:5432"),
            ),
            (
                "DB::NetException: Connection refused (keeper-0.keeper:9181)",
                Some("keeper-0.keeper:9181"),
            ),
            (
                "failed to connect to ZooKeeper. nodes: 10.0.0.1:2181",
                Some("10.0.0.1:2181"),
            ),
            (
                "Connection to db.shop.svc:5432 refused. Check that",
                Some("db.shop.svc:5432"),
            ),
            (
                "couldn't connect to 'https://huggingface.co' to load",
                Some("huggingface.co"),
            ),
            (
                "Get \"https://user:secret@reg.corp.example/v2/\": EOF",
                Some("reg.corp.example"),
            ),
            (
                "postgres://app:pw@pg-rw.shop:5432/app: timeout",
                Some("pg-rw.shop:5432"),
            ),
            (
                "Connection refused: mysql/10.1.2.3:3306",
                Some("10.1.2.3:3306"),
            ),
            (
                "remote host (10.0.0.1): Connection refused",
                Some("10.0.0.1"),
            ),
            ("connection failed: host=pg-rw port=5432", Some("pg-rw")),
            (
                "MongoNetworkError: connect ECONNREFUSED 10.0.3.4:27017",
                Some("10.0.3.4:27017"),
            ),
            ("redis:6379: connection refused", Some("redis:6379")),
            (
                "endpoints [http://etcd-0.etcd:2379] are unhealthy",
                Some("etcd-0.etcd:2379"),
            ),
            (
                "Failed to connect to hooks.example.com port 443 after 30000 ms",
                Some("hooks.example.com"),
            ),
            ("main.go:23: connection refused at 03:57:12", None),
            ("error:14094410 on line:12, exit:137", None),
            ("Connection refused", None),
            ("version 1.2.3, image app:1.2", None),
            ("host=$(reboot)", None),
            ("o.e.t.TransportService:87 failed", None),
        ] {
            assert_eq!(address_in(message), address, "{message}");
        }
    }
}
