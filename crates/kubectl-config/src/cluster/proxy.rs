//! Selection of the proxy for a server, by the rules of Go and thus of kubectl.

use std::net::IpAddr;

use http::Uri;

use super::error::ConfigError;

/// Proxies in the environment.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    /// `HTTPS_PROXY`, for servers with TLS.
    pub https: Option<String>,
    /// `HTTP_PROXY`, for servers without.
    pub http: Option<String>,
    /// `NO_PROXY`, for servers that are reached directly.
    pub no: Option<String>,
}

/// Returns the proxy for a server. A proxy in a flag or the kubeconfig takes precedence, whatever the environment
/// has. Otherwise it is that of the environment, unless the server is excepted or local.
pub(super) fn proxy(
    server: &Uri,
    of_cluster: Option<(&str, &str)>,
    environment: &Proxies,
) -> Result<Option<Uri>, ConfigError> {
    if let Some((url, place)) = of_cluster.filter(|(url, _)| !url.is_empty()) {
        return address(url, place).map(Some);
    }
    let tls = server.scheme_str() == Some("https");
    let (name, url) = match tls {
        true => ("HTTPS_PROXY", &environment.https),
        false => ("HTTP_PROXY", &environment.http),
    };
    let Some(url) = url.as_deref().filter(|url| !url.is_empty()) else {
        return Ok(None);
    };
    let host = server.host().unwrap_or_default();
    let port = server.port_u16().unwrap_or(if tls { 443 } else { 80 });
    if is_direct(host, port, environment.no.as_deref().unwrap_or_default()) {
        return Ok(None);
    }
    address(url, name).map(Some)
}

/// The address is not quoted: it may have a password.
fn address(url: &str, place: &str) -> Result<Uri, ConfigError> {
    let wrong = |why: &str| {
        ConfigError::Access(format!(
            "{place} {why}: use the form http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT"
        ))
    };
    let url = match url.split_once("://") {
        // The proxy resolves names in both cases.
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("socks5h") => {
            format!("socks5://{rest}")
        }
        Some(_) => url.to_owned(),
        None => format!("http://{url}"),
    };
    let uri: Uri = url
        .parse()
        .map_err(|_| wrong("is not a valid proxy address"))?;
    if uri.host().unwrap_or_default().is_empty() {
        return Err(wrong("is not a valid proxy address"));
    }
    match uri.scheme_str() {
        Some("http" | "https" | "socks5") => Ok(uri),
        _ => Err(wrong("has an unsupported proxy scheme")),
    }
}

/// Reports whether `NO_PROXY` excepts the server, or it is local.
fn is_direct(host: &str, port: u16, exceptions: &str) -> bool {
    let host = host
        .trim_start_matches('[')
        .trim_end_matches([']', '.'])
        .to_ascii_lowercase();
    let ip: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || ip.is_some_and(|ip| ip.is_loopback()) {
        return true;
    }
    exceptions.split(',').any(|exception| {
        let exception = exception.trim().to_ascii_lowercase();
        match exception.as_str() {
            "" => false,
            "*" => true,
            exception => excepts(exception, &host, ip, port),
        }
    })
}

/// Reports whether an entry of `NO_PROXY` matches this host.
fn excepts(exception: &str, host: &str, ip: Option<IpAddr>, port: u16) -> bool {
    if let Some((net, bits)) = exception.split_once('/') {
        let (Ok(net), Ok(bits), Some(ip)) = (net.parse(), bits.parse(), ip) else {
            return false;
        };
        return is_within(ip, net, bits);
    }
    if let Ok(excepted) = exception.trim_matches(['[', ']']).parse::<IpAddr>() {
        return ip == Some(excepted);
    }
    let (name, of_port) = match exception.rsplit_once(':') {
        Some((name, digits)) => match digits.parse::<u16>() {
            Ok(of_port) => (name, Some(of_port)),
            Err(_) => return false,
        },
        None => (exception, None),
    };
    if of_port.is_some_and(|of_port| of_port != port) {
        return false;
    }
    if let Ok(excepted) = name.trim_matches(['[', ']']).parse::<IpAddr>() {
        return ip == Some(excepted);
    }
    // With a leading dot or `*.`, a name matches subdomains; without, also itself.
    let below = name.strip_prefix('*').unwrap_or(name);
    match below.strip_prefix('.') {
        Some(_) => host.ends_with(below),
        None => {
            host == below
                || host
                    .strip_suffix(below)
                    .is_some_and(|before| before.ends_with('.'))
        }
    }
}

