//! Problems that will stop a rollout are reported before it begins. Nothing is reported that the input does not show.

use serde_json::{Value, json};
use sts_controller::apiserver::apply::Edit;
use test_kit::input::{Input, fixture, objects};
use test_kit::kv::NOW;
use test_kit::told::told;

/// The rules that this module tests.
pub const RULES: [&str; 9] = [
    "STS035", "STS036", "STS037", "STS038", "STS039", "STS040", "STS041", "STS042", "STS043",
];

/// A set of three pods with a claim each that was never stored.
fn set() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "pg", "namespace": "db"},
        "spec": {
            "replicas": 3, "serviceName": "pg",
            "selector": {"matchLabels": {"app": "pg"}},
            "template": {
                "metadata": {"labels": {"app": "pg"}},
                "spec": {"containers": [{
                    "name": "postgres", "image": "postgres:16.6",
                    "readinessProbe": {"tcpSocket": {"port": 5432}},
                    "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}},
                }]},
            },
            "volumeClaimTemplates": [{
                "metadata": {"name": "pgdata"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
                    "resources": {"requests": {"storage": "10Gi"}},
                },
            }],
        },
    })
}

fn node(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {
            "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": format!("zone-{name}"),
        }},
        "status": {
            "allocatable": {"cpu": "4", "memory": "16Gi"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    })
}

fn class(name: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": name}, "provisioner": "ebs.csi.aws.com",
    })
}

fn volume(name: &str, class: &str, size: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {"capacity": {"storage": size}, "storageClassName": class},
    })
}

/// The set with a change.
fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut set = set();
    change(&mut set);
    set
}

/// Its pods with a change.
fn pods_with(change: impl FnOnce(&mut Value)) -> Value {
    with(|set| change(&mut set["spec"]["template"]["spec"]))
}

fn three_nodes() -> Vec<Value> {
    ["na", "nb", "nc"].map(node).to_vec()
}

/// The plan of these objects.
fn input(objects: &[Value]) -> Input {
    Input::of(objects, NOW)
}

/// The plan of these objects as JSON.
fn plan(objects: &[Value]) -> Value {
    input(objects).json()
}

/// The messages of the findings with that id.
fn found(plan: &Value, id: &str) -> Vec<String> {
    let findings = plan["findings"].as_array().unwrap().iter();
    let of_rule = findings.filter(|finding| finding["id"] == id);
    of_rule
        .map(|finding| finding["message"].as_str().unwrap().to_owned())
        .collect()
}

/// Asserts that the plan stops at a pod for a reason that finding, verdict and assumption all report, and that the
/// opposite assumption removes it.
fn stops(objects: &[Value], id: &str, pod: &str, words: &str) {
    let stopped = plan(objects);
    assert_eq!(stopped["outcome"]["result"], "blocked", "{stopped:#}");
    let messages = found(&stopped, id);
    assert!(
        messages
            .iter()
            .any(|message| message.contains(words) && message.contains(pod)),
        "{id} at {pod}: {words}\n{:#}",
        stopped["findings"]
    );
    let headline = stopped["analysis"]["headline"].as_str().unwrap();
    assert!(headline.contains(words), "{headline}");
    assert_eq!(stopped["analysis"]["cause"]["pod"], pod);
    let assumed = stopped["assumptions"].to_string();
    assert!(
        assumed.contains(&format!("--assume {pod}=recovers")),
        "{assumed}"
    );
    let all = ["pg-0", "pg-1", "pg-2"];
    let recovered = input(objects).recovering(&all).json();
    assert_eq!(recovered["outcome"]["result"], "complete");
    assert_eq!(found(&recovered, id), Vec::<String>::new());
}

/// Asserts that nothing stops the plan, and that the rule reports nothing.
fn passes(objects: &[Value], id: &str) {
    let passing = plan(objects);
    assert_eq!(
        passing["outcome"]["result"], "complete",
        "{:#}",
        passing["analysis"]
    );
    assert_eq!(found(&passing, id), Vec::<String>::new());
}

