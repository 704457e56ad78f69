//! Questions about an input, under the names of their flags.

use jiff::SignedDuration;
use sts_controller::version::Version;
use sts_plan::nodes::NodeReturn;
use sts_plan::what_if::Questions;

use super::Input;

/// The nodes of a comma-separated list.
fn listed(nodes: &str) -> impl Iterator<Item = String> {
    nodes.split(',').map(str::to_owned)
}

impl Input {
    /// Drains nodes, such as `node-7,zone=b`.
    pub fn drain(mut self, nodes: &str) -> Input {
        self.fleet.nodes.drain.extend(listed(nodes));
        self
    }

    /// Loses contact with nodes.
    pub fn lose(mut self, nodes: &str) -> Input {
        self.fleet.nodes.lose.extend(listed(nodes));
        self
    }

    /// Cordons nodes.
    pub fn cordon(mut self, nodes: &str) -> Input {
        self.fleet.nodes.cordon.extend(listed(nodes));
        self
    }

    /// Assumes more nodes like the named one.
    pub fn more_nodes(mut self, count: usize, like: &str) -> Input {
        self.fleet.nodes.more.push((count, like.to_owned()));
        self
    }

    /// Brings drained nodes back after so many minutes, one after the other or several at once.
    pub fn return_after(mut self, minutes: i64, at_once: usize) -> Input {
        let after = SignedDuration::from_mins(minutes);
        self.fleet.nodes.returns = Some(NodeReturn { after, at_once });
        self
    }

    /// Names the primaries, such as `primary-last=role=primary`.
    pub fn order(mut self, order: &str) -> Input {
        self.fleet.nodes.order = order.parse().unwrap();
        self
    }

    /// Lets drains ignore budgets after so many hours.
    pub fn budgets_ignored_after(mut self, hours: i64) -> Input {
        let after = SignedDuration::from_hours(hours);
        self.fleet.nodes.budgets_ignored_after = Some(after);
        self
    }

    /// Upgrades the control plane, such as to `1.34.1,1.36`.
    pub fn upgrade_to(mut self, versions: &str) -> Input {
        let versions = versions.split(',').map(|it| Version::known(it).unwrap());
        self.fleet.upgrade_to.extend(versions);
        self
    }

    /// Requires this of every set at every step.
    pub fn require(mut self, requirement: &str) -> Input {
        let requirement = requirement.parse().unwrap();
        self.questions.requirements.push(requirement);
        self
    }

    /// Asks other questions about every set.
    pub fn asking(mut self, ask: impl FnOnce(&mut Questions)) -> Input {
        ask(&mut self.questions);
        self
    }
}
