//! Two outputs of the same test made one: the text and the JSON of nccl-tests, or the own record and a tool's output.
//!
//! What both say counts once, with the more precise figure; what only one says is kept; where they contradict each other,
//! the doubt names both. Which of the two comes first changes no judgement.

mod ranks;
mod rows;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt::Display};

use super::{Measurement, OutOfBounds};

impl Measurement {
    /// This and another output of the same test as one.
    pub fn merged(mut self, mut other: Self) -> Self {
        let names = (named(&self), named(&other));
        let mut doubts: Vec<String> = [self.rows_doubt.take(), other.rows_doubt.take()].into_iter().flatten().collect();
        let mut differs = |what: &str, one: &dyn Display, two: &dyn Display| {
            doubts.push(statements(format!("{} says {what} {one}", names.0), format!("{} says {what} {two}", names.1)));
        };
        known(&mut self.operation, other.operation.take(), |one, two| differs("operation", one, two));
        known(&mut self.library, other.library.take(), |one, two| differs("library", one, two));
        known(&mut self.iterations, other.iterations.take(), |one, two| differs("iterations", one, two));
        known(&mut self.range, other.range.take(), |one, two| {
            differs("sizes", &format!("{} to {}", one.from, one.to), &format!("{} to {}", two.from, two.to));
        });
        let environment = other.environment.take();
        self.environment = variables(self.environment.take(), environment, |name, one, two| {
            differs(name, &one, &two);
        });
        self.rows_doubt = joined(doubts);
        ranks::merge(&mut self, &other, &names);
        self.rows = rows::merged(self.rows, other.rows);
        self.tool = longer(self.tool, other.tool);
        self.warmup = self.warmup.or(other.warmup);
        self.validation = match (self.validation, other.validation) {
            (Some(one), Some(two)) => Some(one && two),
            (one, two) => one.or(two),
        };
        self.out_of_bounds = out_of_bounds(self.out_of_bounds, other.out_of_bounds);
        // Where one of them is whole, the run came to its end.
        self.unfinished = self.unfinished.zip(other.unfinished).and_then(|(one, two)| joined(vec![one, two]));
        self.sources.append(&mut other.sources);
        self.damage.append(&mut other.damage);
        self
    }
}

fn named(measurement: &Measurement) -> String {
    measurement.sources.join(" and ")
}

/// Two statements in an order that does not depend on which output came first.
fn statements(one: String, two: String) -> String {
    if one <= two { format!("{one}, {two}") } else { format!("{two}, {one}") }
}

/// Several doubts as one, each once.
fn joined(mut doubts: Vec<String>) -> Option<String> {
    doubts.sort();
    doubts.dedup();
    (!doubts.is_empty()).then(|| doubts.join("; "))
}

/// The first known stays; two that differ are told.
fn known<T: PartialEq>(one: &mut Option<T>, two: Option<T>, differs: impl FnOnce(&T, &T)) {
    match (&*one, two) {
        (None, two) => *one = two,
        (Some(one), Some(two)) if *one != two => differs(one, &two),
        (Some(_), _) => {}
    }
}

type Variables = BTreeMap<String, String>;

fn variables(
    one: Option<Variables>,
    two: Option<Variables>,
    mut differs: impl FnMut(&str, &str, &str),
) -> Option<Variables> {
    let (Some(mut one), Some(two)) = (one.clone(), two.clone()) else { return one.or(two) };
    for (name, value) in two {
        match one.get(&name) {
            Some(first) if *first != value => differs(&name, first, &value),
            Some(_) => {}
            None => {
                one.insert(name, value);
            }
        }
    }
    Some(one)
}

/// The name of the tool that says more: with its version.
fn longer(one: Option<String>, two: Option<String>) -> Option<String> {
    match (one, two) {
        (Some(one), Some(two)) if two.starts_with(one.as_str()) => Some(two),
        (one, two) => one.or(two),
    }
}

/// A failure stays one, whatever the other output says.
fn out_of_bounds(one: Option<OutOfBounds>, two: Option<OutOfBounds>) -> Option<OutOfBounds> {
    match (one, two) {
        (Some(one), Some(two)) => Some(OutOfBounds { count: one.count.max(two.count), ok: one.ok && two.ok }),
        (one, two) => one.or(two),
    }
}
