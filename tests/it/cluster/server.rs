//! A server for the tests: it speaks HTTP on its own port, holds objects, and misbehaves on request.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

use kubectl_manifest;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::program;

/// A request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
    /// Lower-case names in order of arrival.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// All values of a header.
    pub fn header(&self, name: &str) -> Vec<&str> {
        let values = self.headers.iter().filter(|(given, _)| given == name);
        values.map(|(_, value)| value.as_str()).collect()
    }
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// Number of body bytes sent before the connection is closed.
    pub cut: Option<usize>,
    pub delay: Duration,
    /// The pause after each byte of the body.
    pub drip: Duration,
}

impl Answer {
    pub fn json(value: &Value) -> Self {
        Answer {
            status: 200,
            headers: vec![("Content-Type", "application/json".to_owned())],
            body: serde_json::to_vec(value).unwrap(),
            cut: None,
            delay: Duration::ZERO,
            drip: Duration::ZERO,
        }
    }

    pub fn text(body: &str) -> Self {
        Answer {
            headers: vec![("Content-Type", "text/plain".to_owned())],
            body: body.as_bytes().to_vec(),
            ..Answer::json(&Value::Null)
        }
    }

    /// An error in the API's format.
    pub fn error(status: u16, reason: &str, message: &str) -> Self {
        let body = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure",
            "message": message, "reason": reason, "code": status});
        Answer {
            status,
            ..Answer::json(&body)
        }
    }

    pub fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// Sees a request before the objects do. The number counts earlier requests with the same path and query.
type Whim = Box<dyn FnMut(&Asked, usize) -> Option<Answer> + Send>;

/// The objects of the server, and its behavior.
#[derive(Default)]
pub struct State {
    /// Objects with `apiVersion` and `kind`.
    pub objects: Vec<Value>,
    pub asked: Vec<Asked>,
    /// The answer to `/version`.
    pub version: Value,
    whims: Vec<Whim>,
}

/// A server that runs until it is dropped with the process.
pub struct Server {
    pub url: String,
    pub state: Arc<Mutex<State>>,
}

impl Server {
    pub fn new(objects: Vec<Value>) -> Self {
        Server::listening(objects, None)
    }

    fn listening(objects: Vec<Value>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            objects,
            version: json!({"major": "1", "minor": "33", "gitVersion": "v1.33.4"}),
            ..State::default()
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                let tls = tls.clone();
                thread::spawn(move || match tls {
                    None => serve(stream, &state),
                    Some(tls) => serve_with_tls(stream, tls, &state),
                });
            }
        });
        Server { url, state }
    }

    /// A server that holds the objects of a fixture.
    pub fn of_fixture(name: &str) -> Self {
        Server::new(fixture(name))
    }

    /// The same server behind TLS.
    pub fn secure(name: &str, tls: ServerConfig) -> Self {
        Server::listening(fixture(name), Some(Arc::new(tls)))
    }

    pub fn with_whim(
        self,
        whim: impl FnMut(&Asked, usize) -> Option<Answer> + Send + 'static,
    ) -> Self {
        self.state.lock().unwrap().whims.push(Box::new(whim));
        self
    }

    pub fn with_version(self, git: &str) -> Self {
        self.state.lock().unwrap().version["gitVersion"] = git.into();
        self
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }

    /// The requested paths with the keys of their queries, sorted.
    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.asked().into_iter().map(|asked| asked.path).collect();
        paths.sort();
        paths
    }

    /// A kubeconfig for this server, in a folder of its own.
    pub fn kubeconfig(&self, test: &str, namespace: &str) -> PathBuf {
        let folder = folder(test);
        let file = folder.join("config");
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "clusters": [{"name": "c", "cluster": {"server": self.url}}],
            "users": [{"name": "u", "user": {"token": "secret-of-the-file"}}],
            "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": namespace}}],
        });
        fs::write(&file, config.to_string()).unwrap();
        file
    }
}

fn fixture(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    objects_of(&fs::read(path).unwrap())
}

pub fn folder(test: &str) -> PathBuf {
    program::new_folder(&format!("cluster-{test}"))
}

