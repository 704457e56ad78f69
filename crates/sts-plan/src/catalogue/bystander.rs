//! Kinds of objects that no plan needs, but that explain failures: what makes a Secret, a ConfigMap or a node.

use std::sync::LazyLock;

use super::bystander_entry::{BystanderEntry, Made};
use sts_controller::object::{Bystander, RelatedObjects};

/// The kinds, as the build script has read them.
static KINDS: LazyLock<Vec<BystanderEntry>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/bystanders.json"));
    serde_json::from_str(text).unwrap_or_default()
});

/// Returns the declaration of a kind; `None` if no failure is explained by it.
#[must_use]
pub fn bystander_kind(kind: &str, group: &str) -> Option<&'static BystanderEntry> {
    KINDS.iter().find(|it| it.kind == kind && it.group == group)
}

/// Returns the place of an object's kind in the order of the declarations; undeclared kinds come last.
pub(crate) fn kind_order(object: &Bystander) -> usize {
    let mut kinds = KINDS.iter();
    let place = kinds.position(|it| *it.kind == *object.kind && *it.group == *object.group);
    place.unwrap_or(KINDS.len())
}

/// Returns the object that makes an object of this kind and name, if the input has it.
pub(crate) fn maker<'r>(
    related: &'r RelatedObjects,
    namespace: &str,
    made: Made,
    name: &str,
) -> Option<&'r Bystander> {
    let mut objects = related.bystanders(namespace);
    objects
        .find(|object| makes(object, made, name))
        .map(|it| &**it)
}

/// Returns the name of the Secret or ConfigMap that an object makes; `None` if it makes none.
pub(crate) fn made_by(object: &Bystander) -> Option<(Made, &str)> {
    let entry = bystander_kind(&object.kind, &object.group)?;
    let made = entry.makes.iter().find(|it| **it != Made::Node)?;
    Some((*made, name_of_made(object, entry)))
}

/// Returns the name of what an object makes.
fn name_of_made<'o>(object: &'o Bystander, entry: &BystanderEntry) -> &'o str {
    let named = entry.named.split('.').filter(|step| !step.is_empty());
    let named = named.fold(&object.spec, |value, step| &value[step]);
    named.as_str().unwrap_or(&object.meta.name)
}

fn makes(object: &Bystander, made: Made, name: &str) -> bool {
    let Some(entry) = bystander_kind(&object.kind, &object.group) else {
        // Crossplane: objects of any kind write how to connect to what they stand for.
        let written = &object.spec["writeConnectionSecretToRef"]["name"];
        return made == Made::Secret && *written == *name;
    };
    entry.makes.contains(&made) && name_of_made(object, entry) == name
}