/// Reports whether an address is in a subnet.
fn is_within(ip: IpAddr, net: IpAddr, bits: u32) -> bool {
    match (ip, net) {
        (IpAddr::V4(ip), IpAddr::V4(net)) if bits <= 32 => {
            let other = ip.to_bits() ^ net.to_bits();
            other.checked_shr(32 - bits).unwrap_or(0) == 0
        }
        (IpAddr::V6(ip), IpAddr::V6(net)) if bits <= 128 => {
            let other = ip.to_bits() ^ net.to_bits();
            other.checked_shr(128 - bits).unwrap_or(0) == 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(server: &str, no: &str) -> Option<String> {
        let environment = Proxies {
            https: Some("proxy:3128".to_owned()),
            http: None,
            no: Some(no.to_owned()),
        };
        let server: Uri = server.parse().unwrap();
        let proxy = proxy(&server, None, &environment).unwrap();
        proxy.map(|proxy| proxy.to_string())
    }

    #[test]
    fn no_proxy_is_read_as_go_reads_it() {
        for (server, no, direct) in [
            ("https://k8s.example.com:6443", "", false),
            ("https://k8s.example.com:6443", "*", true),
            ("https://k8s.example.com:6443", "example.com", true),
            ("https://k8s.example.com:6443", " Example.COM , x,", true),
            ("https://k8s.example.com:6443", ".example.com", true),
            ("https://k8s.example.com:6443", "*.example.com", true),
            ("https://example.com:6443", ".example.com", false),
            ("https://example.com:6443", "*.example.com", false),
            ("https://example.com", "example.com:443", true),
            ("https://example.com:6443", "example.com:443", false),
            ("https://myexample.com", "example.com", false),
            ("https://10.1.2.3:6443", "10.0.0.0/8", true),
            ("https://10.1.2.3:6443", "0.0.0.0/0", true),
            ("https://10.1.2.3:6443", "10.1.2.3", true),
            ("https://10.1.2.3:6443", "10.1.2.3:6443", true),
            ("https://10.1.2.3:6443", "10.1.2.3:443", false),
            ("https://11.1.2.3:6443", "10.0.0.0/8,fd00::/8", false),
            ("https://[fd00::1]:6443", "10.0.0.0/8,fd00::/8", true),
            ("https://[fd00::1]:6443", "[fd00::1]", true),
            ("https://10.1.2.3", "10.0.0.0/99,10/x,:,::::", false),
            ("https://localhost:6443", "", true),
            ("https://127.0.0.2", "", true),
            ("https://[::1]", "", true),
        ] {
            let expected = (!direct).then_some("http://proxy:3128/".to_owned());
            assert_eq!(through(server, no), expected, "{server} {no:?}");
        }
        assert_eq!(through("http://k8s.example.com", ""), None);
    }

    #[test]
    fn errors_do_not_show_the_password() {
        let server: Uri = "https://k8s".parse().unwrap();
        for url in ["ftp://u:hunter2@p", "http://", "http://u:hunter2@ p"] {
            let error = proxy(
                &server,
                Some((url, "the kubeconfig's proxy-url")),
                &Proxies::default(),
            )
            .unwrap_err();
            let error = error.to_string();
            assert!(error.starts_with("the kubeconfig's proxy-url "), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        let socks = proxy(
            &server,
            Some(("socks5h://p:1080", "--proxy-url")),
            &Proxies::default(),
        );
        assert_eq!(socks.unwrap().unwrap().to_string(), "socks5://p:1080/");
    }
}