/// The objects of a manifest, as a server stores them: each in a namespace.
pub fn objects_of(manifest: &[u8]) -> Vec<Value> {
    let reading = kubectl_manifest::read("fixture", manifest).unwrap();
    let mut reading = reading.manifests;
    reading
        .iter_mut()
        .map(|manifest| {
            let mut object = manifest.value.take();
            let namespace = &mut object["metadata"]["namespace"];
            if namespace.is_null() {
                *namespace = "default".into();
            }
            object
        })
        .collect()
}

impl State {
    pub fn answer(&mut self, asked: &Asked) -> Answer {
        let same = |other: &&Asked| other.path == asked.path && other.query == asked.query;
        let before = self.asked.iter().filter(same).count();
        self.asked.push(asked.clone());
        for whim in &mut self.whims {
            if let Some(answer) = whim(asked, before) {
                return answer;
            }
        }
        match asked.path.as_str() {
            "/version" => Answer::json(&self.version),
            "/metrics" => Answer::error(403, "Forbidden", "metrics are not for you"),
            path => self.objects_at(path, asked),
        }
    }

    fn objects_at(&self, path: &str, asked: &Asked) -> Answer {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let (version, rest) = match parts.as_slice() {
            ["api", version, rest @ ..] => ((*version).to_owned(), rest),
            ["apis", group, version, rest @ ..] => (format!("{group}/{version}"), rest),
            _ => return Answer::error(404, "NotFound", "the server could not find it"),
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            rest => (None, rest),
        };
        let of_kind = |plural: &str| {
            let plural = plural.to_owned();
            let version = version.clone();
            self.objects.iter().filter(move |object| {
                let kind = object["kind"].as_str().unwrap().to_lowercase();
                let stem = kind.trim_end_matches('y');
                let kinds = [
                    format!("{kind}s"),
                    format!("{kind}es"),
                    format!("{stem}ies"),
                ];
                object["apiVersion"] == version.as_str()
                    && kinds.contains(&plural)
                    && namespace.is_none_or(|name| object["metadata"]["namespace"] == name)
            })
        };
        match rest {
            [_] if asked.method == "POST" => {
                let mut object = asked.json();
                object["metadata"]["uid"] = "uid-of-a-dry-run".into();
                Answer::json(&object)
            }
            [plural] => {
                let selector = asked.query.get("labelSelector");
                let matches = |object: &&Value| {
                    selector.is_none_or(|selector| {
                        let (key, value) = selector.split_once('=').unwrap();
                        object["metadata"]["labels"][key] == value
                    })
                };
                let mut items: Vec<&Value> = of_kind(plural).filter(matches).collect();
                // In the order of etcd keys.
                let key = |object: &&Value| {
                    let namespace = object["metadata"]["namespace"].as_str();
                    namespace.map(|namespace| format!("{namespace}/"))
                };
                items.sort_by_key(key);
                // Items of lists have neither.
                let items: Vec<Value> = items
                    .into_iter()
                    .cloned()
                    .map(|mut object| {
                        object.as_object_mut().unwrap().remove("kind");
                        object.as_object_mut().unwrap().remove("apiVersion");
                        with_managers(object)
                    })
                    .collect();
                Answer::json(&page(&items, kind_of(plural), &version, &asked.query))
            }
            // A dry run returns the merged object and stores nothing.
            [plural, name] if asked.method == "PATCH" => {
                let mut found =
                    of_kind(plural).filter(|object| object["metadata"]["name"] == *name);
                let mut object = found.next().unwrap().clone();
                merge(&mut object, &asked.json());
                Answer::json(&object)
            }
            [plural, name] => {
                let mut found =
                    of_kind(plural).filter(|object| object["metadata"]["name"] == *name);
                match found.next() {
                    Some(object) => Answer::json(&with_managers(object.clone())),
                    None => Answer::error(404, "NotFound", "not found"),
                }
            }
            _ => Answer::error(404, "NotFound", "the server could not find it"),
        }
    }
}

/// An object as in every answer: a server always includes managedFields.
fn with_managers(mut object: Value) -> Value {
    let managers = &mut object["metadata"]["managedFields"];
    if managers.is_null() {
        *managers = json!([{"manager": "kubectl-edit", "operation": "Update",
            "apiVersion": "apps/v1", "fieldsType": "FieldsV1", "fieldsV1": {}}]);
    }
    object
}

