//! `kubectl sts-plan rbac`: prints the minimal role for everything the program reads.

use std::io::{self, Write};

use anyhow::Result;

use serde_json::Value;

use super::Context;
use crate::cli::exit::Exit;
use crate::input::access::access;
use crate::input::cluster::{OF_NODES, ON_DEMAND, PERMISSIONS, Permission, Resource, Target};
use crate::request::RbacRequest;
use kubectl_config::namespace_of;
use sts_controller::object::NODE_LEASES;

/// Name of the roles and bindings, and of the default group.
const NAME: &str = "sts-plan";

/// Subjects and scope of the role.
struct Grant {
    /// The namespace; `None` for all.
    namespace: Option<String>,
    /// A user, such as `jane` or `system:serviceaccount:ci:deployer`.
    user: Option<String>,
    groups: Vec<String>,
}

/// Prints the roles and bindings as YAML for `kubectl apply -f -`. Sends no request to the cluster.
///
/// # Errors
/// When the kubeconfig cannot be read, or the output cannot be written.
pub fn run(request: &RbacRequest, context: &mut Context<'_>) -> Result<Exit> {
    let access = access(&request.world);
    let grant = Grant {
        namespace: match request.all_namespaces {
            true => None,
            false => Some(namespace_of(&access)?),
        },
        user: access.flags.impersonate,
        groups: access.flags.as_group,
    };
    print(&grant, context.stdout)?;
    Ok(Exit::Done)
}

fn print(grant: &Grant, out: &mut dyn Write) -> io::Result<()> {
    let of_cluster = |permission: &Permission| match permission.target {
        Target::Objects(resource) => !resource.namespaced,
        Target::Path(_) => true,
    };
    writeln!(
        out,
        "# Everything kubectl sts-plan reads. It never writes. Rules that are not marked (needed) are optional:\n\
         # plans then say what they could not read. The verb watch is for -w."
    )?;
    let Some(namespace) = &grant.namespace else {
        role(out, "ClusterRole", None, all())?;
        note_on_dry_runs(out)?;
        return binding(out, "ClusterRole", None, grant);
    };
    // The leases of nodes have a separate namespace.
    let is_lease = |it: &&Permission| it.target == Target::Objects(Resource::LEASES);
    let (cluster, namespaced): (Vec<&Permission>, Vec<&Permission>) = all()
        .filter(|it| !is_lease(it))
        .partition(|permission| of_cluster(permission));
    role(out, "Role", Some(namespace), namespaced.into_iter())?;
    note_on_dry_runs(out)?;
    binding(out, "Role", Some(namespace), grant)?;
    writeln!(
        out,
        "---\n# The remaining resources are cluster-scoped or in another namespace, and optional."
    )?;
    role(out, "ClusterRole", None, cluster.into_iter())?;
    note_on_nodes(out)?;
    binding(out, "ClusterRole", None, grant)?;
    writeln!(out, "---")?;
    role(out, "Role", Some(NODE_LEASES), all().filter(is_lease))?;
    binding(out, "Role", Some(NODE_LEASES), grant)
}

/// Returns all permissions: those of an ordinary plan, and those that only some causes need.
fn all() -> impl Iterator<Item = &'static Permission> {
    PERMISSIONS.iter().chain(&ON_DEMAND)
}

fn role<'p>(
    out: &mut dyn Write,
    kind: &str,
    namespace: Option<&str>,
    permissions: impl Iterator<Item = &'p Permission>,
) -> io::Result<()> {
    head(out, kind, namespace)?;
    writeln!(out, "rules:")?;
    for permission in permissions {
        let needed = if permission.needed { " (needed)" } else { "" };
        writeln!(out, "# To {}{needed}.", permission.why)?;
        match permission.target {
            Target::Objects(resource) => {
                writeln!(out, "- apiGroups: [{}]", quoted(resource.group))?;
                writeln!(out, "  resources: [{}]", resource.plural)?;
            }
            Target::Path(path) => writeln!(out, "- nonResourceURLs: [{path}]")?,
        }
        writeln!(out, "  verbs: [{}]", permission.verbs.join(", "))?;
    }
    Ok(())
}

/// A dry run requires the permissions of a real change, which are only granted explicitly.
fn note_on_dry_runs(out: &mut dyn Write) -> io::Result<()> {
    let sets = Resource::SETS;
    writeln!(
        out,
        "# --drain NODE --dry-run=server sends evictions as dry runs, for which the API server requires the permission to\n\
         # evict. Grant it only to users who may do so.\n\
         # - apiGroups: [{}]\n#   resources: [{}/eviction]\n#   verbs: [create]",
        quoted(Resource::PODS.group),
        Resource::PODS.plural
    )?;
    writeln!(
        out,
        "# --apply sends dry runs, for which the API server requires the permissions of real changes. Grant them only\n\
         # to users who may make such changes; --apply-mode=local does not need them.\n\
         # - apiGroups: [{}]\n#   resources: [{}]\n#   verbs: [create, patch]",
        sets.group, sets.plural
    )
}

/// A role for one namespace does not let a drain count the pods of the others.
fn note_on_nodes(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# --drain and --lose also count the pods and budgets of other namespaces, and say if they cannot. To let them:"
    )?;
    for permission in &OF_NODES {
        if let Target::Objects(resource) = permission.target {
            writeln!(
                out,
                "# - apiGroups: [{}]\n#   resources: [{}]\n#   verbs: [{}]",
                quoted(resource.group),
                resource.plural,
                permission.verbs.join(", ")
            )?;
        }
    }
    Ok(())
}

fn binding(
    out: &mut dyn Write,
    role: &str,
    namespace: Option<&str>,
    grant: &Grant,
) -> io::Result<()> {
    writeln!(out, "---")?;
    head(out, &format!("{role}Binding"), namespace)?;
    writeln!(
        out,
        "roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {role}, name: {NAME}}}\nsubjects:"
    )?;
    if grant.user.is_none() && grant.groups.is_empty() {
        writeln!(
            out,
            "# No subject was given: add the users who plan here, or use --as and --as-group."
        )?;
        return subject(out, "Group", NAME);
    }
    if let Some(user) = &grant.user {
        subject(out, "User", user)?;
    }
    grant
        .groups
        .iter()
        .try_for_each(|group| subject(out, "Group", group))
}

fn subject(out: &mut dyn Write, kind: &str, name: &str) -> io::Result<()> {
    writeln!(
        out,
        "- {{apiGroup: rbac.authorization.k8s.io, kind: {kind}, name: {}}}",
        quoted(name)
    )
}

fn head(out: &mut dyn Write, kind: &str, namespace: Option<&str>) -> io::Result<()> {
    let place = namespace
        .map(|namespace| format!(", namespace: {}", quoted(namespace)))
        .unwrap_or_default();
    writeln!(
        out,
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {{name: {NAME}{place}}}"
    )
}

/// Formats a string as JSON, which is also valid YAML for any string.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
