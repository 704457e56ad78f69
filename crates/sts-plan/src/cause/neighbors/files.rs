//! Files that the volumes of a container give it, and that the message of its process is about.

use jiff::Timestamp;
use serde_json::Value;

use super::file_line::named_line;
use super::{MOST, Rank, Recognized};
use crate::catalogue::{
    Blames, CauseTrait, ContainerFailure, Mount, container_of, mount_of, mounts, paths,
    rejected_names, successor,
};
use crate::duration::age;
use crate::plan::Plan;
use crate::words::{has_word, list};
use sts_controller::object::{Bystander, Pod};

/// Maximum number of rejected names to tell.
const MOST_NAMES: usize = 6;

/// The files that a message is about. Each is empty if the input does not show it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    /// The object that lacks the key of a missing file: `Secret tls, mounted at /tls, has no key ca.crt, but tls.crt`.
    pub lacking: String,
    /// The empty volume that hides a file of the image: `emptyDir dist, mounted at /app/dist,`.
    pub hidden_by: String,
    /// The names that the process rejects, with their place: `shared_store in ConfigMap loki (config.yaml)`.
    pub misconfigured: String,
    /// That place, if the message rejects no name.
    pub configured: String,
}

impl Files {
    /// Reports whether the file, the key or the names at fault are known.
    pub(crate) fn is_known(&self) -> bool {
        let known = [&self.lacking, &self.hidden_by, &self.misconfigured];
        known.iter().any(|it| !it.is_empty())
    }

    /// Reads the volumes of a pod whose process fails with a message.
    pub(super) fn of(
        plan: &Plan,
        pod: &Pod,
        failure: &ContainerFailure,
        recognized: Option<&Recognized>,
    ) -> Option<Self> {
        let given = pod.given()?;
        let spec = &given["spec"];
        let container = container_of(spec, failure)?;
        let mounts: Vec<Mount<'_>> = mounts(spec, container).collect();
        let entry = recognized.map(|found| found.entry);
        let of_files = [Blames::Template, Blames::Object, Blames::Unknown];
        let is_of_files =
            entry.is_none_or(|it| it.rank == Rank::Generic || of_files.contains(&it.blames));
        let has = |it: CauseTrait| entry.is_some_and(|entry| entry.has(it));
        let mut files = Files::default();
        if is_of_files {
            let missed: Vec<&str> = missed_paths(&failure.last_words).collect();
            let lacking = missed
                .iter()
                .find_map(|path| lacking(plan, pod, &mounts, path));
            files.lacking = lacking.unwrap_or_default();
            let hidden = missed
                .iter()
                .find_map(|path| hidden(spec, container, &mounts, path));
            files.hidden_by = hidden.unwrap_or_default();
        }
        if has(CauseTrait::NamesSetting) {
            files.read_configuration(plan, pod, failure, &mounts);
        }
        Some(files)
    }

    /// Finds the object that has the configuration which the message rejects, and the names in it.
    fn read_configuration(
        &mut self,
        plan: &Plan,
        pod: &Pod,
        failure: &ContainerFailure,
        mounts: &[Mount<'_>],
    ) {
        let names = rejected_names(&failure.last_words);
        let in_words = paths(&failure.last_words).find_map(|path| {
            let (mount, rest) = mount_of(mounts, path)?;
            let (kind, name) = source(mount.volume)?;
            Some((kind, name, key_of(mount, rest), Some(path)))
        });
        let has_name = |object: &&Bystander| {
            let texts = object.texts.as_object().into_iter().flatten();
            let mut texts = texts.filter_map(|(_, text)| text.as_str());
            texts.any(|text| names.iter().any(|name| is_in(text, name)))
        };
        let of_mounts = || {
            let mut found = mounts.iter().filter_map(|mount| {
                let (kind, name) = source(mount.volume)?;
                let object = object(plan, pod, kind, name).filter(has_name)?;
                let texts = object.texts.as_object()?.iter();
                let mut keys = texts.filter_map(|(key, text)| Some((key, text.as_str()?)));
                let (key, _) = keys.find(|(_, text)| names.iter().any(|it| is_in(text, it)))?;
                Some((kind, name, Some(key.clone()), None))
            });
            found.next()
        };
        // Only one ConfigMap: its file is what the process reads.
        let only = || {
            let maps = mounts
                .iter()
                .filter(|it| it.volume["configMap"].is_object());
            let mut names: Vec<&str> = maps
                .filter_map(|it| it.volume["configMap"]["name"].as_str())
                .collect();
            names.dedup();
            match names.as_slice() {
                [name] => Some(("ConfigMap", *name, None, None)),
                _ => None,
            }
        };
        let Some((kind, name, key, path)) = in_words.or_else(of_mounts).or_else(only) else {
            return;
        };
        let object = object(plan, pod, kind, name);
        let place_with = |line: Option<String>| {
            let inner = key.iter().cloned().chain(line).collect();
            place(plan, pod, object, (kind, name, inner))
        };
        let texts = object.and_then(|it| it.texts.as_object());
        let known: Vec<&str> = match texts {
            Some(texts) => {
                let has = |name: &&str| {
                    let mut all = texts.values().filter_map(Value::as_str);
                    all.any(|text| is_in(text, name))
                };
                names.into_iter().filter(has).collect()
            }
            None => names,
        };
        if known.is_empty() {
            let text = key.as_ref().and_then(|key| object?.texts[key].as_str());
            let line = text.and_then(|text| named_line(&failure.last_words, path, text));
            self.configured = place_with(line);
            return;
        }
        let told = known
            .iter()
            .map(|name| match successor(&failure.image, name) {
                Some(now) => format!("{name} ({now})"),
                None => (*name).to_owned(),
            });
        let told: Vec<String> = told.collect();
        self.misconfigured = format!("{} in {}", list(&told, MOST_NAMES), place_with(None));
    }
}

/// Returns the kind and name of the object whose keys are the files of a volume.
fn source(volume: &Value) -> Option<(&'static str, &str)> {
    let secret = volume["secret"]["secretName"].as_str();
    let map = volume["configMap"]["name"].as_str();
    secret
        .map(|name| ("Secret", name))
        .or_else(|| map.map(|name| ("ConfigMap", name)))
}

fn object<'p>(plan: &'p Plan, pod: &Pod, kind: &str, name: &str) -> Option<&'p Bystander> {
    let mut objects = plan.related.bystanders(&pod.meta.namespace);
    let found =
        objects.find(|it| *it.kind == *kind && *it.meta.name == *name && it.group.is_empty());
    found.map(|it| &**it)
}

