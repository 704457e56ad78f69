//! A real etcd, kube-apiserver and kube-controller-manager: one for all live tests of the process, and separate ones
//! for tests whose controllers would disturb the others.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use super::audit::{Audit, POLICY};
use super::rest::Rest;
use super::wait_for;
use crate::cluster::authority::Authority;
use crate::needs::did_not_run;

/// The users: `admin`, the controllers, the program with its own rights (once in single namespaces, once in all), and
/// one without rights.
const USERS: [(&str, &str); 5] = [
    ("admin", "\"system:masters\""),
    ("controllers", "\"system:masters\""),
    ("sts-plan", ""),
    ("sts-plan-everywhere", ""),
    ("nobody", ""),
];
/// The controllers that always run.
const CONTROLLERS: [&str; 4] = [
    "statefulset",
    "garbagecollector",
    "pvc-protection",
    "disruption",
];
/// Keeps a program running while its own standard input is open, so that it ends with the tests, also by a signal. Its
/// arguments are a log file, a folder to remove afterwards or nothing, and the command.
const KEEPER: &str = "\
trap '' INT TERM HUP
log=$1; folder=$2; shift 2
\"$@\" >\"$log\" 2>&1 </dev/null &
child=$!
read -r _
kill -9 $child
wait $child 2>/dev/null
[ -z \"$folder\" ] || rm -rf \"$folder\"";

/// A running control plane.
pub struct ControlPlane {
    /// Its files, removed when it ends.
    pub folder: PathBuf,
    /// The version of the server, such as `1.20.2`.
    pub version: String,
    /// Its address.
    pub server: String,
    /// The authority for client certificates.
    pub clients: Authority,
    /// Every request so far.
    pub audit: Audit,
    _keepers: [Child; 3],
}

enum Shared {
    Runs(Box<ControlPlane>),
    Absent(String),
}

/// The control plane of this process, started on first use, or one line with the reason why there is none.
pub fn control_plane() -> Option<&'static ControlPlane> {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    let start = || match assets() {
        Ok(assets) => Shared::Runs(Box::new(ControlPlane::start(&assets, "shared", &[]))),
        Err(why) => Shared::Absent(why),
    };
    match SHARED.get_or_init(start) {
        Shared::Runs(plane) => Some(plane),
        Shared::Absent(why) => {
            did_not_run("live", why);
            None
        }
    }
}

