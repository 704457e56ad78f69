//! The tests of the analysis: what it finds, says and recommends, without the program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod advice;
mod catalogue;
mod cause_worlds;
mod causes;
mod components;
mod contrast;
mod controller_stopped;
mod culprits;
mod deletions;
mod diagnosis;
mod earlier_volumes;
mod exploration;
mod failures;
mod findings;
mod foreseen;
mod grants;
mod grow;
mod known_in_trials;
mod lacking_keys;
mod larger_claims;
mod later_pod;
mod loops;
mod lost_majority;
mod lost_revisions;
mod lost_zone;
mod mounted_files;
mod named_elsewhere;
mod near_misses;
mod next;
mod nodes;
mod nodes_and_owners;
mod options;
mod other_objects;
mod partial_input;
mod partitions;
mod past_volume_failures;
mod placement;
mod probe_answers;
mod prospects;
mod refused_pods;
mod remedies;
mod repaired_template;
mod requirement;
mod retry;
mod runbooks;
mod settings;
mod several_containers;
mod several_pods;
mod stages;
mod surroundings;
mod two_causes;
mod unchanged_upgrade;
mod unseen_messages;
mod unsteady;
mod upgrade;
mod written_before;

use test_kit::plans as scenario;