#[test]
fn a_storage_class_that_does_not_exist() {
    let missing = "claim pgdata-pg-0: StorageClass fast does not exist";
    stops(&[set(), class("slow")], "STS035", "pg-0", missing);
    let advised = plan(&[set(), class("slow")])["analysis"]["remedies"].to_string();
    assert!(
        advised.contains("kubectl get storageclass fast"),
        "{advised}"
    );
    passes(&[set(), class("fast")], "STS035");
    // Without any class in the input, nothing shows that the class is missing.
    passes(&[set()], "STS035");
    // Manually created volumes need no class: one is free, and the next claim gets none.
    let free = volume("pv-0", "fast", "10Gi");
    stops(
        &[set(), class("slow"), free.clone()],
        "STS035",
        "pg-1",
        "claim pgdata-pg-1: StorageClass fast does not exist",
    );
    let small = volume("pv-0", "fast", "5Gi");
    stops(&[set(), class("slow"), small], "STS035", "pg-0", missing);
    let three = ["a", "b", "c"].map(|name| volume(name, "fast", "20Gi"));
    passes(&[&[set(), class("slow")][..], &three].concat(), "STS035");
}

/// A quota with one limit, of which so much is used.
fn quota(resource: &str, hard: &str, used: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small", "namespace": "db"},
        "status": {"hard": {resource: hard}, "used": {resource: used}},
    })
}

/// Asserts that a quota admits pg-0 alone, with its claim, and all pods once it is raised.
fn admits_the_first(quota: Value, refused: &str, raise: &str) {
    let objects = [set(), quota];
    let stopped = plan(&objects);
    assert_eq!(stopped["outcome"]["result"], "blocked", "{stopped:#}");
    let headline = stopped["analysis"]["headline"].as_str().unwrap();
    assert!(
        headline.contains("pg-1 cannot be created: it exceeds quota small"),
        "{headline}"
    );
    let obstacle = stopped["outcome"]["blockedBy"].to_string();
    assert!(obstacle.contains(refused), "{obstacle}");
    let created: Vec<&Value> = (stopped["operations"].as_array().unwrap().iter())
        .filter(|it| it["operation"] == "create")
        .map(|it| &it["pod"])
        .collect();
    assert_eq!(created, ["pg-0"], "{stopped:#}");
    let (object, what) = raise.split_once('=').unwrap();
    let raised = input(&objects).granting(object, what).report();
    assert!(
        raised.closing.contains("complete after"),
        "{}",
        raised.closing
    );
    let assumed = raised.assumptions.join("; ");
    assert!(
        assumed.contains("the quota has room for 2 more pods (--assume quota/small"),
        "{assumed}"
    );
    let given = input(&objects).recovering(&["pg-1", "pg-2"]).report();
    assert!(
        given.closing.contains("complete after"),
        "{}",
        given.closing
    );
}

#[test]
fn a_quota_without_room_for_the_next_pod() {
    admits_the_first(
        quota("requests.memory", "10Gi", "9Gi"),
        "requested: requests.memory=1Gi, used: requests.memory=10Gi, limited: requests.memory=10Gi",
        "quota/small=requests.memory+2Gi",
    );
    admits_the_first(quota("pods", "1", "0"), "pods=1", "quota/small=+2");
}

#[test]
fn a_quota_without_room_for_the_next_claim() {
    let class = "fast.storageclass.storage.k8s.io/requests.storage";
    for resource in ["requests.storage", class] {
        admits_the_first(
            quota(resource, "12Gi", "1Gi"),
            "claim-quota",
            &format!("quota/small={resource}+30Gi"),
        );
    }
    let slow = "slow.storageclass.storage.k8s.io/requests.storage";
    for roomy in [
        quota(slow, "1Gi", "0"),
        quota("requests.storage", "30Gi", "0"),
    ] {
        passes(&[set(), roomy], "STS032");
    }
}

#[test]
fn a_default_storage_class_where_one_is_needed() {
    let nameless = with(|set| {
        let claim = &mut set["spec"]["volumeClaimTemplates"][0]["spec"];
        claim.as_object_mut().unwrap().remove("storageClassName");
    });
    let words = "it names no StorageClass, and there is no default StorageClass";
    stops(&[nameless.clone(), class("slow")], "STS035", "pg-0", words);
    let mut default = class("slow");
    default["metadata"]["annotations"] =
        json!({"storageclass.kubernetes.io/is-default-class": "true"});
    passes(&[nameless.clone(), default], "STS035");
    passes(&[nameless], "STS035");
}

