//! Connections through proxies.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::{io, thread};

use serde_json::{Value, json};

use super::authority::Authority;
use super::server::{Server, folder};
use super::{FIXTURE, Ran, assert_error, base64, finish, kubeconfig, program};

/// A proxy that forwards every connection to one address, and records the requested ones.
struct Proxy {
    address: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn new(kind: fn(&mut TcpStream) -> io::Result<String>, to: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let (record, to) = (Arc::clone(&seen), to.url.replace("https://", ""));
        thread::spawn(move || {
            for mut client in listener.incoming().flatten() {
                let (record, to) = (Arc::clone(&record), to.clone());
                thread::spawn(move || {
                    let Ok(wanted) = kind(&mut client) else {
                        return;
                    };
                    record.lock().unwrap().push(wanted);
                    let server = TcpStream::connect(to).unwrap();
                    let (mut up, mut down) = (
                        (client.try_clone().unwrap(), server.try_clone().unwrap()),
                        (server, client),
                    );
                    thread::spawn(move || io::copy(&mut up.0, &mut up.1));
                    let _ = io::copy(&mut down.0, &mut down.1);
                });
            }
        });
        Proxy { address, seen }
    }

    /// Returns the requests since the last call, each once.
    fn seen(&self) -> Vec<String> {
        let mut seen = std::mem::take(&mut *self.seen.lock().unwrap());
        seen.sort();
        seen.dedup();
        seen
    }
}

/// `CONNECT host:port`, with the client's credentials.
fn http(client: &mut TcpStream) -> io::Result<String> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut wanted = String::new();
    reader.read_line(&mut wanted)?;
    let mut wanted = wanted.trim_end_matches(" HTTP/1.1\r\n").to_owned();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? <= 2 {
            break;
        }
        if let Some(who) = line.to_lowercase().strip_prefix("proxy-authorization: ") {
            wanted = format!("{wanted} as {}", line[line.len() - who.len()..].trim());
        }
    }
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    Ok(wanted)
}

/// SOCKS 5 without a password, by name or address.
fn socks(client: &mut TcpStream) -> io::Result<String> {
    let mut head = [0; 2];
    client.read_exact(&mut head)?;
    client.read_exact(&mut vec![0; head[1].into()])?;
    client.write_all(&[5, 0])?;
    let mut head = [0; 4];
    client.read_exact(&mut head)?;
    let mut name = match head[3] {
        1 => vec![0; 4],
        _ => {
            let mut length = [0];
            client.read_exact(&mut length)?;
            vec![0; length[0].into()]
        }
    };
    client.read_exact(&mut name)?;
    let mut port = [0; 2];
    client.read_exact(&mut port)?;
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    let name = match head[3] {
        1 => name.iter().map(u8::to_string).collect::<Vec<_>>().join("."),
        _ => String::from_utf8(name).unwrap(),
    };
    Ok(format!("{name}:{}", u16::from_be_bytes(port)))
}

