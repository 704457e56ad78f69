//! All objects of an input by kind, and the snapshot of each set.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use sts_controller::controller::{is_member, parent_and_ordinal};
use sts_controller::object::{
    Bystander, Claim, Labels, Meta, Packed, Pod, Pool, Related, RelatedObjects, Revision, Set,
    Snapshot, Status, labels_of,
};

use sts_plan::set_of_pods::set_of_pods;

/// Objects of one namespace, indexed for the lookups of a set.
#[derive(Debug, Default)]
struct Namespace {
    sets: BTreeMap<Arc<str>, StoredSet>,
    pods: BTreeMap<Arc<str>, Arc<Pod>>,
    claims: BTreeMap<Arc<str>, Arc<Claim>>,
    revisions: BTreeMap<Arc<str>, Arc<Revision>>,
    /// Names of pods by the uid of their controller; empty for none.
    pods_by_owner: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// Names of pods by the name of the set in their own.
    pods_by_parent: BTreeMap<String, Vec<Arc<str>>>,
    /// Names of revisions by the uid of their controller; empty for none.
    revisions_by_owner: BTreeMap<Arc<str>, Vec<Arc<str>>>,
}

/// A set, packed until it is planned: its template alone takes more memory than all parsed fields of its pods.
#[derive(Debug)]
pub struct StoredSet {
    meta: Meta,
    pod_labels: Arc<Labels>,
    replicas: i32,
    object: Packed,
    /// The unpacked set, while there are few sets.
    open: Option<(Arc<Set>, Arc<Status>)>,
}

/// A status's count of available pods.
#[derive(Debug)]
pub(super) struct AvailableCount {
    namespace: Arc<str>,
    /// Uid of the set.
    uid: Arc<str>,
    min_ready_seconds: i32,
    pods: usize,
}

/// Maximum number of unpacked sets.
const FEW_SETS: usize = 100;

/// Common parts of objects, each stored once.
#[derive(Debug, Default)]
pub struct Shared {
    pool: Pool,
    sets: usize,
}

impl Shared {}

impl StoredSet {
    /// Creates an unpacked set.
    pub fn new(set: Set, status: Status) -> Self {
        StoredSet {
            meta: set.meta.clone(),
            pod_labels: Arc::new(labels_of(&set.template)),
            replicas: set.replicas,
            object: set.object.clone(),
            open: Some((Arc::new(set), Arc::new(status))),
        }
    }

    /// Returns the count of available pods in the status, if it depends on time.
    pub(super) fn available(&self) -> Option<AvailableCount> {
        let (set, status) = self.open.as_ref()?;
        let pods = usize::try_from(status.available_replicas).ok()?;
        (pods > 0 && set.min_ready_seconds > 0).then(|| AvailableCount {
            namespace: Arc::clone(&set.meta.namespace),
            uid: Arc::clone(&set.meta.uid),
            min_ready_seconds: set.min_ready_seconds,
            pods,
        })
    }

    fn open(&self) -> Option<(Arc<Set>, Arc<Status>)> {
        if let Some((set, status)) = &self.open {
            return Some((Arc::clone(set), Arc::clone(status)));
        }
        // It was parsed once, so parsing cannot fail.
        let object = self.object.open();
        let status = Status::of_set(&object).ok()?;
        let set = Set::from_whole(&object, || self.object.clone()).ok()?;
        Some((Arc::new(set), Arc::new(status)))
    }
}

/// All objects of an input.
#[derive(Debug, Default)]
pub struct Inventory {
    namespaces: BTreeMap<Arc<str>, Namespace>,
    /// Shared with the plans.
    related: Arc<RelatedObjects>,
}

/// An object that plans use.
#[derive(Debug)]
pub enum Object {
    /// A StatefulSet with its stored status.
    Set(Box<StoredSet>),
    Pod(Arc<Pod>),
    Claim(Arc<Claim>),
    Revision(Arc<Revision>),
    /// An object of another kind, which a sync does not read.
    Related(Box<Related>),
}

impl Object {
    /// Returns the metadata.
    pub fn meta(&self) -> &Meta {
        match self {
            Object::Set(set) => &set.meta,
            Object::Pod(pod) => &pod.meta,
            Object::Claim(claim) => &claim.meta,
            Object::Revision(revision) => &revision.meta,
            Object::Related(neighbour) => neighbour.meta(),
        }
    }

    /// Returns the name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Object::Set(..) => "StatefulSet",
            Object::Pod(_) => "Pod",
            Object::Claim(_) => "PersistentVolumeClaim",
            Object::Revision(_) => "ControllerRevision",
            Object::Related(neighbour) => neighbour.kind().name(),
        }
    }

    /// Shares common parts with other objects.
    pub fn share(&mut self, shared: &mut Shared) {
        let pool = &mut shared.pool;
        match self {
            Object::Pod(pod) => Arc::make_mut(pod).share(pool),
            Object::Claim(claim) => Arc::make_mut(claim).share(pool),
            Object::Revision(revision) => Arc::make_mut(revision).share(pool),
            Object::Set(set) => {
                shared.sets += 1;
                if shared.sets > FEW_SETS {
                    set.open = None;
                    pool.pack(&mut set.object);
                }
            }
            // There are few of these.
            Object::Related(_) => {}
        }
    }
}