/// A control plane for one test, with additional controllers if its version has them under these names.
pub fn with_controllers(name: &str, more: &[&str]) -> Option<ControlPlane> {
    match assets() {
        Ok(assets) => Some(ControlPlane::start(&assets, name, more)),
        Err(why) => {
            did_not_run("live", &why);
            None
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the environment says where the binaries are"
)]
fn assets() -> Result<PathBuf, String> {
    let folder = std::env::var("KUBEBUILDER_ASSETS")
        .map(PathBuf::from)
        .map_err(|_| "KUBEBUILDER_ASSETS names no folder with a control plane".to_owned())?;
    for program in ["etcd", "kube-apiserver", "kube-controller-manager"] {
        if !folder.join(program).is_file() {
            return Err(format!("there is no {program} in {}", folder.display()));
        }
    }
    Ok(folder)
}

impl ControlPlane {
    fn start(assets: &Path, name: &str, more: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("control-plane-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let tokens: Vec<String> = (1..)
            .zip(USERS)
            .map(|(uid, (user, groups))| format!("{user}-token,{user},{uid},{groups}"))
            .collect();
        fs::write(file("tokens.csv"), tokens.join("\n")).unwrap();
        fs::write(file("policy.yaml"), POLICY).unwrap();
        let clients = Authority::new();
        fs::write(file("clients.crt"), &clients.certificate).unwrap();

        let [etcd, peers, secure] = free_ports();
        let etcd = format!("http://127.0.0.1:{etcd}");
        let peers = format!("http://127.0.0.1:{peers}");
        let server = format!("https://127.0.0.1:{secure}");
        let keep = |program: &str, remove: &str, args: &[&str]| {
            Command::new("sh")
                .args(["-c", KEEPER, "keeper", &file(&format!("{program}.log"))])
                .arg(remove)
                .arg(assets.join(program))
                .args(args)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let store = keep(
            "etcd",
            folder.to_str().unwrap(),
            &[
                "--data-dir",
                &file("etcd"),
                "--listen-client-urls",
                &etcd,
                "--advertise-client-urls",
                &etcd,
                "--listen-peer-urls",
                &peers,
            ],
        );
        // The server creates a key and a certificate before it reads the key for service accounts, so one key serves
        // both.
        let key = file("certs/apiserver.key");
        let port = secure.to_string();
        let api_server = keep(
            "kube-apiserver",
            "",
            &[
                "--etcd-servers",
                &etcd,
                "--cert-dir",
                &file("certs"),
                "--secure-port",
                &port,
                "--bind-address",
                "127.0.0.1",
                "--service-account-issuer",
                "https://kubernetes.default.svc",
                "--service-account-key-file",
                &key,
                "--service-account-signing-key-file",
                &key,
                "--client-ca-file",
                &file("clients.crt"),
                "--token-auth-file",
                &file("tokens.csv"),
                "--authorization-mode",
                "RBAC",
                "--service-cluster-ip-range",
                "10.0.0.0/24",
                "--disable-admission-plugins",
                "ServiceAccount",
                "--audit-policy-file",
                &file("policy.yaml"),
                "--audit-log-path",
                &file("audit.log"),
                "--audit-log-maxsize",
                "10000",
            ],
        );
        let last_words = |program: &str| {
            let log = fs::read_to_string(file(&format!("{program}.log"))).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            lines[lines.len().saturating_sub(5)..].join("\n")
        };
        let certificate = PathBuf::from(file("certs/apiserver.crt"));
        for _ in 0..1500 {
            if certificate.is_file() {
                break;
            }
            std::thread::sleep(super::LOOK);
        }
        assert!(
            certificate.is_file(),
            "the API server does not start:\n{}",
            last_words("kube-apiserver")
        );
        for (user, _) in USERS {
            let text = kubeconfig(&server, certificate.to_str().unwrap(), user);
            fs::write(file(&format!("{user}.kubeconfig")), text).unwrap();
        }
        let rest = Rest::new(Path::new(&file("admin.kubeconfig")));
        wait_for("the API server to be ready", 60, || {
            rest.get("/readyz").ok()
        });
        let version = rest.get("/version").unwrap();
        let version = version["gitVersion"].as_str().unwrap();
        let version = version.trim_start_matches('v').to_owned();

        let help = Command::new(assets.join("kube-controller-manager"))
            .arg("--help")
            .output()
            .unwrap();
        let help = String::from_utf8_lossy(&help.stdout).into_owned();
        let config = file("controllers.kubeconfig");
        let more = more.iter().filter(|name| help.contains(**name));
        let run: Vec<&str> = CONTROLLERS.iter().chain(more).copied().collect();
        let run = run.join(",");
        let mut args = vec![
            "--kubeconfig",
            &config,
            "--controllers",
            &run,
            "--leader-elect=false",
            "--secure-port",
            "0",
            "--kube-api-qps",
            "1000",
            "--kube-api-burst",
            "1000",
        ];
        // Old ones also listen without TLS, on a port that cannot be used twice.
        if help.lines().any(|line| line.trim().starts_with("--port ")) {
            args.extend(["--port", "0"]);
        }
        let controllers = keep("kube-controller-manager", "", &args);
        ControlPlane {
            audit: Audit::new(Path::new(&file("audit.log"))),
            folder,
            version,
            server,
            clients,
            _keepers: [controllers, api_server, store],
        }
    }

    /// Its minor.
    pub fn minor(&self) -> u32 {
        self.version.split('.').nth(1).unwrap().parse().unwrap()
    }

    /// The kubeconfig of one of the users.
    pub fn kubeconfig(&self, user: &str) -> PathBuf {
        assert!(USERS.iter().any(|(name, _)| *name == user), "{user}");
        self.folder.join(format!("{user}.kubeconfig"))
    }

    /// A client with all rights.
    pub fn admin(&self) -> Rest {
        Rest::new(&self.kubeconfig("admin"))
    }
}

/// Free ports, all different.
fn free_ports<const N: usize>() -> [u16; N] {
    let listeners = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

fn kubeconfig(server: &str, certificate: &str, user: &str) -> String {
    format!(
        "apiVersion: v1
kind: Config
clusters:
- name: live
  cluster: {{server: {server:?}, certificate-authority: {certificate:?}}}
users:
- name: {user}
  user: {{token: {user}-token}}
contexts:
- name: live
  context: {{cluster: live, user: {user}}}
current-context: live
"
    )
}
