use std::{collections::BTreeMap, fmt};

use super::Case;
use crate::spec::Level;

/// Which cases run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// A case whose name holds one of these, or all cases where there is none.
    pub filters: Vec<String>,
    /// Names are whole, for `filters` and `skip`.
    pub exact: bool,
    /// Not a case whose name holds one of these.
    pub skip: Vec<String>,
    /// This level and all below; quick and standard without it.
    pub level: Option<Level>,
    /// A case with one of these tags, or all cases where there is none.
    pub tags: Vec<String>,
    /// What happens to tests that say `ignore`.
    pub ignored: IgnoredTests,
}

/// What happens to tests that say `ignore`, as libtest's flags have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IgnoredTests {
    /// They are shown and not run.
    #[default]
    Shown,
    /// `--include-ignored`: they run like others.
    Run,
    /// `--ignored`: only they run.
    Only,
}

/// How many cases matched by name and were left out all the same, by what would let them in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// By their level.
    pub by_level: BTreeMap<Level, usize>,
    /// By `--tag`.
    pub by_tag: usize,
    /// By `--ignored`.
    pub by_ignored: usize,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels = self.by_level.iter().map(|(level, count)| format!("{count} of level {level} (--level {level})"));
        let mut parts: Vec<String> = levels.collect();
        if self.by_tag > 0 {
            parts.push(format!("{} without the tag", self.by_tag));
        }
        if self.by_ignored > 0 {
            parts.push(format!("{} not ignored", self.by_ignored));
        }
        f.write_str(&parts.join(", "))
    }
}

impl Selection {
    /// The cases that are selected, in order, and how many were left out by level, tag or `--ignored`.
    pub fn apply(&self, cases: Vec<Case>) -> (Vec<Case>, LeftOut) {
        let mut left_out = LeftOut::default();
        let by_name = !self.filters.is_empty() || !self.skip.is_empty();
        let selected = cases
            .into_iter()
            .filter(|case| (!by_name || self.takes_name(&case.name())) && self.takes(case, &mut left_out))
            .collect();
        (selected, left_out)
    }

    fn takes_name(&self, name: &str) -> bool {
        let hit = |filter: &String| if self.exact { filter == name } else { name.contains(filter.as_str()) };
        (self.filters.is_empty() || self.filters.iter().any(hit)) && !self.skip.iter().any(hit)
    }

    fn takes(&self, case: &Case, left_out: &mut LeftOut) -> bool {
        let test = case.test.as_deref();
        let level = test.map_or(Level::Quick, |test| test.level);
        if level > self.level.unwrap_or_default() {
            *left_out.by_level.entry(level).or_default() += 1;
            return false;
        }
        let tags = test.map_or(&[][..], |test| &test.tags);
        if !self.tags.is_empty() && !tags.iter().any(|tag| self.tags.contains(tag)) {
            left_out.by_tag += 1;
            return false;
        }
        if self.ignored == IgnoredTests::Only && test.is_none_or(|test| test.ignore.is_none()) {
            left_out.by_ignored += 1;
            return false;
        }
        true
    }
}
