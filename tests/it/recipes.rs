//! The recipes of `docs/ci.md`, each run as far as possible without network: a good change passes; a bad one fails, and
//! so does an input without a set.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use kubectl_sts_plan::internals::Policy;
use serde_yaml::Value;

use crate::cluster::server::Server;
use crate::program::program;
use crate::readme::{blocks, changed_set};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The recipes with this top-level key.
fn recipes(key: &str) -> Vec<Value> {
    let all = blocks("yaml").into_iter();
    let all = all.map(|block| serde_yaml::from_str::<Value>(block).unwrap());
    let found: Vec<Value> = all.filter(|recipe| recipe.get(key).is_some()).collect();
    assert!(!found.is_empty(), "no recipe has {key}");
    found
}

/// The strings of a list.
fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_sequence().unwrap().iter();
    list.map(|text| text.as_str().unwrap()).collect()
}

/// The possible changes for a recipe, with their exit codes.
fn changes() -> [(&'static str, String, i32); 3] {
    [
        ("good", changed_set(4), 0),
        ("rejected", changed_set(-1), 4),
        ("empty", String::new(), 1),
    ]
}

/// Runs the program in a folder, with only a kubeconfig in its environment.
fn run(folder: &Path, kubeconfig: &Path, args: &[&str]) -> (i32, String) {
    let output = program()
        .args(args)
        .current_dir(folder)
        .env("KUBECONFIG", kubeconfig)
        .output()
        .unwrap();
    let told = [&output.stdout[..], &output.stderr[..]].concat();
    let told = String::from_utf8(told).unwrap();
    (output.status.code().unwrap(), told)
}

/// A folder with the files that recipes name.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("recipe_{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("deploy")).unwrap();
    let world = root().join("tests/fixtures/rollout.yaml");
    fs::copy(world, folder.join("cluster.yaml")).unwrap();
    folder
}

#[test]
fn every_recipe_is_run_here() {
    // A policy, two GitHub workflows, a job each for GitLab and Argo CD, the files of pre-commit and k9s, and stages.
    assert_eq!(blocks("yaml").len(), 8);
}

#[test]
fn the_stages_are_planned() {
    let folder = folder("stages");
    let stages = serde_yaml::to_string(&recipes("stages")[0]).unwrap();
    fs::write(folder.join("stages.yaml"), stages).unwrap();
    let command = [
        "-f",
        "cluster.yaml",
        "web",
        "-n",
        "prod",
        "--stages",
        "stages.yaml",
        "-o",
        "markdown",
    ];
    let (code, told) = run(&folder, &folder.join("no-config"), &command);
    assert_eq!(code, 0, "{told}");
    for name in ["one pod", "half", "all"] {
        assert!(told.contains(name), "{name}: {told}");
    }
}

#[test]
fn the_policy_is_a_policy() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipe-policy.yaml");
    let all = blocks("yaml").into_iter();
    let policies: Vec<&str> = all
        .filter(|block| block.lines().any(|line| line.starts_with("fail-on:")))
        .collect();
    fs::write(&path, policies[0]).unwrap();
    Policy::read(&path).unwrap();
    assert_eq!(policies.len(), 1);
}

/// GitHub and Flux: the inputs exist in the action, whose step is run with them.
#[test]
#[cfg(unix)]
fn github_and_flux_use_the_action() {
    use crate::release::action::Runner;
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    let action: Value = serde_yaml::from_str(&action).unwrap();
    let workflows = recipes("jobs");
    assert_eq!(workflows.len(), 2);
    for workflow in workflows {
        let steps = workflow["jobs"]["statefulsets"]["steps"]
            .as_sequence()
            .unwrap();
        let step = steps.last().unwrap();
        let version = concat!("@v", env!("CARGO_PKG_VERSION"));
        assert!(
            step["uses"].as_str().unwrap().ends_with(version),
            "{step:?}"
        );
        let runner = Runner::new("recipe").with_program();
        let world = root().join("tests/fixtures/rollout.yaml");
        fs::copy(world, runner.folder.join("cluster.yaml")).unwrap();
        let mut env = BTreeMap::new();
        for (input, value) in step["with"].as_mapping().unwrap() {
            let input = input.as_str().unwrap();
            assert!(action["inputs"].get(input).is_some(), "{input}");
            if let Some(value) = value.as_str() {
                let variable = format!("STS_PLAN_{}", input.to_uppercase().replace('-', "_"));
                env.insert(variable, value);
            }
        }
        let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (&**name, *value)).collect();
        for (name, change, code) in changes() {
            fs::write(runner.folder.join("new.yaml"), change).unwrap();
            let output = runner.step("plan", &env);
            assert_eq!(output.status.code(), Some(code), "{name}: {output:?}");
        }
    }
}

