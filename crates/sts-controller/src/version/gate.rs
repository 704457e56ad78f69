//! Feature gates that affect StatefulSets and the defaulting of their templates, with their history.

use super::Version;

/// Stage of a feature gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Stage {
    /// Off by default.
    Alpha,
    /// Can be switched on and off.
    Beta,
    /// Complete, and locked to its default.
    #[strum(serialize = "GA")]
    Ga,
    /// Temporary way to restore earlier behavior.
    Deprecated,
}

/// A feature gate. The variants have the names of Kubernetes, in alphabetical order, which is the order of lists.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[expect(
    missing_docs,
    reason = "the names are Kubernetes' own; `life` has the history of each"
)]
pub enum Gate {
    DefaultHostNetworkHostPortsInPodTemplates,
    ImageVolume,
    MaxUnavailableStatefulSet,
    PodIndexLabel,
    StaleControllerConsistencyStatefulSet,
    StatefulSetAutoDeletePVC,
    StatefulSetMinReadySeconds,
    StatefulSetRecreateStrategy,
    StatefulSetSemanticRevisionComparison,
    StatefulSetStartOrdinal,
}

/// Lifecycle of a gate: its stages and defaults by version, and its removal.
#[derive(Debug, Clone, Copy)]
struct GateHistory {
    /// (minor, patch, stage, default) from oldest to newest. A gate at stage GA is locked.
    history: &'static [(u32, u32, Stage, bool)],
    /// The minor that removed the gate.
    gone: Option<u32>,
}

const fn history(history: &'static [(u32, u32, Stage, bool)]) -> GateHistory {
    GateHistory {
        history,
        gone: None,
    }
}

impl GateHistory {
    /// Sets the minor that removed the gate.
    const fn until(mut self, minor: u32) -> Self {
        self.gone = Some(minor);
        self
    }
}

impl Gate {
    /// Every gate, by name.
    pub const ALL: [Gate; 10] = [
        Gate::DefaultHostNetworkHostPortsInPodTemplates,
        Gate::ImageVolume,
        Gate::MaxUnavailableStatefulSet,
        Gate::PodIndexLabel,
        Gate::StaleControllerConsistencyStatefulSet,
        Gate::StatefulSetAutoDeletePVC,
        Gate::StatefulSetMinReadySeconds,
        Gate::StatefulSetRecreateStrategy,
        Gate::StatefulSetSemanticRevisionComparison,
        Gate::StatefulSetStartOrdinal,
    ];

    const fn life(self) -> GateHistory {
        match self {
            Gate::DefaultHostNetworkHostPortsInPodTemplates => {
                history(&[(28, 0, Stage::Deprecated, false)]).until(31)
            }
            Gate::ImageVolume => history(&[
                (31, 0, Stage::Alpha, false),
                (33, 0, Stage::Beta, false),
                (35, 0, Stage::Beta, true),
                (36, 0, Stage::Ga, true),
            ]),
            Gate::MaxUnavailableStatefulSet => history(&[
                (24, 0, Stage::Alpha, false),
                (35, 0, Stage::Beta, true),
                (35, 4, Stage::Beta, false),
                (37, 0, Stage::Beta, true),
            ]),
            Gate::PodIndexLabel => {
                history(&[(28, 0, Stage::Beta, true), (32, 0, Stage::Ga, true)]).until(35)
            }
            Gate::StaleControllerConsistencyStatefulSet => history(&[(36, 0, Stage::Beta, true)]),
            Gate::StatefulSetAutoDeletePVC => history(&[
                (23, 0, Stage::Alpha, false),
                (27, 0, Stage::Beta, true),
                (32, 0, Stage::Ga, true),
            ])
            .until(35),
            Gate::StatefulSetMinReadySeconds => history(&[
                (22, 0, Stage::Alpha, false),
                (23, 0, Stage::Beta, true),
                (25, 0, Stage::Ga, true),
            ])
            .until(27),
            Gate::StatefulSetRecreateStrategy => history(&[(37, 0, Stage::Alpha, false)]),
            Gate::StatefulSetSemanticRevisionComparison => history(&[(34, 2, Stage::Beta, true)]),
            Gate::StatefulSetStartOrdinal => history(&[
                (26, 0, Stage::Alpha, false),
                (27, 0, Stage::Beta, true),
                (31, 0, Stage::Ga, true),
            ])
            .until(34),
        }
    }

    /// Returns the gate of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Gate> {
        name.parse().ok()
    }

    /// Returns the gate's stage and default in that version; `None` if the gate does not exist there.
    #[must_use]
    pub fn at(self, version: Version) -> Option<(Stage, bool)> {
        let life = self.life();
        if life.gone.is_some_and(|gone| version.is_at_least(gone, 0)) {
            return None;
        }
        let at = life
            .history
            .iter()
            .rev()
            .find(|at| version.is_at_least(at.0, at.1))?;
        Some((at.2, at.3))
    }

    /// Reports whether the gate has graduated by that version: locked to on, or removed after that. Its feature is then
    /// always on.
    #[must_use]
    pub fn has_graduated(self, version: Version) -> bool {
        let life = self.life();
        life.history.iter().any(|(minor, patch, stage, on)| {
            *stage == Stage::Ga && *on && version.is_at_least(*minor, *patch)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_gates_are_listed_by_name() {
        for (index, gate) in Gate::ALL.into_iter().enumerate() {
            assert_eq!(gate as usize, index);
            assert_eq!(format!("{gate:?}"), gate.name());
            assert_eq!(Gate::named(gate.name()), Some(gate));
        }
        assert!(Gate::ALL.is_sorted_by_key(|gate| gate.name()));
    }

    #[test]
    fn a_removed_gate_stays_graduated() {
        let at = |minor| Version { minor, patch: None };
        let gate = Gate::StatefulSetAutoDeletePVC;
        let graduated = |minor| gate.has_graduated(at(minor));
        assert_eq!([31, 32, 34, 35].map(graduated), [false, true, true, true]);
        assert!(gate.at(at(35)).is_none());
        // This gate was removed without graduating.
        assert!(!Gate::DefaultHostNetworkHostPortsInPodTemplates.has_graduated(at(31)));
    }
}
