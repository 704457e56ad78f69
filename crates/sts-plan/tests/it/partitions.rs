//! `--every-partition`: each pod at every partition.

use std::sync::Arc;

use sts_controller::apiserver::apply::Edit;
use sts_plan::plan::Plan;
use sts_plan::what_if::{Questions, ReportPartitions, WhatIfAnswers};
use test_kit::input::{Input, fixture, objects};
use test_kit::kv::NOW;

use crate::scenario::{Scenario, plan, pod, web};

fn asked(plan: &Plan) -> ReportPartitions {
    let questions = Questions {
        partitions: true,
        ..Questions::default()
    };
    WhatIfAnswers::of(plan, &questions).partitions.unwrap()
}

fn file(name: &str) -> Input {
    Input::of(&objects(&fixture(name)), NOW)
}

/// `partition: pod=revision>comes back on` of each partition.
fn partitions(scenario: &Scenario, version: &str) -> Vec<String> {
    let plan = plan(scenario, version);
    let names = plan.progression.world.snapshot().status.clone();
    let tag = |revision: &Arc<str>| match revision {
        revision if *revision == names.update_revision => "new",
        _ => "old",
    };
    let tried = asked(&plan);
    assert_eq!((tried.left_out, tried.skipped), (0, None));
    let told = tried.items.iter().map(|partition| {
        let pods = partition.pods.iter().map(|pod| {
            let back = pod.comes_back_on.as_ref().map_or("never", tag);
            format!("{}={}>{back}", pod.name, tag(&pod.revision))
        });
        let pods: Vec<String> = pods.collect();
        format!("{}: {}", partition.partition, pods.join(" "))
    });
    told.collect()
}

#[test]
fn every_partition_names_its_pods() {
    assert_eq!(
        partitions(&web(2).rolling_to_v2().partition(1), "1.36"),
        [
            "2: web-1=old>old web-0=old>old",
            "1: web-1=new>new web-0=old>old",
            "0: web-1=new>new web-0=new>new",
        ]
    );
}

/// k/k#128529: the partition counts from the start ordinal, despite the documentation.
#[test]
fn partitions_count_from_the_start_ordinal() {
    let shifted = web(0)
        .replicas(2)
        .start(5)
        .rolling_to_v2()
        .pod(pod("web-5"))
        .pod(pod("web-6"));
    assert_eq!(
        partitions(&shifted, "1.36"),
        [
            "2: web-6=old>old web-5=old>old",
            "1: web-6=new>new web-5=old>old",
            "0: web-6=new>new web-5=new>new",
        ]
    );
}

/// The answer for a partition equals the plan with it.
#[test]
fn a_partition_answer_equals_its_plan() {
    let all = file("partition.yaml")
        .asking(|it| it.partitions = true)
        .json();
    let items = all["partitions"]["items"].as_array().unwrap();
    assert_eq!(items.len(), 6);
    for item in items {
        let partition = i32::try_from(item["partition"].as_i64().unwrap()).unwrap();
        let one = file("partition.yaml")
            .edited([Edit::partition(partition)])
            .json();
        let mut pods: Vec<(String, String)> = Vec::new();
        for pod in item["pods"].as_array().unwrap() {
            pods.push((pod["name"].to_string(), pod["revision"].to_string()));
        }
        pods.sort();
        let outcome: Vec<(String, String)> = one["outcome"]["pods"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pod| (pod["name"].to_string(), pod["revision"].to_string()))
            .collect();
        assert_eq!(pods, outcome, "partition {partition}");
    }
}

/// A large set is answered in part, and the answer says so.
#[test]
fn large_sets_omit_the_middle() {
    let large = (0..300).fold(web(0).replicas(300), |web, ordinal| {
        web.pod(pod(&format!("web-{ordinal}")))
    });
    let partitions = asked(&plan(&large.rolling_to_v2(), "1.36"));
    let tried = partitions.items;
    assert_eq!(tried.len() + partitions.left_out, 301);
    assert_eq!(
        (tried[0].partition, tried[tried.len() - 1].partition),
        (300, 0)
    );
    let held = &tried[1].pods;
    assert!(
        held.iter()
            .filter(|pod| pod.comes_back_on.is_some())
            .count()
            <= 4
    );
}
