//! A watched API server: it lists, sends events, and breaks connections on request.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cluster::server::kind_of;

/// The kinds that can be listed in all namespaces.
const OF_SETS: [&str; 4] = [
    "statefulsets",
    "pods",
    "persistentvolumeclaims",
    "controllerrevisions",
];

/// The objects of the server, and its behavior.
#[derive(Default)]
pub struct State {
    /// Objects by resource and name.
    objects: BTreeMap<(String, String), Value>,
    /// The events so far, by resource, each with its version.
    log: Vec<(u64, String, String)>,
    version: u64,
    /// Number of watches that were broken.
    cuts: u64,
    /// Watches from an older version must list again.
    oldest: u64,
    /// Number of lists of a resource that fail before one succeeds.
    pub failing: BTreeMap<String, u32>,
    /// Requests that may not be made: `list pods`, `watch statefulsets`.
    pub forbidden: BTreeSet<String>,
    /// The status of the answer to every new watch.
    pub refused: Option<u16>,
    /// True if a watch that must list again gets status 410 instead of an event.
    pub expires_by_status: bool,
    /// True if every new watch ends at once.
    pub ends_at_once: bool,
    /// True if the next event breaks off in the middle, together with its watch.
    pub half: bool,
    /// Objects per page of a list; 0 means all.
    pub page: usize,
    /// The requests so far: `list pods`, `watch pods`.
    pub asked: Vec<String>,
    /// The resource and the query of every watch.
    pub watches: Vec<(String, BTreeMap<String, String>)>,
}

