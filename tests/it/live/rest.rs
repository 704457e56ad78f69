//! Plain requests to an API server, in JSON.

use std::path::Path;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};

/// One user's connection to the server.
pub struct Rest {
    runtime: tokio::runtime::Runtime,
    client: Client,
}

/// A request that was rejected or not answered.
#[derive(Debug)]
pub struct Refused {
    /// The HTTP status; 0 without an answer.
    pub code: u16,
    /// The message of the server, or of the transport.
    pub message: String,
    /// The server's messages about single fields, each with its field.
    pub causes: Vec<String>,
}

impl Rest {
    /// The connection of a kubeconfig.
    pub fn new(kubeconfig: &Path) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let client = runtime.block_on(async {
            let file = std::fs::read_to_string(kubeconfig).unwrap();
            let file: Kubeconfig = serde_yaml::from_str(&file).unwrap();
            let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default())
                .await
                .unwrap();
            Client::try_from(config).unwrap()
        });
        Rest { runtime, client }
    }

    fn send(&self, verb: &str, path: &str, kind: &str, body: &[u8]) -> Result<Value, Refused> {
        let request = http::Request::builder()
            .method(verb)
            .uri(path)
            .header("Content-Type", kind)
            .body(body.to_vec())
            .unwrap();
        let answer = self.runtime.block_on(self.client.request_text(request));
        match answer {
            // Probes such as /readyz answer in plain text.
            Ok(text) => Ok(serde_json::from_str(&text).unwrap_or(Value::String(text))),
            Err(kube::Error::Api(status)) => Err(Refused {
                code: status.code,
                message: status.message.clone(),
                causes: status
                    .details
                    .iter()
                    .flat_map(|details| &details.causes)
                    .map(|cause| format!("{}: {}", cause.field, cause.message))
                    .collect(),
            }),
            Err(error) => Err(Refused {
                code: 0,
                message: error.to_string(),
                causes: Vec::new(),
            }),
        }
    }

    fn send_json(&self, verb: &str, path: &str, body: &Value) -> Result<Value, Refused> {
        self.send(verb, path, "application/json", body.to_string().as_bytes())
    }

    pub fn get(&self, path: &str) -> Result<Value, Refused> {
        self.send("GET", path, "application/json", b"")
    }

    pub fn create(&self, path: &str, object: &Value) -> Result<Value, Refused> {
        self.send_json("POST", path, object)
    }

    /// Changes an object, or a part of it, by a merge patch.
    pub fn merge(&self, path: &str, patch: &Value) -> Result<Value, Refused> {
        let kind = "application/merge-patch+json";
        self.send("PATCH", path, kind, patch.to_string().as_bytes())
    }

    /// Applies an object server-side, as the manager that the path names.
    pub fn apply(&self, path: &str, object: &Value) -> Result<Value, Refused> {
        let kind = "application/apply-patch+yaml";
        self.send("PATCH", path, kind, object.to_string().as_bytes())
    }

    pub fn delete(&self, path: &str, options: &Value) -> Result<Value, Refused> {
        self.send_json("DELETE", path, options)
    }

    /// The objects of a list, each with its type, as if read alone.
    pub fn list(&self, path: &str) -> Vec<Value> {
        let mut list = self.get(path).unwrap();
        let kind = list["kind"].as_str().unwrap().replace("List", "");
        let version = list["apiVersion"].take();
        let Value::Array(mut items) = list["items"].take() else {
            return Vec::new();
        };
        for item in &mut items {
            item["apiVersion"] = version.clone();
            item["kind"] = json!(kind);
        }
        items
    }
}
