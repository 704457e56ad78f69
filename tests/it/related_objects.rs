//! The objects that no sync reads: the fields kept for each kind, and messages about malformed ones.

use kubectl_sts_plan::internals::{Loaded, Reader, load};
use sts_controller::object::Labels;
use sts_controller::version::{Behaviour, Gates, Version};

fn loaded(text: &str) -> Result<Loaded, String> {
    let behaviour = Behaviour::new(Version::NEWEST, &Gates::defaults(Version::NEWEST));
    let reader = Reader {
        namespace: "prod",
        defaulting: &behaviour.defaulting,
        all_new: false,
    };
    let reading =
        kubectl_manifest::read("in.yaml", text.as_bytes()).map_err(|error| error.to_string())?;
    load(reading, &reader).map_err(|error| error.to_string())
}

fn labels(pairs: &[(&str, &str)]) -> Labels {
    let pairs = pairs.iter();
    pairs
        .map(|(key, value)| ((*key).into(), (*value).into()))
        .collect()
}

const AROUND: &str = "\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 50%
  selector: {matchLabels: {app: web}}
status: {disruptionsAllowed: 1, expectedPods: 3}
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: all}
spec: {maxUnavailable: 1, selector: {}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {clusterIP: None, selector: {app: web}, publishNotReadyAddresses: true}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: web}}
---
apiVersion: v1
kind: Event
metadata: {name: web-1.17, namespace: prod}
involvedObject: {kind: Pod, name: web-1, namespace: prod, uid: u}
type: Warning
reason: FailedScheduling
message: 0/3 nodes are available
count: 7
firstTimestamp: 2026-01-01T10:00:00Z
lastTimestamp: 2026-01-01T11:00:00Z
eventTime: null
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: web-1.18, namespace: prod}
regarding: {kind: Pod, name: web-1}
type: Normal
reason: Pulled
note: pulled
eventTime: 2026-01-01T12:00:00.123456Z
---
apiVersion: v1
kind: Node
metadata: {name: a-1, labels: {topology.kubernetes.io/zone: a}}
spec: {unschedulable: true, taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute}]}
status:
  conditions:
  - {type: MemoryPressure, status: Unknown}
  - {type: Ready, status: Unknown, reason: NodeStatusUnknown, lastTransitionTime: 2026-01-01T10:00:00Z}
---
apiVersion: v1
kind: Node
metadata: {name: b-1, labels: {failure-domain.beta.kubernetes.io/zone: b}}
status: {conditions: [{type: Ready, status: 'True'}]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1}
spec:
  capacity: {storage: 10Gi}
  storageClassName: fast
  persistentVolumeReclaimPolicy: Delete
  claimRef: {namespace: prod, name: data-web-1}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: topology.kubernetes.io/zone, operator: In, values: [a]}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}
allowVolumeExpansion: true
reclaimPolicy: Retain
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: other}
";

#[test]
fn every_kind_keeps_the_fields_of_rules() {
    let loaded = loaded(AROUND).unwrap();
    let around = loaded.inventory.related();
    // A kind with the same name in another group is a different kind.
    let skipped: Vec<(&str, usize)> = loaded.skipped.iter().map(|(k, n)| (&**k, *n)).collect();
    assert_eq!(skipped, [("ConfigMap", 1), ("Service", 1)]);

    let budgets: Vec<_> = around.budgets("prod").collect();
    let web = labels(&[("app", "web")]);
    // An empty selector selects nothing in v1beta1.
    assert!(!budgets[0].covers(&web) && budgets[1].covers(&web));
    assert_eq!(
        (budgets[0].allows(3), budgets[1].allows(3)),
        (Some(1), Some(1))
    );
    assert_eq!(budgets[1].disruptions_allowed, Some(1));
    assert_eq!(around.budgets("other").count(), 0);

    let service = around.services("prod").next().unwrap();
    assert!(service.is_headless && service.publishes_not_ready && service.selects(&web));
    let autoscaler = around.autoscalers("prod").next().unwrap();
    assert!(autoscaler.scales("web") && !autoscaler.scales("db"));
    assert_eq!((autoscaler.min_replicas, autoscaler.max_replicas), (1, 9));

    let events = around.events("prod", "Pod", "web-1");
    let short = |at: usize| {
        let event = &events[at];
        let last = event.last.unwrap().to_string();
        (
            event.is_warning,
            &*event.reason,
            &*event.message,
            event.count,
            last,
        )
    };
    let last = "2026-01-01T11:00:00Z".to_owned();
    assert_eq!(
        short(0),
        (true, "FailedScheduling", "0/3 nodes are available", 7, last)
    );
    let last = "2026-01-01T12:00:00.123456Z".to_owned();
    assert_eq!(short(1), (false, "Pulled", "pulled", 1, last));
    assert!(around.events("prod", "Pod", "web-2").is_empty());

    let (a, b) = (around.node("a-1").unwrap(), around.node("b-1").unwrap());
    assert!(a.is_down() && a.is_out_of_service() && a.unschedulable);
    assert!(!b.is_down() && !b.is_out_of_service() && !b.unschedulable);
    assert_eq!(
        (a.zone().map(|z| &**z), b.zone().map(|z| &**z)),
        (Some("a"), Some("b"))
    );
    let volume = around.volume("pv-1").unwrap();
    assert!(volume.admits(a) && !volume.admits(b));
    assert_eq!(volume.zones().into_iter().collect::<Vec<_>>(), ["a"]);
    assert_eq!(volume.claim, Some(("prod".into(), "data-web-1".into())));
    let class = around.default_storage_class().unwrap();
    assert!(class.allows_expansion && !class.deletes_volumes);
}

#[test]
fn malformed_objects_are_reported_by_position_and_field() {
    for (text, expected) in [
        (
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec:\n  minAvailable: [1]\n",
            "in.yaml: document 1, line 5, column 3: PodDisruptionBudget web is invalid at spec.minAvailable: expected an integer, found a list",
        ),
        (
            "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - key: 3\n",
            "in.yaml: document 1, line 6, column 5: Node a is invalid at spec.taints[0].key: expected a string, found the number 3",
        ),
        (
            "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: \
             a}\n",
            "in.yaml: document 2, line 5, column 1: duplicate Service a, first defined in in.yaml: document 1, line 1, column 1: remove one of \
             them",
        ),
        (
            "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {}\n",
            "in.yaml: document 1, line 3, column 1: StorageClass has no metadata.name: add one",
        ),
    ] {
        assert_eq!(loaded(text).unwrap_err(), expected);
    }
}

#[test]
fn a_manifest_overrides_the_stored_set() {
    let service = |ip: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec: {{clusterIP: {ip}, selector: {{app: web}}}}\n"
        )
    };
    let mut stored = loaded(&service("10.0.0.1")).unwrap();
    let before = stored.inventory.related();
    stored
        .inventory
        .overlay(&loaded(&service("None")).unwrap().inventory);
    let after = stored.inventory.related();
    assert!(!before.services("prod").next().unwrap().is_headless);
    assert!(after.services("prod").next().unwrap().is_headless);
    assert_eq!(after.services("prod").count(), 1);
}
