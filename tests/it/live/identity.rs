//! Identity on a real server: impersonation, and client certificates.

use serde_json::json;

use super::acts::Place;
use super::control_plane::{ControlPlane, control_plane};
use super::program;
use super::reality::web;
use crate::cluster::authority::End;

fn place<'p>(plane: &'p ControlPlane, namespace: &str) -> Place<'p> {
    let place = Place::new(plane, namespace);
    let path = place.path("statefulsets");
    place.rest.create(&path, &web(0)).unwrap();
    place
}

/// Runs the program, and returns its message if it failed.
fn refused(place: &Place, user: &str, args: &str) -> Option<String> {
    let args: Vec<&str> = args.split_whitespace().collect();
    let output = program::run(place, user, &args);
    let said = String::from_utf8(output.stderr).unwrap();
    if output.status.success() {
        return None;
    }
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(
        (said.lines().count(), output.stdout.len()),
        (1, 0),
        "{said}"
    );
    Some(said)
}

#[test]
fn the_server_decides_about_impersonation() {
    let Some(plane) = control_plane() else { return };
    let place = place(plane, "acting");
    let mark = plane.audit.mark();
    // An administrator may impersonate a user without rights.
    let said = refused(&place, "admin", "web --as jane").unwrap();
    let not_allowed = "error: not allowed to get statefulsets.apps \"web\" in namespace \"acting\": request this permission";
    assert!(said.starts_with(not_allowed), "{said}");
    assert!(
        said.contains("User \"jane\" cannot get resource \"statefulsets\""),
        "{said}"
    );
    let said = refused(&place, "admin", "-l app=web --as jane").unwrap();
    assert!(
        said.contains("not allowed to list statefulsets.apps in namespace \"acting\""),
        "{said}"
    );
    // Every group counts.
    let groups = "web --as jane --as-group dev --as-group system:masters --as-uid 42";
    assert_eq!(refused(&place, "admin", groups), None);
    // Meanwhile, the controller may write the set's status as itself.
    let seen = plane.audit.since(mark, |entry| {
        entry.namespace() == "acting" && entry.name() == "web" && !entry.acted_as().0.is_empty()
    });
    let (user, groups) = seen.last().unwrap().acted_as();
    assert_eq!(user, "jane");
    assert!(groups.contains(&"dev".to_owned()) && groups.contains(&"system:masters".to_owned()));
    // Impersonation needs a right of its own.
    let said = refused(&place, "nobody", "web --as admin").unwrap();
    let not_allowed = "error: not allowed to impersonate: request this permission, or omit --as; the server says: ";
    assert!(said.starts_with(not_allowed), "{said}");
    // From 1.36 on, a server first checks the right to act as a user in this one request.
    let words = [
        "cannot impersonate resource \"users\"",
        "cannot impersonate-on:user-info:get resource",
    ];
    assert!(
        words
            .iter()
            .any(|words| said.contains(&format!("User \"nobody\" {words}"))),
        "{said}"
    );
    let said = refused(&place, "nobody", "web").unwrap();
    assert!(
        said.contains("User \"nobody\" cannot get resource"),
        "{said}"
    );
}

#[test]
fn a_client_certificate_is_a_user_to_the_server() {
    let Some(plane) = control_plane() else { return };
    let place = place(plane, "certificates");
    let login = |user: &str, end: End| {
        let name = format!("{user}-{}", end == End::Far);
        let (certificate, key) = plane.clients.client(user, end).write(&plane.folder, &name);
        let config = json!({"current-context": "live",
            "clusters": [{"name": "live", "cluster": {"server": plane.server, "certificate-authority": "certs/apiserver.crt"}}],
            "users": [{"name": "me", "user": {"client-certificate": certificate, "client-key": key}}],
            "contexts": [{"name": "live", "context": {"cluster": "live", "user": "me"}}]});
        let file = plane.folder.join(format!("{name}.kubeconfig"));
        std::fs::write(&file, config.to_string()).unwrap();
        format!("web --kubeconfig {}", file.display())
    };
    program::grant(&place, "sts-plan", &["-n", "certificates"], false);
    assert_eq!(
        refused(&place, "nobody", &login("sts-plan", End::Far)),
        None
    );
    let said = refused(&place, "nobody", &login("jane", End::Far)).unwrap();
    assert!(
        said.contains("User \"jane\" cannot get resource \"statefulsets\""),
        "{said}"
    );
    let said = refused(&place, "nobody", &login("sts-plan", End::Past)).unwrap();
    let expired = "does not accept the credentials (Unauthorized): the client certificate of user \"me\" expired on 2021-02-03T00:00:00Z: renew it, or log in again";
    assert!(said.contains(expired), "{said}");
}