/// GitLab: the planning line of the script, and its reports.
#[test]
fn gitlab_gets_a_test_report_and_code_quality() {
    let job = &recipes("statefulsets")[0]["statefulsets"];
    let line = *texts(&job["script"]).last().unwrap();
    let args: Vec<&str> = line
        .strip_prefix("kubectl-sts_plan ")
        .unwrap()
        .split(' ')
        .collect();
    let reports = &job["artifacts"]["reports"];
    let reports = [("junit", "<testsuites"), ("codequality", "[")]
        .map(|(kind, begins)| (reports[kind].as_str().unwrap(), begins));
    let folder = folder("gitlab");
    for (name, change, code) in changes() {
        for (report, _) in reports {
            let _ = fs::remove_file(folder.join(report));
        }
        fs::write(folder.join("new.yaml"), change).unwrap();
        let (ended, told) = run(&folder, Path::new(nonexistent!()), &args);
        assert_eq!(ended, code, "{name}: {told}");
        for (report, begins) in reports {
            let written = fs::read_to_string(folder.join(report)).unwrap_or_default();
            assert_eq!(written.contains(begins), code != 1, "{name}: {told}");
        }
        let quality = fs::read_to_string(folder.join(reports[1].0)).unwrap_or_default();
        assert_eq!(
            quality.contains("\"critical\""),
            code == 4,
            "{name}: {quality}"
        );
    }
    let archive = job["variables"]["ARCHIVE"].as_str().unwrap();
    let manifest = fs::read_to_string(root().join("krew-manifest.yaml")).unwrap();
    assert!(manifest.contains(&format!("/{archive}\n")), "{archive}");
    let release = job["variables"]["RELEASE"].as_str().unwrap();
    assert!(
        release.ends_with(concat!("/v", env!("CARGO_PKG_VERSION"))),
        "{release}"
    );
}

/// Argo CD: a rollout in progress lets the sync pass, and a stuck one stops it.
#[test]
fn argo_cd_stops_where_the_rollout_is_stuck() {
    let job = &recipes("spec")[0];
    let container = &job["spec"]["template"]["spec"]["containers"][0];
    let image = container["image"].as_str().unwrap();
    assert!(
        image.ends_with(concat!(":v", env!("CARGO_PKG_VERSION"))),
        "{image}"
    );
    let args = texts(&container["args"]);
    for (fixture, code) in [("rollout.yaml", 0), ("crashloop.yaml", 3)] {
        let server = Server::of_fixture(fixture);
        let kubeconfig = server.kubeconfig("recipe-argo", "prod");
        let (ended, told) = run(root(), &kubeconfig, &args);
        assert_eq!(ended, code, "{fixture}: {told}");
    }
}

/// pre-commit: the hook exists, and runs with the arguments of the recipe on the folder.
#[test]
fn pre_commit_has_the_hook() {
    let repo = &recipes("repos")[0]["repos"][0];
    assert_eq!(
        repo["rev"].as_str(),
        Some(concat!("v", env!("CARGO_PKG_VERSION")))
    );
    let hook = &repo["hooks"][0];
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let hooks: Value = serde_yaml::from_str(&hooks).unwrap();
    let named = hooks
        .as_sequence()
        .unwrap()
        .iter()
        .find(|it| it["id"] == hook["id"]);
    let entry = named.unwrap()["entry"].as_str().unwrap();
    let entry: Vec<&str> = entry.split(' ').skip(1).collect();
    let args = [&entry[..], &texts(&hook["args"])].concat();
    let folder = folder("pre-commit");
    for (name, change, code) in changes() {
        fs::write(folder.join("deploy/new.yaml"), change).unwrap();
        let (ended, told) = run(&folder, Path::new(nonexistent!()), &args);
        assert_eq!(ended, code, "{name}: {told}");
    }
}

