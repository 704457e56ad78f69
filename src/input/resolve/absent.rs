//! Messages for sets that are not found.

use std::collections::{BTreeMap, BTreeSet};

use super::{Target, all};
use crate::input::files::{DEMO, STANDARD_INPUT};
use crate::input::{Loaded, suggest};
use crate::request::{Selection, World};
use kubectl_manifest::{excerpt, path_excerpt};
use sts_plan::explain::{named, quoted};

/// The requested sets do not exist.
#[derive(Debug)]
pub struct NotFound(pub String);

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotFound {}

pub(super) fn not_found(
    name: &str,
    world: &World,
    namespace: Option<&str>,
    loaded: &Loaded,
    applied: &Loaded,
) -> String {
    const SHOWN: usize = 5;
    let within = namespace
        .map(|namespace| format!(" in namespace {namespace:?}"))
        .unwrap_or_default();
    if world.is_live() {
        return format!("StatefulSet {name:?} not found{within}");
    }
    let there = all(loaded, applied);
    let shown =
        |target: &Target<'_>| format!("{}/{}", excerpt(&target.namespace), excerpt(&target.name));
    let none = format!("StatefulSet {name:?} not found in the input{within}");
    let set = suggest::set_of_pod(name);
    if let Some(set) = there.iter().find(|target| Some(&*target.name) == set) {
        return none + &suggest::is_pod(name, &shown(set));
    }
    let mut near: Vec<(usize, String)> = there
        .iter()
        .filter_map(|target| {
            let distance = suggest::distance_if_near(name, &target.name)?;
            Some((distance, shown(target)))
        })
        .collect();
    near.sort_unstable();
    if !near.is_empty() {
        let near: Vec<String> = near.into_iter().take(SHOWN).map(|(_, set)| set).collect();
        return format!("{none}; did you mean {}?", near.join(" or "));
    }
    let listed: Vec<String> = there.iter().take(SHOWN).map(shown).collect();
    let listed = match (listed.as_slice(), there.len().saturating_sub(SHOWN)) {
        ([], _) => "no StatefulSets".to_owned(),
        (listed, 0) => listed.join(", "),
        (listed, more) => format!("{} and {more} more", listed.join(", ")),
    };
    format!("{none}; the input has {listed}")
}

pub(super) fn nothing_found(
    world: &World,
    selection: &Selection,
    loaded: &Loaded,
    applied: &Loaded,
) -> String {
    let there = all(loaded, applied);
    if !there.is_empty() {
        let mut filters = Vec::new();
        filters.extend(
            world
                .namespace
                .as_ref()
                .map(|namespace| format!("-n {namespace}")),
        );
        filters.extend(
            selection
                .selector
                .as_ref()
                .map(|selector| format!("-l {selector}")),
        );
        let filters = filters.join(" ");
        let place = if world.is_live() {
            "here"
        } else {
            "of the input"
        };
        let none = match there.len() {
            1 => format!("the only StatefulSet {place} does not match {filters}"),
            all => format!("none of the {all} StatefulSets {place} match {filters}"),
        };
        let namespaces: BTreeSet<&str> = there.iter().map(|target| target.namespace()).collect();
        let elsewhere = world
            .namespace
            .as_deref()
            .is_some_and(|name| !namespaces.contains(name));
        if elsewhere {
            return format!("{none}; StatefulSets exist in {}", in_words(&namespaces));
        }
        return none;
    }
    let orphaned = sets_of_pods(loaded);
    if !orphaned.is_empty() {
        return format!("no StatefulSet in {}; {orphaned}", files_of(world));
    }
    if let Some(beside) = beside_no_set(loaded) {
        return format!("no StatefulSet in {}; {beside}", files_of(world));
    }
    const SHOWN: usize = 8;
    let kinds: BTreeSet<&String> = loaded
        .skipped
        .keys()
        .chain(applied.skipped.keys())
        .collect();
    let more = kinds.len() > SHOWN;
    let kinds = kinds.iter().take(SHOWN).map(|kind| excerpt(kind));
    let kinds: Vec<String> = kinds.chain(more.then(|| "...".to_owned())).collect();
    if kinds.is_empty() && world.is_live() {
        let place = if selection.all_namespaces {
            "cluster"
        } else {
            "namespace: choose another with -n, or all with -A"
        };
        return format!("no StatefulSet in the {place}");
    }
    if kinds.is_empty() {
        return format!("no StatefulSet in {}", files_of(world));
    }
    let skipped: usize = loaded
        .skipped
        .values()
        .chain(applied.skipped.values())
        .sum();
    let objects = match skipped {
        1 => "1 object of another kind".to_owned(),
        _ => format!("{skipped} objects of other kinds"),
    };
    format!(
        "no StatefulSet in {}, only {objects} ({})",
        files_of(world),
        kinds.join(", ")
    )
}

