//! What the readers of ibstat, ibstatus and ibv_devinfo share: which device a line is of, what is damaged, and
//! whether the listing is whole.

use std::collections::BTreeSet;

use super::Line;
use crate::facts::{Damage, Fact, Facts, RdmaDevice, RdmaPort};

/// A listing of RDMA devices while it is read.
///
/// A device whose whole block is missing leaves no trace: no tool prints how many devices follow. Every other gap
/// makes the count of devices unknown.
pub(super) struct RdmaListing<'a> {
    /// The file, source of the facts.
    pub(super) file: &'a str,
    facts: &'a mut Facts,
    seen: BTreeSet<String>,
    incomplete: Option<String>,
    /// The line before was damaged in the same way: one report is enough for a run of lines.
    in_damage: bool,
}

impl<'a> RdmaListing<'a> {
    pub(super) fn new(file: &'a str, facts: &'a mut Facts) -> Self {
        Self { file, facts, seen: BTreeSet::new(), incomplete: None, in_damage: false }
    }

    /// A device that the listing names.
    pub(super) fn device(&mut self, name: &str) -> &mut RdmaDevice {
        self.in_damage = false;
        self.seen.insert(name.to_owned());
        self.facts.rdma_mut(name)
    }

    /// A port of a device that the listing names.
    pub(super) fn port(&mut self, device: &str, number: u32) -> &mut RdmaPort {
        self.device(device).port_mut(number)
    }

    /// A line that gives nothing; the listing is not whole.
    pub(super) fn damage(&mut self, line: &Line, reason: &str) {
        let damage = Damage::new(self.file, line.number, &line.text, reason);
        self.incomplete.get_or_insert_with(|| damage.to_string());
        if !self.in_damage {
            self.facts.damage.push(damage);
        }
        self.in_damage = true;
    }

    /// Something that the whole listing lacks.
    pub(super) fn lacks(&mut self, reason: String) {
        let damage = Damage::of_file(self.file, reason);
        self.incomplete.get_or_insert_with(|| damage.to_string());
        self.facts.damage.push(damage);
    }

    /// A value that was read, or the damage of the line that should hold it.
    pub(super) fn fact<T>(&mut self, line: &Line, value: Option<T>, expected: &str) -> Fact<T> {
        match value {
            Some(value) => Fact::known(value, self.file),
            None => {
                self.in_damage = false;
                self.damage(line, &format!("not {expected}"));
                Fact::unknown(format!("{}:{} is not {expected}", self.file, line.number))
            }
        }
    }

    /// Ends the listing. `none` says that the tool itself told that there is no device.
    pub(super) fn end(self, none: bool) {
        let count = u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
        let fact = match self.incomplete {
            Some(reason) => Fact::unknown(format!("the listing is not whole: {reason}")),
            None if count == 0 && !none => Fact::unknown(format!("{} names no device", self.file)),
            None => Fact::known(count, self.file),
        };
        self.facts.rdma_count.merge(fact);
    }
}
