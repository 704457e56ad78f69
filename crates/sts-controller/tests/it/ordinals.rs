//! Ordinals that do not fit into 32 bits.

use crate::scenario::{next, web};

/// The identity is parsed from the name, which has no valid ordinal.
#[test]
fn a_pod_beyond_32_bits_has_ordinal_minus_one() {
    for version in ["1.27.16", "1.33.5", "1.36.2", "1.37.0"] {
        let world = web(3).claims("data").parallel();
        let world = world.without("web-0").without("web-1").without("web-2");
        let seen = next(&world.start(2_147_483_646), version);
        let sent = seen.sync.writes.iter();
        let sent: Vec<&str> = sent
            .filter(|write| write.resource.name() == "pods")
            .map(|write| &*write.name)
            .collect();
        assert!(
            ["web-2147483646", "web-2147483647", "web--1"]
                .iter()
                .all(|name| sent.contains(name)),
            "{version}: {:?}",
            seen.lines()
        );
        let pod = seen.sent("web--1");
        let labels = &pod["metadata"]["labels"];
        assert_eq!(labels["statefulset.kubernetes.io/pod-name"], "web--1");
        assert_eq!(pod["spec"]["hostname"], "web--1");
        // Its claim has the ordinal at the end of its own name.
        let volume = &pod["spec"]["volumes"][0];
        assert_eq!(volume["persistentVolumeClaim"]["claimName"], "data-web-1");
    }
}
