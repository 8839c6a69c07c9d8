//! What has to hold between the keys of a map, as data for the schema. A key that is `~` is not there.

use super::shape::Shape;

/// A rule of a map. The decoder of the map says what is wrong in words of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// A key besides these is there.
    MoreThan(&'static [&'static str]),
    /// Exactly one of these is there.
    OneOf(&'static [&'static str]),
    /// Some of the first and none of the second, or all of the second and none of the first.
    SomeOrAll(&'static [&'static str], &'static [&'static str]),
    /// None of `keys` is there where every item of the list `list` is `word`.
    NotWhereAll {
        /// The keys.
        keys: &'static [&'static str],
        /// The key of the list.
        list: &'static str,
        /// The word.
        word: &'static str,
    },
    /// `key` is there where `of` is `word`, and not where `of` is another of its words.
    Partner {
        /// The key.
        key: &'static str,
        /// The key that decides.
        of: &'static str,
        /// The word with which the key is there.
        word: &'static str,
        /// Every word.
        words: &'static [&'static str],
    },
    /// Where the map `map` has one of `keys`, one of `needs` is there beside it.
    Needs {
        /// The key of the inner map.
        map: &'static str,
        /// Its keys.
        keys: &'static [&'static str],
        /// The keys beside the inner map.
        needs: &'static [&'static str],
    },
    /// The shape of `key` goes by the word that `by` is.
    ShapeBy {
        /// The key.
        key: &'static str,
        /// The key that decides.
        by: &'static str,
        /// Its words with the shapes.
        shapes: &'static [(&'static str, Shape)],
    },
    /// `key` is not this word.
    NeverIs(&'static str, &'static str),
}