impl Inventory {
    /// Adds an object. Returns false if one of that kind and name exists, which is kept; only a related object
    /// replaces the existing one.
    pub fn insert(&mut self, object: Object) -> bool {
        let meta = object.meta();
        let name = Arc::clone(&meta.name);
        let owner = meta
            .controller()
            .map_or_else(|| Arc::from(""), |owner| Arc::clone(&owner.uid));
        let namespace = self
            .namespaces
            .entry(Arc::clone(&meta.namespace))
            .or_default();
        match object {
            Object::Set(set) => {
                if !namespace.sets.contains_key(&name) {
                    let related = Arc::make_mut(&mut self.related);
                    related.insert_set(&set.meta, Arc::clone(&set.pod_labels), set.replicas);
                }
                insert_new(&mut namespace.sets, name, *set)
            }
            Object::Claim(claim) => insert_new(&mut namespace.claims, name, claim),
            Object::Pod(pod) => {
                let new = insert_new(&mut namespace.pods, Arc::clone(&name), Arc::clone(&pod));
                if new {
                    Arc::make_mut(&mut self.related).insert_pod(pod);
                    if let Some((parent, _)) = parent_and_ordinal(&name) {
                        let namesakes = namespace.pods_by_parent.entry(parent.to_owned());
                        namesakes.or_default().push(Arc::clone(&name));
                    }
                    namespace.pods_by_owner.entry(owner).or_default().push(name);
                }
                new
            }
            Object::Revision(revision) => {
                let new = insert_new(&mut namespace.revisions, Arc::clone(&name), revision);
                if new {
                    namespace
                        .revisions_by_owner
                        .entry(owner)
                        .or_default()
                        .push(name);
                }
                new
            }
            Object::Related(neighbour) => {
                Arc::make_mut(&mut self.related).insert(*neighbour);
                true
            }
        }
    }

    /// Adds the sets of pods that fail, if the input has no set at all: `kubectl get pod web-1 -o yaml`.
    pub fn add_sets_of_pods(&mut self) {
        if self.sets().next().is_some() {
            return;
        }
        let mut owned: BTreeMap<Arc<str>, Vec<&Arc<Pod>>> = BTreeMap::new();
        for pod in self.pods() {
            let owner = pod.meta.controller();
            if let Some(owner) = owner.filter(|it| it.names("apps/v1", "StatefulSet", &it.name)) {
                owned.entry(Arc::clone(&owner.uid)).or_default().push(pod);
            }
        }
        let sets = owned.values().filter_map(|pods| set_of_pods(pods));
        let sets: Vec<StoredSet> = sets
            .map(|(set, status)| StoredSet::new(set, status))
            .collect();
        for set in sets {
            self.insert(Object::Set(Box::new(set)));
        }
    }

    /// Adds an object that only explains failures.
    pub fn insert_bystander(&mut self, object: Bystander) {
        Arc::make_mut(&mut self.related).insert_bystander(object);
    }

    /// Replaces existing related objects with those to be applied.
    pub fn overlay(&mut self, applied: &Inventory) {
        Arc::make_mut(&mut self.related).overlay(&applied.related);
    }

    /// Adds the pods of namespaces that have none here, and all related objects.
    pub fn add_missing(&mut self, other: &Inventory) {
        for (name, namespace) in &other.namespaces {
            if self
                .namespaces
                .get(name)
                .is_some_and(|it| !it.pods.is_empty())
            {
                continue;
            }
            for pod in namespace.pods.values() {
                self.insert(Object::Pod(Arc::clone(pod)));
            }
        }
        self.overlay(other);
    }

    /// Replaces the related objects.
    pub fn set_related(&mut self, related: Arc<RelatedObjects>) {
        self.related = related;
    }

    /// Returns the related objects, which the controller does not read.
    pub fn related(&self) -> Arc<RelatedObjects> {
        Arc::clone(&self.related)
    }

    /// Returns all pods, by namespace and name.
    pub fn pods(&self) -> impl Iterator<Item = &Arc<Pod>> {
        let namespaces = self.namespaces.values();
        namespaces.flat_map(|namespace| namespace.pods.values())
    }

    /// Returns the earliest time at which so many pods of a set are available; `None` if fewer are ready.
    pub(super) fn holds_from(&self, count: &AvailableCount) -> Option<Timestamp> {
        let namespace = self.namespaces.get(&count.namespace)?;
        let names = namespace.pods_by_owner.get(&count.uid)?.iter();
        let pods = names.filter_map(|name| namespace.pods.get(name));
        let available = pods.filter_map(|pod| pod.available_at(count.min_ready_seconds));
        let mut available: Vec<Timestamp> = available.collect();
        available.sort();
        available.get(count.pods - 1).copied()
    }

