//! Choice of the outdated pods to delete.

use sts_controller::object::IntOrPercent;
use sts_controller::version::{MaxUnavailable, UpdateDelete};

use super::*;

impl Sync<'_> {
    /// Returns `maxUnavailable` as a number; 1 if it is unset or the gate is off.
    pub(super) fn max_unavailable(&self) -> Result<i64> {
        let rolling = self.set.strategy.rolling_update();
        let given = rolling.and_then(|rolling| rolling.max_unavailable.as_ref());
        let (Some(style), Some(given)) = (self.behaviour.max_unavailable, given) else {
            return Ok(1);
        };
        let lenient = style == MaxUnavailable::MayBeZero;
        let max = match given {
            IntOrPercent::Int(number) => *number,
            IntOrPercent::Text(text) => {
                let number = match text.strip_suffix('%') {
                    _ if lenient => text.replace('%', ""),
                    Some(number) => number.to_owned(),
                    None => return Err(Failure::Other),
                };
                let percent: i64 = number.parse().map_err(|_| Failure::Other)?;
                (percent * i64::from(self.set.replicas)).div_euclid(100)
            }
        };
        Ok(if lenient { max } else { max.max(1) })
    }

    pub(super) fn update_pods(&mut self) -> Result<()> {
        let rolling = self.set.strategy.rolling_update();
        let partition = rolling.and_then(|rolling| rolling.partition).unwrap_or(0);
        let lowest = usize::try_from(partition).unwrap();
        let is_outdated =
            |sync: &Self, pod: &Seat| pod.revision != sync.update && !pod.terminating();
        if self.behaviour.max_unavailable.is_none() {
            for slot in (lowest..self.slots.len()).rev() {
                let pod = self.slots[slot].clone();
                if is_outdated(self, &pod) {
                    let deleted = self.delete(&pod);
                    let gone = deleted == Err(Failure::NotFound);
                    return match self.behaviour.update_delete {
                        UpdateDelete::GoneIsFine if gone => {
                            self.counters.current -= 1;
                            Ok(())
                        }
                        UpdateDelete::GoneIsFine if deleted.is_err() => deleted,
                        _ => {
                            self.counters.current -= 1;
                            deleted
                        }
                    };
                }
                if self.unavailable(&pod) {
                    return Ok(());
                }
            }
            return Ok(());
        }
        let max = self.max_unavailable()?;
        let unavailable = self
            .slots
            .iter()
            .filter(|pod| self.unavailable(pod))
            .count();
        let mut left = max - i64::try_from(unavailable).unwrap();
        if self.behaviour.max_unavailable == Some(MaxUnavailable::UnavailableFirst)
            && !self.set.is_monotonic()
        {
            // Pods that do not serve are deleted first, whatever the budget.
            for slot in (lowest..self.slots.len()).rev() {
                let pod = self.slots[slot].clone();
                if is_outdated(self, &pod) && self.unavailable(&pod) {
                    self.take_down(&pod)?;
                }
            }
            for slot in (lowest..self.slots.len()).rev() {
                let pod = self.slots[slot].clone();
                if left > 0 && is_outdated(self, &pod) && !self.unavailable(&pod) {
                    self.take_down(&pod)?;
                    left -= 1;
                }
            }
            return Ok(());
        }
        for slot in (lowest..self.slots.len()).rev() {
            let pod = self.slots[slot].clone();
            if left > 0 && is_outdated(self, &pod) {
                self.take_down(&pod)?;
                left -= 1;
            }
        }
        Ok(())
    }

    /// Deletes a pod. One that is gone already is not an error.
    fn take_down(&mut self, pod: &Seat) -> Result<()> {
        match self.delete(pod) {
            Ok(()) | Err(Failure::NotFound) => {}
            failure => return failure,
        }
        self.lost += 1;
        self.counters.current -= 1;
        Ok(())
    }
}
