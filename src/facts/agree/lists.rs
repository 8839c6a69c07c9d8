use std::fmt;

use super::super::{Difference, Fact, Identifiers};

/// What stands in a list that several sources tell.
pub trait Listed: Clone {
    /// The list that two sources tell together, or what they contradict each other in.
    fn agree(first: &[Self], second: &[Self], identifiers: Identifiers) -> Result<Vec<Self>, Difference>;
}

impl<T: Listed> Fact<Vec<T>> {
    /// [`Fact::merge`] for lists that sources tell in different detail.
    pub fn merge_list(&mut self, other: Self) {
        self.merge_by(other, |first, second, identifiers| T::agree(first, second, identifiers));
    }
}

/// Two lists of the same things, in the first one's order: `what` is one of them, `key` tells them apart, `agree` gives
/// what both lists tell of one. Something that one of the lists lacks is a difference.
pub(super) fn same<T, K: PartialEq + fmt::Display>(
    (first, second): (&[T], &[T]),
    what: &str,
    key: impl Fn(&T) -> K,
    agree: impl Fn(&T, &T) -> Result<T, Difference>,
) -> Result<Vec<T>, Difference> {
    let twin = |one: &T, list: &[T]| list.iter().position(|other| key(other) == key(one));
    let count = |list: &[T], other: &[T]| {
        let lacking = other.iter().find(|one| twin(one, list).is_none());
        let lacking = lacking.map(|one| format!(" without {what} {}", key(one))).unwrap_or_default();
        format!("{} {what}{}{lacking}", list.len(), if list.len() == 1 { "" } else { "s" })
    };
    let joined = first.iter().map(|one| twin(one, second).and_then(|at| second.get(at)).map(|other| agree(one, other)));
    let joined: Option<Vec<_>> = joined.collect();
    match joined {
        Some(joined) if first.len() == second.len() => joined.into_iter().collect(),
        _ => Err(Difference::new(count(first, second), count(second, first))),
    }
}

/// Two lists, each of which may lack things: what both tell of one by `agree`, what the second alone has behind it.
pub(super) fn united<T: Clone, K: PartialEq>(
    first: &[T],
    second: &[T],
    key: impl Fn(&T) -> K,
    agree: impl Fn(&T, &T) -> T,
) -> Vec<T> {
    let twin = |one: &T, list: &[T]| list.iter().position(|other| key(other) == key(one));
    let joined = first.iter().map(|one| match twin(one, second).and_then(|at| second.get(at)) {
        Some(other) => agree(one, other),
        None => one.clone(),
    });
    let more = second.iter().filter(|one| twin(one, first).is_none()).cloned();
    joined.chain(more).collect()
}

/// A part that one source may not know.
pub(super) fn richer<T: Clone + PartialEq>(first: &Option<T>, second: &Option<T>) -> Option<Option<T>> {
    match (first, second) {
        (Some(one), Some(other)) if one != other => None,
        (one, other) => Some(one.clone().or_else(|| other.clone())),
    }
}