/// Describes pods without an owner, or events, of an input that has no set, with the command that reads their sets; `None`
/// if it has neither.
fn beside_no_set(loaded: &Loaded) -> Option<String> {
    const READ: &str = "kubectl get sts,pods,controllerrevisions,pvc,events -o yaml";
    let mut bare = loaded.inventory.pods();
    let bare = bare.find(|pod| pod.meta.controller().is_none());
    if let Some(pod) = bare {
        return Some(format!(
            "pod {} has no owner (its ownerReferences are empty): no StatefulSet manages it now; if one should, read the \
             sets of its namespace too: {READ} -n {}",
            excerpt(&pod.meta.name),
            quoted(&pod.meta.namespace)
        ));
    }
    let has_events = loaded.inventory.related().has_events();
    has_events.then(|| {
        format!(
            "it has events, but not the set and the pods that they are about: {READ} -n NAMESPACE"
        )
    })
}

/// Describes the sets that own the pods of an input which lacks them, with the commands that read them; empty if there are none.
fn sets_of_pods(loaded: &Loaded) -> String {
    const SHOWN: usize = 3;
    let mut sets: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for pod in loaded.inventory.pods() {
        let owner = pod.meta.controller();
        if let Some(owner) = owner.filter(|it| it.names("apps/v1", "StatefulSet", &it.name)) {
            *sets.entry((&pod.meta.namespace, &owner.name)).or_default() += 1;
        }
    }
    let described = sets.iter().take(SHOWN).map(|((namespace, name), pods)| {
        let belong = match pods {
            1 => "1 pod belongs".to_owned(),
            pods => format!("{pods} pods belong"),
        };
        format!(
            "{belong} to StatefulSet {}/{}, which the input lacks: kubectl sts-plan dump {} -n {} > dump.yaml",
            excerpt(namespace),
            excerpt(name),
            named(name),
            quoted(namespace)
        )
    });
    let described: Vec<String> = described.collect();
    described.join("; ")
}

/// Lists a few files, and the number of others.
fn files_of(world: &World) -> String {
    const SHOWN: usize = 3;
    let names = world.files.iter().take(SHOWN).map(|file| match &**file {
        "-" => STANDARD_INPUT.to_owned(),
        file => path_excerpt(file),
    });
    let demo = world.demo.map(|_| DEMO.to_owned());
    let names: Vec<String> = demo.into_iter().chain(names).collect();
    match (world.is_live(), world.files.len().saturating_sub(SHOWN)) {
        (true, _) => "the cluster".to_owned(),
        (false, 0) => names.join(", "),
        (false, more) => format!("{} and {more} more", names.join(", ")),
    }
}

/// Lists a few namespaces, and the number of others.
pub(in crate::input) fn in_words(namespaces: &BTreeSet<&str>) -> String {
    const SHOWN: usize = 8;
    let names: Vec<&str> = namespaces.iter().copied().take(SHOWN).collect();
    let word = if namespaces.len() == 1 {
        "namespace"
    } else {
        "namespaces"
    };
    match namespaces.len().saturating_sub(SHOWN) {
        0 => format!("{word} {}", names.join(", ")),
        more => format!("{word} {} and {more} more", names.join(", ")),
    }
}
