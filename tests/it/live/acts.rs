//! User actions on a real cluster.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::control_plane::ControlPlane;
use super::program::{self, Question};
use super::rest::{Refused, Rest};
use super::wait_for;

/// One user action.
pub enum Act {
    /// Creates an object.
    Create(Value),
    /// Changes an object, such as `statefulsets/web`, by a merge patch.
    Merge(&'static str, Value),
    /// Changes the set by a merge patch built from the plan, for values that differ in every run.
    AsPlanned(fn(&Value) -> Value),
    /// Creates an object as `kubectl apply` does.
    Apply(Value),
    /// Creates an object built from the program's plan with these flags.
    CreateFrom(&'static [&'static str], fn(&Value) -> Value),
    /// Gives the set the template of the revision with this number.
    Undo(i64),
    /// Deletes an object, such as `pods/web-1`, with this propagation policy.
    Delete(&'static str, &'static str),
    /// Removes a pod, such as `pods/web-1`, at once, whether or not its kubelet has ended it.
    Force(&'static str),
    /// From here on, this holds for a pod, in the syntax of `--assume`.
    Assume(&'static str),
    /// Removes all assumptions.
    AssumeNothing,
    /// Changes the status of a pod, as a kubelet would.
    Status(&'static str, Value),
    /// Waits for this many seconds of real time.
    Wait(u64),
}

/// A namespace of the cluster.
pub struct Place<'c> {
    pub plane: &'c ControlPlane,
    pub rest: Rest,
    pub namespace: String,
}

impl<'c> Place<'c> {
    /// Creates a namespace with this name.
    pub fn new(plane: &'c ControlPlane, namespace: &str) -> Self {
        let rest = plane.admin();
        let object =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        rest.create("/api/v1/namespaces", &object).unwrap();
        Place {
            plane,
            rest,
            namespace: namespace.to_owned(),
        }
    }

    /// The path of a resource or an object, such as `pods` or `statefulsets/web`.
    pub fn path(&self, what: &str) -> String {
        let resource = what.split('/').next().unwrap();
        let group = match resource {
            "statefulsets" | "controllerrevisions" => "/apis/apps/v1",
            _ => "/api/v1",
        };
        format!("{group}/namespaces/{}/{what}", self.namespace)
    }

    /// Performs the action. Assumptions about pods do not affect the cluster.
    pub fn act(&self, act: &Act, plan: &Value) {
        let done: Result<Value, Refused> = match act {
            Act::Create(object) => self.create(object),
            Act::Apply(object) => {
                let mut object = object.clone();
                object["metadata"]["namespace"] = self.namespace.as_str().into();
                object["metadata"]["annotations"] = json!({});
                let applied = format!("{object}\n");
                object["metadata"]["annotations"] =
                    json!({"kubectl.kubernetes.io/last-applied-configuration": applied});
                self.create(&object)
            }
            Act::CreateFrom(flags, make) => {
                let question = Question {
                    flags: flags.to_vec(),
                    ..Question::default()
                };
                let plan = program::plan(self, &question);
                self.create(&make(&plan))
            }
            Act::Merge(what, patch) => self.rest.merge(&self.path(what), patch),
            Act::AsPlanned(patch) => {
                let patch = patch(plan);
                self.rest.merge(&self.path("statefulsets/web"), &patch)
            }
            Act::Undo(number) => {
                let revisions = self.rest.list(&self.path("controllerrevisions"));
                let revision = revisions
                    .iter()
                    .find(|revision| revision["revision"] == *number)
                    .unwrap();
                let mut template = revision["data"]["spec"]["template"].clone();
                template.as_object_mut().unwrap().remove("$patch");
                let patch = json!({"spec": {"template": template}});
                self.rest.merge(&self.path("statefulsets/web"), &patch)
            }
            Act::Delete(what, policy) => {
                let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": policy});
                let path = self.path(what);
                let done = self.rest.delete(&path, &options);
                // Like kubectl, an orphaning delete waits until the set is gone.
                if *policy == "Orphan" {
                    wait_for("the set to go", 20, || self.rest.get(&path).err());
                }
                done
            }
            Act::Force(pod) => {
                let now = json!({"gracePeriodSeconds": 0});
                self.rest.delete(&self.path(pod), &now)
            }
            Act::Status(pod, status) => {
                let path = self.path(&format!("pods/{pod}/status"));
                self.rest.merge(&path, &json!({"status": status}))
            }
            Act::Wait(seconds) => return thread::sleep(Duration::from_secs(*seconds)),
            Act::Assume(_) | Act::AssumeNothing => return,
        };
        if let Err(Refused { code, message, .. }) = done {
            panic!("{}: {code}: {message}", self.namespace);
        }
    }

    fn create(&self, object: &Value) -> Result<Value, Refused> {
        let resource = match object["kind"].as_str().unwrap() {
            "StatefulSet" => "statefulsets",
            "Pod" => "pods",
            "ControllerRevision" => "controllerrevisions",
            kind => panic!("where do objects of kind {kind} go?"),
        };
        self.rest.create(&self.path(resource), object)
    }

    /// Returns the objects of a resource.
    pub fn list(&self, resource: &str) -> Vec<Value> {
        self.rest.list(&self.path(resource))
    }
}