#[test]
fn a_claim_without_a_volume() {
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "pgdata-pg-1", "namespace": "db", "uid": "claim-1", "creationTimestamp": "2026-11-21T11:00:00Z",
        },
        "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}},
        "status": {"phase": "Pending"},
    });
    let event = |reason: &str, kind: &str, count: i64| {
        json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": format!("pgdata-pg-1.{reason}"), "namespace": "db"},
            "involvedObject": {"kind": "PersistentVolumeClaim", "name": "pgdata-pg-1", "namespace": "db", "uid": "claim-1"},
            "type": kind, "reason": reason, "count": count,
            "message": "rpc error: code = ResourceExhausted desc = quota exceeded.",
            "firstTimestamp": "2026-11-21T11:59:30Z", "lastTimestamp": "2026-11-21T11:59:50Z",
        })
    };
    let objects = |events: &[Value]| [&[set(), class("fast"), claim.clone()], events].concat();
    stops(
        &objects(&[event("ProvisioningFailed", "Warning", 12)]),
        "STS036",
        "pg-1",
        "provisioning failed 12 times: rpc error: code = ResourceExhausted desc = quota exceeded",
    );
    // A recent failure may pass, and waiting for a pod is normal.
    passes(
        &objects(&[event("ProvisioningFailed", "Warning", 1)]),
        "STS036",
    );
    passes(
        &objects(&[event("WaitForFirstConsumer", "Normal", 40)]),
        "STS036",
    );
    passes(&objects(&[]), "STS036");
    // No provisioner creates volumes of this class.
    let mut local = class("fast");
    local["provisioner"] = json!("kubernetes.io/no-provisioner");
    let two = ["a", "b"].map(|name| volume(name, "fast", "10Gi"));
    stops(
        &[&[set(), local.clone()][..], &two].concat(),
        "STS036",
        "pg-2",
        "StorageClass fast does not provision volumes, and none of its PersistentVolumes is available",
    );
    passes(&[set(), local], "STS036");
}

#[test]
fn no_node_fits() {
    let nodes = |objects: &[Value]| [objects, &three_nodes()].concat();
    passes(&nodes(&[set()]), "STS037");
    let selecting = pods_with(|spec| spec["nodeSelector"] = json!({"disk": "ssd"}));
    let words = "pg-0 cannot be scheduled: 3 nodes do not match nodeSelector disk=ssd";
    stops(
        &nodes(std::slice::from_ref(&selecting)),
        "STS037",
        "pg-0",
        words,
    );
    let mut ssd = node("nd");
    ssd["metadata"]["labels"]["disk"] = json!("ssd");
    passes(&nodes(&[selecting.clone(), ssd.clone()]), "STS037");
    // Without nodes in the input, no node is missing.
    passes(std::slice::from_ref(&selecting), "STS037");
    ssd["spec"] = json!({"unschedulable": true});
    let words = "3 nodes do not match nodeSelector disk=ssd, 1 node is cordoned (nd)";
    stops(
        &nodes(&[selecting.clone(), ssd.clone()]),
        "STS037",
        "pg-0",
        words,
    );
    ssd["spec"] = json!({"taints": [{"key": "dedicated", "value": "web", "effect": "NoSchedule"}]});
    let words = "1 node has taint dedicated=web:NoSchedule, which it does not tolerate";
    stops(
        &nodes(&[selecting.clone(), ssd.clone()]),
        "STS037",
        "pg-0",
        words,
    );
    let tolerating = pods_with(|spec| {
        spec["nodeSelector"] = json!({"disk": "ssd"});
        spec["tolerations"] = json!([{"key": "dedicated", "operator": "Exists"}]);
    });
    passes(&nodes(&[tolerating, ssd]), "STS037");
    let affine = pods_with(|spec| {
        spec["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [
                {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-nx"]},
            ]}],
        }}});
    });
    let words = "3 nodes do not match the required node affinity";
    stops(
        &nodes(std::slice::from_ref(&affine)),
        "STS037",
        "pg-0",
        words,
    );
    passes(&nodes(&[affine, node("nx")]), "STS037");
    let named = pods_with(|spec| {
        spec["schedulerName"] = json!("stork");
        spec["nodeSelector"] = json!({"disk": "ssd"});
    });
    passes(&nodes(&[named]), "STS037");
}

