//! Comparison of quantities with kubectl.

use std::cmp::Ordering;

use proptest::prelude::*;
use serde_json::Value;
use sts_controller::apiserver::quantity::Quantity;

fn canonical(text: &str) -> String {
    Quantity::parse(text).map_or_else(|_| "ERR".to_owned(), |quantity| quantity.canonical())
}

#[test]
fn kubectl_pairs() {
    let vectors = include_str!("../vectors/quantity.jsonl");
    let mut wrong = Vec::new();
    let mut compared = 0;
    for line in vectors.lines() {
        let pair: Value = serde_json::from_str(line).unwrap();
        let (input, expected) = (
            pair["input"].as_str().unwrap(),
            pair["canonical"].as_str().unwrap(),
        );
        let ours = canonical(input);
        if ours != expected {
            wrong.push(format!("{input}: {ours}, not {expected}"));
        }
        compared += 1;
    }
    test_kit::tell(&format!("{compared} quantities compared"));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn resource_lists_round_up_to_milli() {
    for (input, expected) in [
        ("0.0005", "1m"),
        ("1500u", "2m"),
        ("-1500u", "-2m"),
        ("1n", "1m"),
        ("5.", "5."),
        ("1.2345", "1235m"),
        ("0.9999", "1"),
        ("123456789.123", "123456789.123"),
        ("1.1Ki", "1126400m"),
        ("0", "0"),
        ("Gi", "0"),
    ] {
        let mut quantity = Quantity::parse(input).unwrap();
        quantity.round_up_to_milli();
        assert_eq!(quantity.canonical(), expected, "{input}");
    }
}

#[test]
fn compared_by_amount() {
    for (left, right, expected) in [
        ("0.5", "500m", Ordering::Equal),
        ("1Gi", "1024Mi", Ordering::Equal),
        ("1k", "1Ki", Ordering::Less),
        ("-1", "0", Ordering::Less),
        ("-2", "-1", Ordering::Less),
        ("0", "-0", Ordering::Equal),
        ("0", "1n", Ordering::Less),
        ("1e1000", "1e999", Ordering::Greater),
        ("10", "9", Ordering::Greater),
        ("1e-1", "100m", Ordering::Equal),
    ] {
        let (left_quantity, right_quantity) = (
            Quantity::parse(left).unwrap(),
            Quantity::parse(right).unwrap(),
        );
        assert_eq!(
            left_quantity.cmp(&right_quantity),
            expected,
            "{left} and {right}"
        );
    }
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_rejected(text in "\\PC{0,12}|[+-]?[0-9]{0,30}\\.?[0-9]{0,30}([eEinumkKMGTP]{0,2}[-+]?[0-9]{0,12})?") {
        let _ = canonical(&text);
    }

    /// An amount beyond the suffix `E` loses its suffix upstream as well, so the test has none.
    #[test]
    fn canonical_form_keeps_the_amount(text in "-?[0-9]{1,9}(\\.[0-9]{1,9})?(n|u|m|k|M|G|e-3|e3|E6|Ki|Mi|Gi)?") {
        let mut quantity = Quantity::parse(&text).unwrap();
        let again = Quantity::parse(&quantity.canonical()).unwrap();
        prop_assert_eq!(&again, &quantity);
        prop_assert_eq!(Quantity::parse(&again.canonical()).unwrap().canonical(), again.canonical());
        quantity.round_up_to_milli();
        let rounded = quantity.canonical();
        quantity.round_up_to_milli();
        prop_assert_eq!(rounded, quantity.canonical());
    }
}