/// The kind of a resource that the program lists.
pub fn kind_of(plural: &str) -> &'static str {
    match plural {
        "csinodes" => "CSINode",
        "controllerrevisions" => "ControllerRevision",
        "events" => "Event",
        "horizontalpodautoscalers" => "HorizontalPodAutoscaler",
        "leases" => "Lease",
        "limitranges" => "LimitRange",
        "mutatingwebhookconfigurations" => "MutatingWebhookConfiguration",
        "namespaces" => "Namespace",
        "nodes" => "Node",
        "persistentvolumeclaims" => "PersistentVolumeClaim",
        "persistentvolumes" => "PersistentVolume",
        "poddisruptionbudgets" => "PodDisruptionBudget",
        "pods" => "Pod",
        "resourcequotas" => "ResourceQuota",
        "services" => "Service",
        "statefulsets" => "StatefulSet",
        "storageclasses" => "StorageClass",
        "validatingadmissionpolicies" => "ValidatingAdmissionPolicy",
        "validatingadmissionpolicybindings" => "ValidatingAdmissionPolicyBinding",
        "validatingwebhookconfigurations" => "ValidatingWebhookConfiguration",
        "volumeattachments" => "VolumeAttachment",
        other => panic!("{other} is not listed"),
    }
}

/// A page of a list, as the query requests it.
fn page(items: &[Value], kind: &str, version: &str, query: &BTreeMap<String, String>) -> Value {
    let from: usize = query.get("continue").map_or(0, |at| at.parse().unwrap());
    let limit = query
        .get("limit")
        .map_or(usize::MAX, |limit| limit.parse().unwrap());
    let end = from.saturating_add(limit).min(items.len());
    let next = if end < items.len() {
        end.to_string()
    } else {
        String::new()
    };
    json!({"kind": format!("{kind}List"), "apiVersion": version, "items": items[from..end],
        "metadata": {"resourceVersion": "4711", "continue": next, "remainingItemCount": items.len() - end}})
}

fn serve_with_tls(stream: TcpStream, tls: Arc<ServerConfig>, state: &Mutex<State>) {
    let mut connection = ServerConnection::new(tls).unwrap();
    let mut raw = stream.try_clone().unwrap();
    if connection.complete_io(&mut raw).is_ok() {
        serve(StreamOwned::new(connection, stream), state);
        return;
    }
    // Closing with unread data would discard the alert.
    let _ = raw.shutdown(Shutdown::Write);
    let _ = std::io::copy(&mut raw, &mut std::io::sink());
}

fn serve(stream: impl Read + Write, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read_request(&mut reader) {
        let answer = state.lock().unwrap().answer(&asked);
        thread::sleep(answer.delay);
        let mut head = format!(
            "HTTP/1.1 {} Answer\r\nContent-Length: {}\r\n",
            answer.status,
            answer.body.len()
        );
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let sent = answer.cut.unwrap_or(answer.body.len());
        let stream = reader.get_mut();
        let pieces = match answer.drip {
            Duration::ZERO => answer.body[..sent].chunks(usize::MAX),
            _ => answer.body[..sent].chunks(1),
        };
        let written = stream
            .write_all(format!("{head}\r\n").as_bytes())
            .and_then(|()| {
                for piece in pieces {
                    stream.write_all(piece)?;
                    stream.flush()?;
                    thread::sleep(answer.drip);
                }
                stream.flush()
            });
        if written.is_err() || answer.cut.is_some() {
            return;
        }
    }
}

fn read_request(reader: &mut BufReader<impl Read>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let query = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), decoded(value)))
        .collect();
    Some(Asked {
        method,
        path: path.to_owned(),
        query,
        headers,
        body,
    })
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            let digits = std::str::from_utf8(&digits).unwrap().to_owned();
            bytes.push(u8::from_str_radix(&digits, 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// RFC 7386.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (name, value) in patch {
        if value.is_null() {
            target.as_object_mut().unwrap().remove(name);
        } else {
            merge(&mut target[name], value);
        }
    }
}