#[test]
fn requests_that_fit_on_no_node() {
    let nodes = |objects: &[Value]| [objects, &three_nodes()].concat();
    let asking = |memory: &str| {
        pods_with(|spec| {
            spec["containers"][0]["resources"] = json!({"limits": {"memory": memory}});
            spec["initContainers"] = json!([
                {"name": "proxy", "image": "envoy", "restartPolicy": "Always",
                 "resources": {"requests": {"memory": "2Gi"}}},
                {"name": "migrate", "image": "migrate", "resources": {"requests": {"memory": "3Gi"}}},
            ]);
        })
    };
    let words = "3 nodes have less memory in total than the 18Gi requested";
    stops(&nodes(&[asking("16Gi")]), "STS037", "pg-0", words);
    passes(&nodes(&[asking("14Gi")]), "STS037");
    let accelerated = pods_with(|spec| {
        spec["containers"][0]["resources"] = json!({"limits": {"nvidia.com/gpu": 1}});
    });
    let words = "3 nodes have less nvidia.com/gpu in total than the 1 requested";
    stops(&nodes(&[accelerated]), "STS037", "pg-0", words);
    // A node without allocatable may have any amount.
    let mut silent = node("nd");
    silent["status"]["allocatable"] = json!({});
    passes(&nodes(&[asking("16Gi"), silent]), "STS037");
}

#[test]
fn more_pods_than_places() {
    let two = |objects: &[Value]| [objects, &[node("na"), node("nb")]].concat();
    let apart = |key: &str| {
        pods_with(|spec| {
            spec["affinity"] = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "pg"}}},
            ]}});
        })
    };
    let words = "required anti-affinity over kubernetes.io/hostname leaves room for 2 pods";
    stops(
        &two(&[apart("kubernetes.io/hostname")]),
        "STS038",
        "pg-2",
        words,
    );
    passes(
        &two(&[apart("kubernetes.io/hostname"), node("nc")]),
        "STS038",
    );
    // Nodes without the label accept any number.
    passes(&two(&[apart("rack")]), "STS038");
    let others = pods_with(|spec| {
        spec["affinity"] = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}},
        ]}});
    });
    passes(&two(&[others]), "STS038");
    let port = pods_with(|spec| {
        spec["containers"][0]["ports"] = json!([{"containerPort": 5432, "hostPort": 5432}]);
    });
    let words = "host port 5432 leaves room for 2 pods";
    stops(&two(std::slice::from_ref(&port)), "STS038", "pg-2", words);
    passes(&two(&[port, node("nc")]), "STS038");
    let spread = |hard: &str| {
        pods_with(|spec| {
            spec["topologySpreadConstraints"] = json!([{
                "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": hard,
                "labelSelector": {"matchLabels": {"app": "pg"}},
            }]);
        })
    };
    // The third zone counts, but accepts no pods.
    let mut closed = node("nc");
    closed["spec"] = json!({"unschedulable": true});
    let words =
        "the topology spread over topology.kubernetes.io/zone (maxSkew 1) leaves room for 2 pods";
    stops(
        &two(&[spread("DoNotSchedule"), closed.clone()]),
        "STS038",
        "pg-2",
        words,
    );
    passes(&two(&[spread("ScheduleAnyway"), closed]), "STS038");
    passes(&two(&[spread("DoNotSchedule")]), "STS038");
}

