//! Servers behind TLS, and clients with a certificate.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::{fs, thread};

use serde_json::{Value, json};

use super::authority::{Authority, End, Pair, configuration, self_signed};
use super::server::{Answer, Server, folder};
use super::{FIXTURE, assert_error, assert_reads, base64, finish, kubeconfig, program, run};

#[test]
fn a_server_is_known_by_its_certificate() {
    let folder = folder("tls-server");
    let (authority, other) = (Authority::new(), Authority::new());
    let server = Server::secure(FIXTURE, authority.server(&["127.0.0.1", "k8s.example.com"]));
    fs::write(folder.join("ca.crt"), &authority.certificate).unwrap();
    // Several authorities, text between them, and one that does not parse.
    let bundle = format!(
        "# ours\n{}theirs\n{}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        other.certificate, authority.certificate
    );
    fs::write(folder.join("bundle.crt"), &bundle).unwrap();
    fs::write(folder.join("other.crt"), &other.certificate).unwrap();
    let wrapped = base64(authority.certificate.as_bytes())
        .as_bytes()
        .chunks(64)
        .map(|line| format!("{}\n", str::from_utf8(line).unwrap()))
        .collect::<String>();
    for trusting in [
        json!({"certificate-authority": "ca.crt"}),
        json!({"certificate-authority": "bundle.crt"}),
        json!({"certificate-authority-data": base64(authority.certificate.as_bytes())}),
        json!({"certificate-authority-data": wrapped, "certificate-authority": nonexistent!()}),
        json!({"certificate-authority": "ca.crt", "certificate-authority-data": ""}),
        json!({"insecure-skip-tls-verify": true}),
        json!({"certificate-authority": "ca.crt", "tls-server-name": "k8s.example.com"}),
    ] {
        let mut cluster = trusting;
        cluster["server"] = server.url.as_str().into();
        assert_reads(&kubeconfig(&folder, &cluster, &json!({})), "");
    }
    let authority = folder.join("ca.crt").display().to_string();
    let plain = kubeconfig(&folder, &json!({"server": server.url}), &json!({}));
    assert_reads(&plain, &format!("--certificate-authority {authority}"));
    assert_reads(&plain, "--insecure-skip-tls-verify");
    let unknown = "the server's certificate was signed by an unknown authority: name the right one with --certificate-authority";
    assert_error(&run(&plain, ""), &["cannot reach the API server", unknown]);
    let other = folder.join("other.crt").display().to_string();
    assert_error(
        &run(&plain, &format!("--certificate-authority {other}")),
        &[&server.url, unknown],
    );
    let address = server.url.strip_prefix("https://").unwrap();
    let nowhere = Path::new(nonexistent!());
    assert_reads(
        nowhere,
        &format!("-n prod -s https://{address} --certificate-authority {authority}"),
    );
    assert_reads(
        nowhere,
        &format!("-n prod -s https://{address}/ --insecure-skip-tls-verify"),
    );
    // kubectl sends plain HTTP to an address without a scheme, whatever the certificate flags say.
    assert_error(
        &run(
            nowhere,
            &format!("-n prod -s {address} --certificate-authority {authority}"),
        ),
        &[&format!("http://{address}")],
    );
    // A path before the API's path, as with Rancher.
    let seen = server.asked().len();
    assert_error(
        &run(
            nowhere,
            &format!("-n prod -s https://{address}/k8s/c-1/ --certificate-authority {authority}"),
        ),
        &["404"],
    );
    assert!(server.asked()[seen].path.starts_with("/k8s/c-1/"));
    assert_error(
        &run(
            nowhere,
            &format!(
                "-s https://{address} --certificate-authority {authority} --insecure-skip-tls-verify"
            ),
        ),
        &["use only one of them"],
    );
    let both = json!({"server": server.url, "certificate-authority": "ca.crt", "insecure-skip-tls-verify": true});
    let both = kubeconfig(&folder, &both, &json!({}));
    assert_error(&run(&both, ""), &["which kubectl refuses"]);
    assert_reads(&both, &format!("--certificate-authority {authority}"));
    assert_reads(&both, "--insecure-skip-tls-verify");
}