/// Returns the key of the file at a path below a mount.
fn key_of(mount: &Mount<'_>, rest: &str) -> Option<String> {
    let file = match mount.sub_path {
        "" => rest,
        file => file,
    };
    let items = ["secret", "configMap"].map(|kind| mount.volume[kind]["items"].as_array());
    let mut items = items.into_iter().flatten().flatten();
    let item = items.find(|it| it["path"] == file);
    let key = item.and_then(|it| it["key"].as_str()).unwrap_or(file);
    (!key.is_empty()).then(|| key.to_owned())
}

/// Returns the place of a configuration, with its key and the line in the message, and with the time at which it was written if
/// the pod was there already.
fn place(
    plan: &Plan,
    pod: &Pod,
    object: Option<&Bystander>,
    (kind, name, mut inner): (&str, &str, Vec<String>),
) -> String {
    let since = pod.meta.created.unwrap_or(Timestamp::MAX);
    let written = object
        .and_then(|it| it.written)
        .filter(|at| *at > since && *at <= plan.conditions.now)
        .map(|at| {
            format!(
                "written {} ago",
                age(plan.conditions.now.duration_since(at))
            )
        });
    inner.extend(written);
    match inner.is_empty() {
        true => format!("{kind} {name}"),
        false => format!("{kind} {name} ({})", inner.join(", ")),
    }
}

/// Tells that the object which is mounted around a path has no such key.
fn lacking(plan: &Plan, pod: &Pod, mounts: &[Mount<'_>], path: &str) -> Option<String> {
    let (mount, rest) = mount_of(mounts, path)?;
    let (kind, name) = source(mount.volume)?;
    let file = rest.split('/').next().filter(|it| !it.is_empty())?;
    if !mount.sub_path.is_empty() {
        return None;
    }
    let items = ["secret", "configMap"].map(|kind| mount.volume[kind]["items"].as_array());
    let at = mount.path;
    if let Some(items) = items.into_iter().flatten().next() {
        let paths: Vec<&str> = items.iter().filter_map(|it| it["path"].as_str()).collect();
        let has = paths.iter().any(|it| it.split('/').next() == Some(file));
        let told = list(&paths, MOST);
        return (!has).then(|| {
            format!("{kind} {name}, mounted at {at}, has no item with path {file}, but {told}")
        });
    }
    let object = object(plan, pod, kind, name)?;
    if object.keys.is_empty() || object.keys.iter().any(|it| **it == *file) {
        return None;
    }
    let told = list(&object.keys, MOST);
    Some(format!(
        "{kind} {name}, mounted at {at}, has no key {file}, but {told}"
    ))
}

/// Tells which empty volume, that no other container fills, is mounted over a path.
fn hidden(spec: &Value, container: &Value, mounts: &[Mount<'_>], path: &str) -> Option<String> {
    let (mount, _) = mount_of(mounts, path)?;
    let name = mount.volume["name"].as_str()?;
    let of_list = |list: &str| spec[list].as_array().into_iter().flatten();
    let mut others = of_list("containers")
        .chain(of_list("initContainers"))
        .filter(|it| it["name"] != container["name"]);
    let is_filled = others.any(|other| {
        let mut mounts = other["volumeMounts"].as_array().into_iter().flatten();
        mounts.any(|it| it["name"] == name)
    });
    let is_empty = mount.volume["emptyDir"].is_object();
    (is_empty && !is_filled).then(|| format!("emptyDir {name}, mounted at {},", mount.path))
}

/// Words of a line about a file that is not there, in lower case.
const MISSES: [&str; 19] = [
    "no such file",
    "cannot find",
    "can't find",
    "could not find",
    "cannot open",
    "can't open",
    "could not open",
    "does not exist",
    "enoent",
    "filenotfound",
    "nosuchfile",
    "not found",
    "cannot read",
    "could not read",
    "failed to read",
    "unable to open",
    "unable to read",
    "unable to load",
    "unable to stat",
];

/// Returns the paths in the lines of a message that miss a file.
fn missed_paths(words: &str) -> impl Iterator<Item = &str> {
    let misses = |line: &&str| {
        let line = line.to_ascii_lowercase();
        MISSES.iter().any(|word| line.contains(word))
    };
    words.lines().filter(misses).flat_map(paths)
}

/// Reports whether a configuration has a name. One with full stops may be nested: `storage.journal.enabled`.
fn is_in(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut parts = name.split('.');
    has_word(text, name, is_part) || parts.all(|part| has_word(text, part, is_part))
}
