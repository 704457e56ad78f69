//! Names of sets as people type them: with a namespace, with `*`, with a typo, and the name of a pod.

use serde_json::Value;

use crate::program;

const MANY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/demos/many.yaml");

fn run(args: &[&str]) -> (i32, String, String) {
    program::run(&[&["-f", MANY], args].concat())
}

/// The planned sets.
fn planned(args: &[&str]) -> Vec<String> {
    let (code, out, said) = run(&[args, &["-o", "json"]].concat());
    assert_eq!(code, 0, "{args:?}: {said}");
    let plans: Value = serde_json::from_str(&out).unwrap();
    let of = |plan: &Value| {
        let text = |key: &str| plan["metadata"][key].as_str().unwrap().to_owned();
        format!("{}/{}", text("namespace"), text("name"))
    };
    match plans["items"].as_array() {
        Some(items) => items.iter().map(of).collect(),
        None => vec![of(&plans)],
    }
}

fn refusal(args: &[&str]) -> String {
    let (code, out, said) = run(args);
    assert_eq!((code, &*out), (1, ""), "{args:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{args:?}: {said}");
    said
}

#[test]
fn a_name_that_a_table_prints_selects_its_set() {
    assert_eq!(planned(&["shop/cart"]), ["shop/cart"]);
    assert_eq!(planned(&["shop/cart", "-n", "shop"]), ["shop/cart"]);
    assert_eq!(
        planned(&["shop/cart,shop/search"]),
        ["shop/cart", "shop/search"]
    );
    assert_eq!(planned(&["cart,orders"]), ["shop/cart", "db/orders"]);
    let said = refusal(&["shop/orders"]);
    assert!(
        said.contains("\"orders\" not found in the input in namespace \"shop\""),
        "{said}"
    );
    assert!(refusal(&["shop/cart", "-n", "db"]).contains("omit one of them"));
}

#[test]
fn a_pattern_selects_every_set_that_it_matches() {
    assert_eq!(planned(&["ca*"]), ["shop/cart"]);
    assert_eq!(planned(&["shop/*s*"]), ["shop/search", "shop/sessions"]);
    assert_eq!(planned(&["sts/*", "-n", "db"]), ["db/orders", "db/users"]);
    // Each set once.
    assert_eq!(planned(&["cart", "c*"]), ["shop/cart"]);
    assert!(refusal(&["x*"]).contains("StatefulSet \"x*\" not found"));
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_or_the_number_of_others() {
    for (name, says) in [
        ("srch", "; did you mean shop/search?"),
        ("serach", "; did you mean shop/search?"),
        ("cart-1", "; for the pod of shop/cart, use pod/cart-1"),
        ("nothing", "; the input has "),
    ] {
        let said = refusal(&[name]);
        assert!(said.contains(says), "{name}: {said}");
    }
    assert!(refusal(&["nothing"]).ends_with(" and 3 more\n"));
    assert_eq!(planned(&["pod/cart-1"]), ["shop/cart"]);
}