    /// Returns the metadata of all sets, by namespace and name.
    pub fn sets(&self) -> impl Iterator<Item = &Meta> {
        let sets = self.namespaces.values();
        sets.flat_map(|namespace| namespace.sets.values().map(|set| &set.meta))
    }

    /// Returns `spec.replicas` of a set; `None` if the set does not exist.
    pub fn replicas(&self, namespace: &str, name: &str) -> Option<i32> {
        Some(self.namespaces.get(namespace)?.sets.get(name)?.replicas)
    }

    /// Returns a set with the objects that its controller reads; `None` if the set does not exist.
    pub fn snapshot(&self, namespace: &str, name: &str) -> Option<Snapshot> {
        let (set, status) = self.namespaces.get(namespace)?.sets.get(name)?.open()?;
        Some(self.around(set, status))
    }

    /// Returns the snapshot of a set that may not be in the inventory.
    pub fn around(&self, set: Arc<Set>, status: Arc<Status>) -> Snapshot {
        let nothing = Namespace::default();
        let namespace = self.namespaces.get(&set.meta.namespace).unwrap_or(&nothing);
        let name = Arc::clone(&set.meta.name);
        let owners = [Arc::clone(&set.meta.uid), Arc::from("")];
        let owned = |index: &BTreeMap<Arc<str>, Vec<Arc<str>>>| -> Vec<Arc<str>> {
            owners
                .iter()
                .filter_map(|uid| index.get(uid))
                .flatten()
                .map(Arc::clone)
                .collect()
        };
        let namesakes = namespace
            .pods_by_parent
            .get(&*name)
            .into_iter()
            .flatten()
            .map(Arc::clone);
        let mut claims = BTreeMap::new();
        for template in set.claim_templates.iter() {
            let prefix = format!("{}-{name}-", template.name);
            let from = Arc::<str>::from(prefix.as_str());
            let named = namespace.claims.range(from..);
            claims.extend(
                named
                    .take_while(|(name, _)| name.starts_with(&prefix))
                    .filter(|(name, _)| {
                        name[prefix.len()..]
                            .bytes()
                            .all(|byte| byte.is_ascii_digit())
                    })
                    .map(|(name, claim)| (Arc::clone(name), Arc::clone(claim))),
            );
        }
        let prefix = format!("{name}-");
        let namesake_revisions = namespace
            .revisions
            .range(Arc::<str>::from(prefix.as_str())..)
            .map(|(name, _)| Arc::clone(name))
            .take_while(|name| name.starts_with(&prefix));
        // A pod of another set, or without an owner, matters by its name, or by a claim that it uses.
        let matters = |name: &Arc<str>| {
            namespace.pods.get(name).is_some_and(|pod| {
                is_member(&set, name)
                    || pod.meta.controller().is_some()
                    || pod.claims().any(|claim| claims.contains_key(claim))
            })
        };
        // A claim that is being deleted is kept by the pods of all owners.
        let is_leaving = |claim: &Arc<Claim>| claim.meta.is_terminating();
        let may_be_kept = claims.values().any(is_leaving);
        let keepers = may_be_kept.then_some(&namespace.pods).into_iter().flatten();
        let keepers = keepers.filter(|(_, pod)| {
            (pod.claims()).any(|claim| claims.get(claim).is_some_and(is_leaving))
        });
        let keepers = keepers.map(|(name, _)| Arc::clone(name));
        let pods = owned(&namespace.pods_by_owner);
        let pods = pods.into_iter().filter(matters);
        let pods = pods.chain(namesakes).chain(keepers);
        let revisions = owned(&namespace.revisions_by_owner)
            .into_iter()
            .chain(namesake_revisions);
        Snapshot {
            pods: pick(&namespace.pods, pods),
            claims,
            // Planning fills caches of revisions: a fresh copy drops them with the plan.
            revisions: pick(&namespace.revisions, revisions)
                .into_iter()
                .map(|(name, revision)| (name, Arc::new(revision.fresh())))
                .collect(),
            set,
            status,
        }
    }
}

fn insert_new<T>(map: &mut BTreeMap<Arc<str>, T>, name: Arc<str>, value: T) -> bool {
    match map.entry(name) {
        std::collections::btree_map::Entry::Vacant(entry) => {
            entry.insert(value);
            true
        }
        std::collections::btree_map::Entry::Occupied(_) => false,
    }
}

fn pick<T>(
    all: &BTreeMap<Arc<str>, Arc<T>>,
    names: impl Iterator<Item = Arc<str>>,
) -> BTreeMap<Arc<str>, Arc<T>> {
    names
        .filter_map(|name| {
            all.get(&name)
                .map(|object| (Arc::clone(&name), Arc::clone(object)))
        })
        .collect()
}