/// k9s: `doc_commands` runs the commands; this test checks the plugin's fields.
#[test]
fn k9s_plugins_have_their_fields() {
    let recipes = recipes("plugins");
    let plugins = recipes[0]["plugins"].as_mapping().unwrap();
    let mut keys = Vec::new();
    for (name, plugin) in plugins {
        let name = name.as_str().unwrap();
        for key in ["description", "command"] {
            let text = plugin[key].as_str();
            assert!(text.is_some_and(|it| !it.is_empty()), "{name}: {key}");
        }
        // k9s does not bind its own keys without an override.
        assert_eq!(plugin["override"], Value::Bool(true), "{name}");
        // A screen needs the terminal.
        assert_eq!(plugin["background"], Value::Bool(false), "{name}");
        assert_eq!(texts(&plugin["scopes"]), ["statefulsets"], "{name}");
        let args = texts(&plugin["args"]);
        assert_eq!((plugin["command"].as_str(), args[0]), (Some("sh"), "-c"));
        let command = "kubectl sts-plan \"$NAME\" -n \"$NAMESPACE\" --context \"$CONTEXT\" ";
        let flags = args[1].strip_prefix(command);
        keys.push((plugin["shortCut"].as_str().unwrap(), flags.unwrap()));
    }
    assert_eq!(
        keys,
        [
            ("Shift-P", "-o wide --color always | less -R"),
            ("Shift-T", "--interactive"),
            ("Shift-W", "-w"),
        ]
    );
}

/// Flux and Argo CD: the preview of a sync, with the builder's manifest on standard input and a dump as the cluster.
#[test]
fn flux_and_argo_plan_what_a_sync_would_do() {
    use crate::{golden, program};
    let read = |name: &str| {
        let path = golden::root().join(format!("fixtures/server-side/{name}.json"));
        fs::read_to_string(path).unwrap()
    };
    // The manager that applied the stored set, and an autoscaler that has scaled it since.
    let stored = |manager: &str| {
        let mut cluster: serde_json::Value = serde_json::from_str(&read("cluster")).unwrap();
        let managers = cluster["items"][0]["metadata"]["managedFields"]
            .as_array_mut()
            .unwrap();
        managers[0]["manager"] = manager.into();
        managers[0]["fieldsV1"]["f:spec"]
            .as_object_mut()
            .unwrap()
            .remove("f:replicas");
        managers.push(serde_json::json!({
            "manager": "kube-controller-manager", "operation": "Update", "apiVersion": "apps/v1",
            "subresource": "scale", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicas": {}}},
        }));
        let file = folder(&format!("sync-{manager}")).join("dump.json");
        fs::write(&file, cluster.to_string()).unwrap();
        file
    };
    let more = read("manifest").replacen("\"replicas\": 3", "\"replicas\": 5", 1);
    let lines = blocks("sh").into_iter().flat_map(str::lines);
    let recipes: Vec<(&str, &str)> = lines
        .filter_map(|line| line.split_once(" | kubectl sts-plan --server-side "))
        .filter(|(builder, _)| builder.starts_with("flux build ") || builder.starts_with("argocd "))
        .collect();
    assert_eq!(recipes.len(), 2);
    for (builder, flags) in recipes {
        let flags: Vec<&str> = flags.split(' ').collect();
        let manager = flags[1];
        assert_eq!(flags, ["--field-manager", manager, "--force-conflicts"]);
        let dump = stored(manager);
        let now = [
            "-f",
            dump.to_str().unwrap(),
            "--now",
            "2026-11-23T08:00:00Z",
            "--server-side",
        ];
        // A sync takes the replicas and removes the probe that left the manifest. Without force, the plan names their
        // owner.
        let (code, out, err) = program::feed(&[&now[..], &flags].concat(), &more);
        assert_eq!(code, 0, "{builder}: {err}");
        for text in ["spec.replicas 3 -> 5", "readinessProbe", "STS045"] {
            assert!(out.contains(text), "{builder}: {text} is not in {out}");
        }
        let (code, out, _) = program::feed(&[&now[..], &flags[..2]].concat(), &more);
        assert_eq!(code, 4, "{builder}: {out}");
        assert!(
            out.contains(".spec.replicas: owned by kube-controller-manager"),
            "{out}"
        );
    }
}
