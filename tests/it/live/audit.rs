//! The API server's audit log: every request, its user and its outcome.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// The audit policy: all requests of the controllers and the program, and only metadata of all others.
pub const POLICY: &str = "\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  users: [controllers]
  verbs: [create, update, patch, delete, deletecollection]
- level: Request
  users: [sts-plan, sts-plan-everywhere]
- level: Metadata
";

/// The log as read so far.
pub struct Audit {
    path: PathBuf,
    read: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    file: Option<File>,
    /// The beginning of an incomplete line.
    rest: Vec<u8>,
    entries: Vec<Arc<Entry>>,
    /// Indices of entries about objects of a namespace.
    by_namespace: BTreeMap<String, Vec<usize>>,
}

/// One request.
pub struct Entry(Value);

impl Audit {
    pub fn new(path: &Path) -> Self {
        Audit {
            path: path.to_owned(),
            read: Mutex::default(),
        }
    }

    /// Returns the number of requests until now.
    pub fn mark(&self) -> usize {
        self.read_on().entries.len()
    }

    /// The requests since a mark that pass a test, in the order of receipt.
    pub fn since(&self, mark: usize, passes: impl Fn(&Entry) -> bool) -> Vec<Arc<Entry>> {
        let log = self.read_on();
        let mut entries: Vec<_> = log.entries[mark..]
            .iter()
            .filter(|entry| passes(entry))
            .map(Arc::clone)
            .collect();
        entries.sort_by(|a, b| a.received().cmp(b.received()));
        entries
    }

    /// The same for one namespace.
    pub fn in_namespace(
        &self,
        namespace: &str,
        mark: usize,
        passes: impl Fn(&Entry) -> bool,
    ) -> Vec<Arc<Entry>> {
        let log = self.read_on();
        let indices = log
            .by_namespace
            .get(namespace)
            .map_or(&[][..], Vec::as_slice);
        let from = indices.partition_point(|index| *index < mark);
        let mut entries: Vec<_> = indices[from..]
            .iter()
            .map(|index| &log.entries[*index])
            .filter(|entry| passes(entry))
            .map(Arc::clone)
            .collect();
        entries.sort_by(|a, b| a.received().cmp(b.received()));
        entries
    }

    fn read_on(&self) -> std::sync::MutexGuard<'_, Log> {
        // A test that failed while reading leaves the log consistent, because it only appends.
        let mut log = self
            .read
            .lock()
            .unwrap_or_else(|poison| poison.into_inner());
        let log_now = &mut *log;
        if log_now.file.is_none() {
            log_now.file = File::open(&self.path).ok();
        }
        if let Some(file) = &mut log_now.file {
            file.read_to_end(&mut log_now.rest).unwrap();
            let whole = log_now
                .rest
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |end| end + 1);
            let rest = log_now.rest.split_off(whole);
            let lines = std::mem::replace(&mut log_now.rest, rest);
            for line in lines
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty())
            {
                let entry = Entry(serde_json::from_slice(line).unwrap());
                let namespace = entry.namespace().to_owned();
                let of_it = log_now.by_namespace.entry(namespace).or_default();
                of_it.push(log_now.entries.len());
                log_now.entries.push(Arc::new(entry));
            }
        }
        log
    }
}

impl Entry {
    fn text(&self, pointer: &str) -> &str {
        self.0
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    pub fn user(&self) -> &str {
        self.text("/user/username")
    }

    /// The part of the user agent that identifies the controller.
    pub fn component(&self) -> &str {
        self.text("/userAgent").rsplit('/').next().unwrap()
    }

    /// The impersonated user, and its groups.
    pub fn acted_as(&self) -> (&str, Vec<String>) {
        let groups = self.0["impersonatedUser"]["groups"].as_array();
        let groups = groups.into_iter().flatten();
        let groups = groups.map(|group| group.as_str().unwrap().to_owned());
        (self.text("/impersonatedUser/username"), groups.collect())
    }

    pub fn verb(&self) -> &str {
        self.text("/verb")
    }

    pub fn uri(&self) -> &str {
        self.text("/requestURI")
    }

    pub fn namespace(&self) -> &str {
        self.text("/objectRef/namespace")
    }

    /// The resource, such as `pods` or `statefulsets/status`.
    pub fn resource(&self) -> String {
        let resource = self.text("/objectRef/resource");
        match self.text("/objectRef/subresource") {
            "" => resource.to_owned(),
            part => format!("{resource}/{part}"),
        }
    }

    pub fn name(&self) -> &str {
        self.text("/objectRef/name")
    }

    /// The HTTP status of the answer.
    pub fn code(&self) -> u64 {
        self.0["responseStatus"]["code"].as_u64().unwrap_or(0)
    }

    /// Returns the reason of a refusal, such as `AlreadyExists`.
    pub fn reason(&self) -> &str {
        self.text("/responseStatus/reason")
    }

    /// Returns the message of a refusal.
    pub fn words(&self) -> &str {
        match self.text("/responseStatus/message") {
            "" => self.text("/responseObject/message"),
            words => words,
        }
    }

    /// Returns the object that was sent.
    pub fn sent(&self) -> &Value {
        &self.0["requestObject"]
    }

    /// Returns the object in the answer.
    pub fn answer(&self) -> &Value {
        &self.0["responseObject"]
    }

    /// Returns true if this is the end of the request; a watch also has a line for its beginning.
    pub fn is_over(&self) -> bool {
        self.text("/stage") == "ResponseComplete"
    }

    fn received(&self) -> &str {
        self.text("/requestReceivedTimestamp")
    }
}
