//! The explanation of a stuck plan agrees with the simulated world.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use proptest::prelude::*;
use sts_controller::controller::{Hold, HoldKey, HoldReason};
use sts_controller::simulate::{StepAction, run};
use sts_plan::explain::remedy_text;
use sts_plan::plan::{Conditions, Outcome, Plan};
use sts_plan::remedy::TrialOutcome;

use crate::remedies::completes_with;
use test_kit::plans::conditions;
use test_kit::worlds::{cases, scenario};

/// The waits at every rest of a plan, in order.
fn waits(plan: &Plan) -> Vec<BTreeSet<HoldKey>> {
    let behaviour = &plan.conditions.behaviour;
    let (mut world, _) = plan.initial_world();
    let mut out = Vec::new();
    loop {
        let holds = loop {
            let synced = world.sync(behaviour, true);
            if !synced.changed {
                break synced.sync.holds;
            }
        };
        out.push(holds.iter().map(Hold::key).collect());
        let Some(due) = world.first() else {
            return out;
        };
        world.fire(&due);
    }
}

proptest! {
    #![proptest_config(cases(4))]

    /// A blocked plan stays blocked, however much time passes and however often the controller syncs.
    #[test]
    fn blocked_plans_stay_blocked(scenario in scenario()) {
        let plan = Plan::new(scenario.snapshot(), conditions(&scenario));
        let Outcome::Blocked(obstacles) = &plan.outcome else {
            return Ok(());
        };
        for seconds in [0, 1, 3_600, 1_000_000] {
            let now = plan.progression.world.now() + SignedDuration::from_secs(seconds);
            let conditions = Conditions { now, ..plan.conditions.clone() };
            let later = Plan::new(plan.progression.world.snapshot().clone(), conditions);
            // A terminating pod may become available meanwhile: the status counts it, and no step waits for it.
            prop_assert!(!later.touches_pods(), "{seconds}s later: {:?}", later.progression.steps);
            let Outcome::Blocked(left) = &later.outcome else {
                panic!("{seconds}s later: {:?}", later.outcome);
            };
            prop_assert_eq!(left.len(), obstacles.len());
            for (left, before) in left.iter().zip(obstacles) {
                prop_assert!(left.is_same(before), "{left:?} after {before:?}");
            }
        }
        let more = run(plan.progression.world, &plan.conditions.behaviour);
        let changed = more.steps.iter().any(|step| match &step.action {
            StepAction::Controller(writes) => writes.iter().any(|write| write.refused.is_none()),
            _ => true,
        });
        prop_assert!(!changed, "{:?}", more.steps);
    }

    /// A wait that should end by itself is over at the end, and any other remains.
    #[test]
    fn a_wait_ends_by_itself_when_it_is_said_to(scenario in scenario()) {
        let plan = Plan::new(scenario.snapshot(), conditions(&scenario));
        let Some(lasting) = plan.lasting() else {
            prop_assert_eq!(plan.outcome.name(), "livelock");
            return Ok(());
        };
        let waits = waits(&plan);
        let end = waits.last().unwrap();
        for hold in &plan.next.holds {
            let identity = hold.key();
            prop_assert_eq!(lasting.contains(&identity), end.contains(&identity), "{:?}", hold);
        }
        if let Outcome::Complete = plan.outcome {
            let intended = [HoldReason::HeldByPartition, HoldReason::OnDelete];
            prop_assert!(end.iter().all(|key| intended.contains(&key.reason)), "{end:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(2))]

    /// A remedy has its promised effect when its commands are run.
    #[test]
    fn remedies_have_their_promised_effect(scenario in scenario()) {
        let plan = Plan::new(scenario.snapshot(), conditions(&scenario));
        let Outcome::Blocked(obstacles) = &plan.outcome else {
            return Ok(());
        };
        for (obstacle, remedies) in obstacles.iter().zip(plan.remedies(3)) {
            for remedy in remedies {
                let told = remedy_text(&plan, &remedy);
                let completes = matches!(remedy.trial.verdict, TrialOutcome::Completes);
                prop_assert_eq!(told.completes_after_seconds.is_some(), completes);
                prop_assert_eq!(told.helps, !told.effect.starts_with("does not help"));
                let mended = told.looks.then(|| &*obstacle.pod().unwrap().meta.name);
                let right = completes_with(&plan, &told.commands, mended);
                prop_assert_eq!(right, completes, "{:?}: {}", told.commands, told.effect);
            }
        }
    }
}