#[test]
fn the_proxy_is_selected_as_by_go() {
    // Only the proxies resolve this name.
    let name = "k8s.example.invalid";
    let authority = Authority::new();
    let server = Server::secure(FIXTURE, authority.server(&[name, "127.0.0.1"]));
    let folder = folder("proxies");
    let (http, socks) = (Proxy::new(http, &server), Proxy::new(socks, &server));
    let url = |proxy: &Proxy, scheme: &str| format!("{scheme}{}", proxy.address);
    let ask = |address: &str, proxy_url: Option<&str>, environment: &[(&str, &str)]| -> Ran {
        let cluster = json!({"server": address, "proxy-url": proxy_url,
            "certificate-authority-data": base64(authority.certificate.as_bytes())});
        let mut command = program(&kubeconfig(&folder, &cluster, &Value::Null));
        command.envs(environment.iter().copied());
        finish(command)
    };
    let far = format!("https://{name}:6443");
    let near = server.url.as_str();
    let wanted = format!("CONNECT {name}:6443");
    let through = |ran: Ran, proxy: &Proxy, seen: &[&str]| {
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(proxy.seen(), seen);
    };
    let (http_url, socks_url) = (url(&http, "http://"), url(&socks, "socks5://"));
    // The kubeconfig's own proxy, regardless of the environment.
    through(
        ask(&far, Some(&http_url), &[("NO_PROXY", "*")]),
        &http,
        &[&wanted],
    );
    through(ask(&far, Some(&socks_url), &[]), &socks, &[&wanted[8..]]);
    through(
        ask(&far, Some(&url(&socks, "socks5h://")), &[]),
        &socks,
        &[&wanted[8..]],
    );
    let secret = url(&http, "http://me:pa%40ss@");
    let as_me = format!("{wanted} as Basic {}", base64(b"me:pa@ss"));
    through(ask(&far, Some(&secret), &[]), &http, &[&as_me]);
    let port = near.rsplit(':').next().unwrap();
    through(
        ask(near, Some(&http_url), &[]),
        &http,
        &[&format!("CONNECT 127.0.0.1:{port}")],
    );
    // The flag's proxy, regardless of kubeconfig and environment.
    let cluster = json!({"server": far, "proxy-url": "http://nowhere.invalid:1",
        "certificate-authority-data": base64(authority.certificate.as_bytes())});
    let mut command = program(&kubeconfig(&folder, &cluster, &Value::Null));
    command.args(["--proxy-url", &socks_url]);
    command.env("HTTPS_PROXY", &http_url);
    through(finish(command), &socks, &[&wanted[8..]]);
    let mut command = program(&kubeconfig(&folder, &cluster, &Value::Null));
    command.args(["--proxy-url", "ftp://proxy"]);
    assert_error(
        &finish(command),
        &["--proxy-url has an unsupported proxy scheme"],
    );
    // The environment's proxy, in every spelling.
    for variable in ["HTTPS_PROXY", "https_proxy"] {
        for proxy in [&http_url, &http.address] {
            through(ask(&far, None, &[(variable, proxy)]), &http, &[&wanted]);
        }
    }
    through(
        ask(&far, Some(""), &[("HTTPS_PROXY", &socks_url)]),
        &socks,
        &[&wanted[8..]],
    );
    through(
        ask(
            &far,
            None,
            &[
                ("HTTPS_PROXY", &http_url),
                ("NO_PROXY", "other.example.invalid,"),
            ],
        ),
        &http,
        &[&wanted],
    );
    // A local server needs no proxy, and neither does an excepted one.
    through(ask(near, None, &[("HTTPS_PROXY", &http_url)]), &http, &[]);
    through(ask(near, None, &[("HTTP_PROXY", &http_url)]), &http, &[]);
    for variable in ["NO_PROXY", "no_proxy"] {
        let excepted = ask(
            &far,
            None,
            &[("HTTPS_PROXY", &http_url), (variable, "example.invalid")],
        );
        assert_error(&excepted, &["cannot resolve the host name"]);
        assert_eq!(http.seen(), Vec::<String>::new());
    }
    // Other proxy schemes are unsupported.
    assert_error(
        &ask(&far, Some("ftp://me:hunter2@proxy"), &[]),
        &[
            "the kubeconfig's proxy-url has an unsupported proxy scheme: use the form http://HOST:PORT",
        ],
    );
    let ran = ask(&far, None, &[("HTTPS_PROXY", "http://me:hunter2@ proxy")]);
    assert_error(&ran, &["HTTPS_PROXY is not a valid proxy address"]);
    assert!(!ran.err.contains("hunter2"));
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let ran = ask(&far, Some(&format!("http://me:hunter2@{closed}")), &[]);
    assert_error(
        &ran,
        &[
            "cannot reach the API server",
            &format!("through the proxy {closed}"),
        ],
    );
    assert!(!ran.err.contains("hunter2"));
}
