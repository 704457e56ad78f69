//! The amounts of an exceeded quota in few words, as a headline has room for them.

use std::collections::BTreeMap;

/// The end of the name of a resource that a quota counts for a StorageClass: `gp3.storageclass.storage.k8s.io/requests.storage`.
const OF_CLASS: &str = ".storageclass.storage.k8s.io/";

/// Returns amounts of a quota with a clause for each resource: `requests.memory: 60Gi of 64Gi used, 8Gi requested`, from
/// `requested: requests.memory=8Gi, used: requests.memory=60Gi, limited: requests.memory=64Gi`; `None` in any other form.
pub(super) fn brief(amounts: &str) -> Option<String> {
    let rest = amounts.strip_prefix("requested: ")?;
    let (requested, rest) = rest.split_once(", used: ")?;
    let (used, limited) = rest.split_once(", limited: ")?;
    let (used, limited) = (by_resource(used)?, by_resource(limited)?);
    let clauses = requested.split(',').map(|it| {
        let (resource, amount) = it.split_once('=')?;
        let (used, limited) = (used.get(resource)?, limited.get(resource)?);
        let resource = match resource.split_once(OF_CLASS) {
            Some((class, resource)) => format!("{resource} of class {class}"),
            None => resource.to_owned(),
        };
        Some(format!(
            "{resource}: {used} of {limited} used, {amount} requested"
        ))
    });
    let clauses: Vec<String> = clauses.collect::<Option<_>>()?;
    Some(clauses.join("; "))
}

fn by_resource(amounts: &str) -> Option<BTreeMap<&str, &str>> {
    amounts.split(',').map(|it| it.split_once('=')).collect()
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn each_resource_has_a_clause() {
        for (amounts, told) in [
            (
                "requested: requests.memory=8Gi, used: requests.memory=60Gi, limited: requests.memory=64Gi",
                Some("requests.memory: 60Gi of 64Gi used, 8Gi requested"),
            ),
            (
                "requested: cpu=1,pods=1, used: cpu=8,pods=9, limited: cpu=8,pods=9",
                Some("cpu: 8 of 8 used, 1 requested; pods: 9 of 9 used, 1 requested"),
            ),
            (
                "requested: gp3.storageclass.storage.k8s.io/requests.storage=2Gi, used: \
                 gp3.storageclass.storage.k8s.io/requests.storage=9Gi, limited: \
                 gp3.storageclass.storage.k8s.io/requests.storage=10Gi",
                Some("requests.storage of class gp3: 9Gi of 10Gi used, 2Gi requested"),
            ),
            ("requested: cpu=1, used: cpu=8", None),
        ] {
            assert_eq!(brief(amounts).as_deref(), told);
        }
    }
}