#[test]
fn a_secret_that_one_pod_waits_for_stops_the_others_too() {
    let needing = with(|set| {
        set["spec"]["podManagementPolicy"] = json!("Parallel");
        set["spec"]
            .as_object_mut()
            .unwrap()
            .remove("volumeClaimTemplates");
        set["spec"]["template"]["spec"]["containers"][0]["envFrom"] =
            json!([{"secretRef": {"name": "pg-auth"}}]);
    });
    let recorded = plan(std::slice::from_ref(&needing))["next"]["writes"][0].clone();
    assert_eq!(recorded["resource"], "controllerrevisions");
    let pod = |name: &str| {
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": name, "namespace": "db", "uid": name, "creationTimestamp": "2026-11-21T11:58:00Z",
                "labels": {"app": "pg", "controller-revision-hash": recorded["name"]},
            },
            "spec": {"nodeName": "na"},
            "status": {
                "phase": "Pending",
                "containerStatuses": [{"name": "postgres", "state": {"waiting": {
                    "reason": "CreateContainerConfigError", "message": "secret \"pg-auth\" not found",
                }}}],
            },
        })
    };
    let event = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "db"},
        "involvedObject": {"kind": "Pod", "name": "pg-0", "namespace": "db"},
        "type": "Warning", "reason": "Failed", "message": "Error: secret \"pg-auth\" not found", "count": 9,
    });
    let screen = told(&input(&[needing.clone(), pod("pg-0"), event.clone()]).report());
    assert!(
        screen.contains("pg-0 cannot start: Secret pg-auth is missing"),
        "{screen}"
    );
    assert!(
        screen.contains("kubectl get secret pg-auth -n db"),
        "{screen}"
    );
    assert!(!screen.contains("delete pod"), "{screen}");
    let planned = plan(&[needing.clone(), pod("pg-0"), event.clone()]);
    let messages = found(&planned, "STS039");
    assert!(
        messages[0].contains("the same applies to pg-1, pg-2"),
        "{messages:?}"
    );
    // A template that does not need it continues.
    let mut other = needing;
    other["spec"]["template"]["spec"]["containers"][0] =
        json!({"name": "postgres", "image": "postgres:17"});
    let planned = plan(&[other, pod("pg-0"), event]);
    assert!(!planned["findings"].to_string().contains("pg-1"));
}

/// An info finding states useful facts and nothing more.
#[test]
fn useful_facts_are_info_findings() {
    let bare = pods_with(|spec| {
        let container = spec["containers"][0].as_object_mut().unwrap();
        container.remove("readinessProbe");
    });
    let planned = plan(&[bare]);
    assert_eq!(planned["outcome"]["result"], "complete");
    assert_eq!(found(&planned, "STS040").len(), 1);
    assert_eq!(found(&plan(&[set()]), "STS040").len(), 0);
    let sleeping = |seconds: i64| {
        pods_with(|spec| {
            spec["terminationGracePeriodSeconds"] = json!(60);
            let command = json!(["sh", "-c", format!("sleep {seconds}")]);
            spec["containers"][0]["lifecycle"] = json!({"preStop": {"exec": {"command": command}}});
        })
    };
    assert_eq!(found(&plan(&[sleeping(60)]), "STS041").len(), 1);
    assert_eq!(found(&plan(&[sleeping(59)]), "STS041").len(), 0);
    let half = fixture("trial/pg-half.yaml");
    let of_text = |text: &str| input(&objects(text));
    let covered = of_text(&half).json();
    assert_eq!(found(&covered, "STS043").len(), 0);
    // Its budget covers other pods.
    let (before, budget) = half.split_once("kind: PodDisruptionBudget").unwrap();
    let other = format!(
        "{before}kind: PodDisruptionBudget{}",
        budget.replacen("app: pg", "app: web", 1)
    );
    assert_eq!(found(&of_text(&other).json(), "STS043").len(), 1);
    let unknown = plan(&[set()]);
    assert_eq!(
        found(&unknown, "STS043").len(),
        0,
        "the file does not tell of budgets"
    );
    assert_eq!(
        found(&covered, "STS042").len(),
        0,
        "one pod at a time keeps the majority"
    );
    // All except the first at once: one of three is ready.
    let parallel = half.replace(
        "podManagementPolicy: OrderedReady",
        "podManagementPolicy: Parallel",
    );
    let gated = of_text(&parallel).version("1.37 MaxUnavailableStatefulSet=true");
    let together = gated.edited([Edit::max_unavailable("2")]).json();
    let found = found(&together, "STS042");
    assert!(
        found[0].contains("--require quorum enforces it"),
        "{found:?}"
    );
}
