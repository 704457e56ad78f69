//! The pages of causes, and their lines on a screen.

use serde_json::Value;
use serde_json::json;
use sts_plan::cause::{causes, page_text};
use test_kit::kv::NOW;
use test_kit::situation::Said::{Creating, Refused, Waits};
use test_kit::situation::{Said, situation};

use crate::program;

#[test]
fn sets_with_one_cause_share_a_row() {
    for (said, cause) in [
        (
            Refused(
                "pods \"pg-2\" is forbidden: violates PodSecurity \"restricted:latest\": runAsNonRoot",
            ),
            "pods cannot be created: violates PodSecurity",
        ),
        (
            Creating(
                "FailedCreatePodSandBox",
                "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to assign an IP address to container",
            ),
            "(no-address-aws)",
        ),
    ] {
        let mut all = Vec::new();
        for number in 1..=3 {
            let text = json!(situation(&said)).to_string();
            let text = text.replace(
                "\"namespace\":\"db\"",
                &format!("\"namespace\":\"team-{number}\""),
            );
            let list: Value = serde_json::from_str(&text).unwrap();
            let items = list.as_array().unwrap().iter();
            all.extend(
                items
                    .filter(|item| item["metadata"]["namespace"].is_string())
                    .cloned(),
            );
        }
        let (_, out, err) = program::run_on(&all, &["--now", NOW]);
        let row = out
            .lines()
            .find(|line| line.contains("3 sets"))
            .unwrap_or_default();
        assert!(row.contains(cause), "{out}{err}");
    }
}

#[test]
fn explain_prints_the_page_of_a_cause() {
    for entry in causes() {
        let (code, out, _) = program::run(&["explain", &entry.id]);
        assert_eq!(code, 0);
        assert!(
            out.contains(&page_text(&entry.title)) && out.contains(entry.blames.name()),
            "{out}"
        );
    }
}

#[test]
fn the_first_lines_say_cause_cure_and_place() {
    let lines = |said: &Said<'_>| {
        let (_, out, err) = program::run_on(&situation(said), &["--now", NOW]);
        assert!(err.is_empty(), "{err}");
        let end = out.find("\n\n").unwrap_or(out.len());
        out[..end].to_owned()
    };
    let cases = [
        (
            Waits(
                "ImagePullBackOff",
                "docker.io/library/postgres:17: not found",
                0,
            ),
            "pg-2 cannot pull its image on the new revision: the registry does not have the image",
            "  Fix:  push the image, if the registry is yours, or fix its tag\n  Or:   fix the pod template in FILE, then apply it\n",
            "cause: image-not-found; ",
        ),
        (
            Waits(
                "CrashLoopBackOff",
                "lookup primary.db.svc on 10.0.0.10:53: no such host",
                1,
            ),
            "pg-2 crash-loops on the new revision: the name primary.db.svc does not resolve in DNS",
            "  Fix:  check that the name primary.db.svc exists",
            "cause: name-unresolved; ",
        ),
        (
            Refused(
                "Internal error occurred: failed calling webhook \"v.io\": no endpoints available for service \"hook\"",
            ),
            "pg-2 cannot be created: an admission webhook does not respond",
            "  Fix:  repair the webhook's service hook: its pods, endpoints and certificate\n  Says: Internal error occurred: failed calling webhook \"v.io\": no endpoints available for service \"hook\"\n  Look: pods and endpoints of the service hook\n",
            "cause: webhook-down; ",
        ),
    ];
    for (said, headline, advice, evidence) in cases {
        let lines = lines(&said);
        for part in [headline, advice, evidence] {
            assert!(lines.contains(part), "{part}\n{lines}");
        }
        // The cure comes before anything that follows from it.
        let at = |word: &str| lines.find(word);
        assert!(at("  Fix:") < at("  Note:"), "{lines}");
        assert!(
            at("once pg-2").is_none_or(|once| Some(once) > at("  Fix:")),
            "{lines}"
        );
        // It stands only where it says something.
        let once = lines
            .lines()
            .find(|line| line.contains("once pg-2 is ready: the rollout completes"));
        assert!(
            once.is_none_or(|once| once.contains("; restarts ")),
            "{lines}"
        );
    }
    // The text of a policy says what is wrong, so it is quoted.
    let denied = lines(&Refused(
        "admission webhook \"v.io\" denied the request: every pod needs the label team",
    ));
    let quoted = "pg-2 cannot be created: admission webhook \"v.io\" denied the request: every pod needs the label team";
    assert!(denied.contains(quoted), "{denied}");
}

#[test]
fn advice_in_words_has_no_place_for_commands() {
    let said = Waits("CrashLoopBackOff", "lookup db.prod.svc: no such host", 1);
    let input = situation(&said);
    let of = |format: &str| program::run_on(&input, &["--now", NOW, "-o", format]).1;
    let markdown = of("markdown");
    assert!(
        markdown.contains("**Fix:** check that the name db.prod.svc exists"),
        "{markdown}"
    );
    assert!(!markdown.contains("```sh\n\n```"), "{markdown}");
    let html = of("html");
    assert!(html.contains("check that the name db.prod.svc exists"));
    assert!(!html.contains("<ol class=\"commands\"></ol>"));
}