/// A server, until the process ends.
#[derive(Clone)]
pub struct Server {
    pub url: String,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Server {
    pub fn new(objects: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Server {
            url,
            shared: Arc::default(),
        };
        for object in objects {
            server.put(object);
        }
        let serving = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = serving.clone();
                // The client closed the watch.
                thread::spawn(move || drop(server.serve(&stream)));
            }
        });
        server
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap()
    }

    /// Stores an object, and sends it to all watches.
    pub fn put(&self, mut object: Value) {
        let resource = format!("{}s", object["kind"].as_str().unwrap().to_lowercase());
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let mut state = self.state();
        state.version += 1;
        object["metadata"]["resourceVersion"] = state.version.to_string().into();
        let old = state
            .objects
            .insert((resource.clone(), name), object.clone());
        state.tell(
            &resource,
            if old.is_some() { "MODIFIED" } else { "ADDED" },
            &object,
        );
        self.shared.1.notify_all();
    }

    /// Changes a stored object.
    pub fn change(&self, resource: &str, name: &str, change: impl FnOnce(&mut Value)) {
        let mut object = self.get(resource, name).unwrap();
        change(&mut object);
        self.put(object);
    }

    pub fn get(&self, resource: &str, name: &str) -> Option<Value> {
        let key = (resource.to_owned(), name.to_owned());
        self.state().objects.get(&key).cloned()
    }

    pub fn names(&self, resource: &str) -> Vec<String> {
        let state = self.state();
        let keys = state.objects.keys().filter(|(of, _)| of == resource);
        keys.map(|(_, name)| name.clone()).collect()
    }

    /// Removes an object.
    pub fn remove(&self, resource: &str, name: &str) {
        let mut state = self.state();
        let mut object = state
            .objects
            .remove(&(resource.to_owned(), name.to_owned()))
            .unwrap();
        state.version += 1;
        object["metadata"]["resourceVersion"] = state.version.to_string().into();
        state.tell(resource, "DELETED", &object);
        self.shared.1.notify_all();
    }

    /// Sends the watches of a resource an event without an object. Returns its version.
    pub fn say(&self, resource: &str, event: impl FnOnce(&str) -> Value) -> u64 {
        let mut state = self.state();
        state.version += 1;
        let version = state.version;
        let line = event(&version.to_string()).to_string();
        state.log.push((version, resource.to_owned(), line));
        self.shared.1.notify_all();
        version
    }

    /// Breaks every watch.
    pub fn cut(&self) {
        self.state().cuts += 1;
        self.shared.1.notify_all();
    }

    /// Ends every watch, makes a change without an event, and drops the history.
    pub fn forget(&self, unseen: impl FnOnce(&Server)) {
        self.state().cuts += 1;
        unseen(self);
        let mut state = self.state();
        state.log.clear();
        state.version += 1;
        state.oldest = state.version;
        self.shared.1.notify_all();
    }

    pub fn count(&self, asked: &str) -> usize {
        self.state()
            .asked
            .iter()
            .filter(|one| *one == asked)
            .count()
    }

    fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
            while line.trim() != "" {
                line.clear();
                reader.read_line(&mut line)?;
            }
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            let query: BTreeMap<&str, &str> = query
                .split('&')
                .filter_map(|pair| pair.split_once('='))
                .collect();
            if query.get("watch") == Some(&"true") {
                return self.watch(stream, path, &query);
            }
            let (status, body) = self.answer(path, &query);
            let body = body.to_string();
            write!(
                &*stream,
                "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )?;
        }
    }

    fn answer(&self, path: &str, query: &BTreeMap<&str, &str>) -> (u16, Value) {
        if path == "/version" {
            return (
                200,
                json!({"major": "1", "minor": "33", "gitVersion": "v1.33.4"}),
            );
        }
        let parts: Vec<&str> = path.split('/').collect();
        let after = parts
            .iter()
            .position(|part| *part == "namespaces")
            .map(|at| at + 2);
        // Across all namespaces, it serves the kinds that sets need.
        let last = parts.last().is_some_and(|last| OF_SETS.contains(last));
        let after = after.unwrap_or(parts.len() - usize::from(last));
        let mut state = self.state();
        match parts[after..] {
            [resource] => {
                let asked = format!("list {resource}");
                state.asked.push(asked.clone());
                if state.forbidden.contains(&asked) {
                    return error(403, "Forbidden", &format!("you may not {asked}"));
                }
                if let Some(failing) = state.failing.get_mut(resource).filter(|left| **left > 0) {
                    *failing -= 1;
                    return error(500, "InternalError", "the server is tired");
                }
                let only = query
                    .get("fieldSelector")
                    .and_then(|selector| selector.split(['=', '%']).next_back());
                let only = only.map(|name| name.trim_start_matches("3D"));
                let of_kind = state.objects.iter().filter(|((of, _), _)| of == resource);
                let of_name: Vec<&Value> = of_kind
                    .filter(|((_, name), _)| only.is_none_or(|only| only == name))
                    .map(|(_, object)| object)
                    .collect();
                let from: usize = query
                    .get("continue")
                    .map_or(0, |from| from.parse().unwrap());
                let until = match state.page {
                    0 => of_name.len(),
                    page => of_name.len().min(from + page),
                };
                let next = (until < of_name.len()).then(|| until.to_string());
                let version = state.version.to_string();
                let kind = format!("{}List", kind_of(resource));
                let list = json!({"kind": kind, "apiVersion": "v1", "items": of_name[from..until],
                    "metadata": {"resourceVersion": version, "continue": next}});
                (200, list)
            }
            [resource, name] => match state.objects.get(&(resource.to_owned(), name.to_owned())) {
                Some(object) => (200, object.clone()),
                None => error(404, "NotFound", "not found"),
            },
            // Kinds that this server does not support.
            _ => error(
                404,
                "NotFound",
                "the server could not find the requested resource",
            ),
        }
    }

    /// Sends the events of a resource from a version on, until the watch is broken.
    fn watch(
        &self,
        mut stream: &TcpStream,
        path: &str,
        query: &BTreeMap<&str, &str>,
    ) -> std::io::Result<()> {
        let resource = path.rsplit('/').next().unwrap().to_owned();
        let mut seen: u64 = query["resourceVersion"].parse().unwrap();
        let asked = format!("watch {resource}");
        let (cuts, expired, refused) = {
            let mut state = self.state();
            state.asked.push(asked.clone());
            let owned = query
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let owned = owned.collect();
            state.watches.push((resource.clone(), owned));
            let expired = seen < state.oldest;
            let refused = if let Some(code) = state.refused {
                Some(error(code, "Refused", "it is refused"))
            } else if state.forbidden.contains(&asked) {
                Some(error(403, "Forbidden", &format!("you may not {asked}")))
            } else {
                (expired && state.expires_by_status).then(|| error(410, "Expired", "too old"))
            };
            (state.cuts, expired, refused)
        };
        if let Some((code, body)) = refused {
            let body = body.to_string();
            return write!(
                stream,
                "HTTP/1.1 {code} -\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
        }
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )?;
        if expired {
            let status = error(410, "Expired", "too old resource version").1;
            return chunk(
                stream,
                &json!({"type": "ERROR", "object": status}).to_string(),
            );
        }
        loop {
            let mut state = self.state();
            if state.cuts != cuts || state.ends_at_once {
                return Ok(());
            }
            let news: Vec<(u64, String)> = state
                .log
                .iter()
                .filter(|(version, of, _)| *version > seen && *of == resource)
                .map(|(version, _, line)| (*version, line.clone()))
                .collect();
            if news.is_empty() {
                state = self
                    .shared
                    .1
                    .wait_timeout(state, Duration::from_millis(100))
                    .unwrap()
                    .0;
                drop(state);
                continue;
            }
            let half = std::mem::take(&mut state.half);
            drop(state);
            if half {
                let (_, line) = &news[0];
                return write!(
                    stream,
                    "{:x}\r\n{}",
                    line.len() + 1,
                    &line[..line.len() / 2]
                );
            }
            for (version, line) in news {
                seen = version;
                chunk(stream, &line)?;
            }
        }
    }
}

impl State {
    /// The version of the last event.
    pub fn version(&self) -> u64 {
        self.version
    }

    fn tell(&mut self, resource: &str, what: &str, object: &Value) {
        let line = json!({"type": what, "object": object}).to_string();
        self.log.push((self.version, resource.to_owned(), line));
    }
}

fn chunk(mut stream: &TcpStream, line: &str) -> std::io::Result<()> {
    write!(stream, "{:x}\r\n{line}\n\r\n", line.len() + 1)?;
    stream.flush()
}

fn error(code: u16, reason: &str, message: &str) -> (u16, Value) {
    let body = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure",
        "metadata": {}, "message": message, "reason": reason, "code": code});
    (code, body)
}