#[test]
fn server_errors_are_one_sentence() {
    let folder = folder("tls-wrong");
    let authority = Authority::new();
    let trust = |server: &Server| {
        let data = base64(authority.certificate.as_bytes());
        let cluster = json!({"server": server.url, "certificate-authority-data": data});
        kubeconfig(&folder, &cluster, &json!({}))
    };
    let expired = Server::secure(
        FIXTURE,
        configuration(&authority.vouch(&["127.0.0.1"], End::Past)),
    );
    assert_error(
        &run(&trust(&expired), ""),
        &[
            "the server's certificate expired on 2021-02-03T00:00:00Z: renew it, or check this machine's clock",
        ],
    );
    let named = Server::secure(FIXTURE, authority.server(&["k8s.example.com", "10.0.0.1"]));
    let config = trust(&named);
    assert_error(
        &run(&config, ""),
        &[
            "the server's certificate is for k8s.example.com, 10.0.0.1, not for 127.0.0.1: use an address it is for, or set --tls-server-name",
        ],
    );
    assert_reads(&config, "--tls-server-name k8s.example.com");
    assert_reads(&config, "--tls-server-name 10.0.0.1");
    assert_error(
        &run(&config, "--tls-server-name other.example.com"),
        &["not for other.example.com"],
    );
    assert_error(
        &run(&config, "--tls-server-name a..b"),
        &["invalid server name: \"a..b\"", "--tls-server-name"],
    );
    let nameless = Server::secure(FIXTURE, authority.server(&[]));
    assert_error(
        &run(&trust(&nameless), ""),
        &["has no names (subjectAltName)"],
    );
    let alone = self_signed(&["127.0.0.1"]);
    let server = Server::secure(FIXTURE, configuration(&alone));
    let cluster = json!({"server": server.url, "certificate-authority-data": base64(alone.certificate.as_bytes())});
    assert_error(
        &run(&kubeconfig(&folder, &cluster, &json!({})), ""),
        &[
            "the server uses the certificate of an authority as its own",
            "| kubectl sts-plan -f -",
        ],
    );
    // Plain HTTP to a TLS port, and the reverse.
    let plain = Server::of_fixture(FIXTURE);
    let as_tls = plain.url.replace("http:", "https:");
    assert_error(
        &run(&config, &format!("-s {as_tls}")),
        &["no TLS on this port: check the port, or use http://"],
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let as_tls = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    assert_error(
        &run(&config, &format!("-s {as_tls}")),
        &["no TLS on this port"],
    );
}

/// A container may have no CA certificates; this matters only if they are needed.
#[test]
fn a_machine_without_authorities_reads_servers_that_need_none() {
    let folder = folder("tls-nobody");
    let authority = Authority::new();
    let secure = Server::secure(FIXTURE, authority.server(&["127.0.0.1"]));
    let open = Server::of_fixture(FIXTURE);
    let ask = |cluster: &Value, args: &str| {
        let mut command = program(&kubeconfig(&folder, cluster, &json!({})));
        command.envs([
            ("SSL_CERT_FILE", nonexistent!()),
            ("SSL_CERT_DIR", nonexistent!()),
        ]);
        command.args(args.split_whitespace());
        finish(command)
    };
    let data = base64(authority.certificate.as_bytes());
    let known = json!({"server": secure.url, "certificate-authority-data": data});
    let unknown = json!({"server": secure.url});
    for ran in [
        ask(&known, ""),
        ask(&unknown, "--insecure-skip-tls-verify"),
        ask(&json!({"server": open.url}), ""),
    ] {
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    assert_error(
        &ask(&unknown, ""),
        &[
            "this machine has no trusted certificate authorities: name that of the server with --certificate-authority",
        ],
    );
}

#[test]
fn a_client_certificate_identifies_the_user() {
    let folder = folder("tls-client");
    let authority = Authority::new();
    let server = Server::secure(FIXTURE, authority.strict_server());
    let jane = authority.client("jane", End::Far);
    let (certificate, key) = jane.write(&folder, "jane");
    let cluster = json!({"server": server.url, "certificate-authority-data": base64(authority.certificate.as_bytes())});
    let data = |pair: &Pair| {
        json!({"client-certificate-data": base64(pair.certificate.as_bytes()),
            "client-key-data": base64(pair.key.as_bytes())})
    };
    let mut data_and_files = data(&jane);
    data_and_files["client-certificate"] = nonexistent!().into();
    data_and_files["client-key"] = nonexistent!().into();
    for user in [
        json!({"client-certificate": "jane.crt", "client-key": "jane.key"}),
        data(&jane),
        data_and_files,
        json!({"client-certificate": "jane.crt", "client-key-data": base64(jane.key.as_bytes())}),
        // A plugin is used only without other credentials.
        json!({"client-certificate": "jane.crt", "client-key": "jane.key",
            "exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": nonexistent!()}}),
    ] {
        assert_reads(&kubeconfig(&folder, &cluster, &user), "");
    }
    let flags = format!(
        "--client-certificate {} --client-key {}",
        certificate.display(),
        key.display()
    );
    let nobody = kubeconfig(&folder, &cluster, &json!({}));
    assert_reads(&nobody, &flags);
    assert_error(
        &run(&nobody, ""),
        &["the server requires a client certificate: set --client-certificate and --client-key"],
    );
    // An additional token is also sent.
    assert_reads(&nobody, &format!("{flags} --token abc"));
    let last = server.asked().pop().unwrap();
    assert_eq!(last.header("authorization"), ["Bearer abc"]);

    let other = data(&Authority::new().client("jane", End::Far));
    let expired = data(&authority.client("jane", End::Past));
    for (user, says) in [
        (&other, "the server rejects the client certificate"),
        (
            &expired,
            "the client certificate of user \"u\" expired on 2021-02-03T00:00:00Z: renew it",
        ),
    ] {
        assert_error(&run(&kubeconfig(&folder, &cluster, user), ""), &[says]);
    }
}

/// Like kube-apiserver: an unknown client is unauthenticated.
#[test]
fn an_expired_client_certificate_is_told_from_other_credentials() {
    let folder = folder("tls-expired");
    let authority = Authority::new();
    let server = Server::secure(FIXTURE, authority.server(&["127.0.0.1"]))
        .with_whim(|_, _| Some(Answer::error(401, "Unauthorized", "Unauthorized")));
    let cluster = json!({"server": server.url, "certificate-authority-data": base64(authority.certificate.as_bytes())});
    for (end, says) in [
        (
            End::Past,
            "(Unauthorized): the client certificate of user \"u\" expired on 2021-02-03T00:00:00Z: renew it, or log in again",
        ),
        (End::Far, "(Unauthorized): they may have expired"),
    ] {
        let pair = authority.client("jane", end);
        let user = json!({"client-certificate-data": base64(pair.certificate.as_bytes()),
            "client-key-data": base64(pair.key.as_bytes())});
        assert_error(&run(&kubeconfig(&folder, &cluster, &user), ""), &[says]);
    }
}

#[test]
fn files_without_a_certificate_or_key_are_named() {
    let folder = folder("tls-files");
    let authority = Authority::new();
    let server = Server::secure(FIXTURE, authority.server(&["127.0.0.1"]));
    let (jane, joe) = (
        authority.client("jane", End::Far),
        authority.client("jane", End::Far),
    );
    jane.write(&folder, "jane");
    joe.write(&folder, "joe");
    fs::write(folder.join("ca.crt"), &authority.certificate).unwrap();
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("secret"), "hunter2\u{1b}[31m").unwrap();
    fs::write(folder.join("cut"), &jane.certificate[..200]).unwrap();
    fs::write(
        folder.join("damaged"),
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    )
    .unwrap();
    fs::write(
        folder.join("locked"),
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    )
    .unwrap();
    fs::write(folder.join("e\u{1b}[31m"), "").unwrap();
    let place = |name: &str| folder.join(name).display().to_string();
    let authorities = [
        ("missing", "missing cannot be read (No such file"),
        ("empty", "empty has no certificate"),
        ("secret", "secret has no certificate"),
        ("cut", "cut has damaged or truncated PEM"),
        ("damaged", "damaged has no valid certificate"),
        ("jane.key", "jane.key has no certificate"),
        ("e\u{1b}[31m", "has no certificate"),
        (".", "cannot be read"),
    ];
    for (file, says) in authorities {
        let cluster = json!({"server": server.url, "certificate-authority": file});
        let ran = run(&kubeconfig(&folder, &cluster, &json!({})), "");
        assert_error(&ran, &["the certificate authority /", says]);
        assert!(!ran.err.contains("hunter2") && !ran.err.contains('\u{1b}'));
    }
    let cluster = json!({"server": server.url, "certificate-authority": "ca.crt"});
    let users = [
        (
            json!({"client-certificate": "jane.crt"}),
            "requires its key: set --client-key",
        ),
        (
            json!({"client-certificate": "jane.crt", "client-key": "missing"}),
            "the client key /",
        ),
        (
            json!({"client-certificate": "missing", "client-key": "jane.key"}),
            "missing cannot be read",
        ),
        (
            json!({"client-certificate": "jane.key", "client-key": "jane.crt"}),
            "jane.key has no certificate",
        ),
        (
            json!({"client-certificate": "jane.crt", "client-key": "jane.crt"}),
            "jane.crt has no private key",
        ),
        (
            json!({"client-certificate": "jane.crt", "client-key": "locked"}),
            "locked is encrypted",
        ),
        (
            json!({"client-certificate": "jane.crt", "client-key": "joe.key"}),
            "the client key does not match the client certificate",
        ),
        (
            json!({"client-certificate-data": "#", "client-key": "joe.key"}),
            "the client certificate in the kubeconfig is not base64",
        ),
        (
            json!({"client-certificate-data": base64(b"hunter2"), "client-key": "joe.key"}),
            "the client certificate in the kubeconfig has no certificate",
        ),
    ];
    for (user, says) in users {
        let ran = run(&kubeconfig(&folder, &cluster, &user), "");
        assert_error(&ran, &[says]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
    // A key without a certificate counts as nothing, also for kubectl.
    let key = kubeconfig(&folder, &cluster, &json!({"client-key": "jane.key"}));
    assert_reads(&key, "");
    let lonely = format!("--client-key {}", place("jane.key"));
    assert_error(
        &run(&kubeconfig(&folder, &cluster, &json!({})), &lonely),
        &["--client-key requires a certificate: set --client-certificate"],
    );
    assert_eq!(
        server
            .asked()
            .iter()
            .filter(|asked| asked.path == "/version")
            .count(),
        1
    );
}
