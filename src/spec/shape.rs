//! What each place of a spec can hold, as data: the decoder knows its keys from it, and the schema is made of it.

use super::rule::Rule;

/// A key of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Key {
    /// The name.
    pub(super) name: &'static str,
    /// What it means, for editors and the reference.
    pub(super) about: &'static str,
    /// What its value can be.
    pub(super) shape: Shape,
    /// Whether it has to be there.
    pub(super) required: bool,
}

/// A key that may be left out.
pub(super) const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, about, shape, required: false }
}

/// A key that has to be there.
pub(super) const fn required(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, about, shape, required: true }
}

/// The names of a table of words and what they mean.
pub(super) const fn names<T, const N: usize>(words: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = words[at].0;
        at += 1;
    }
    names
}

/// What a value can be. Every scalar may also be a parameter, `$NAME`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// Text; numbers and booleans keep their spelling.
    Text,
    /// Text that an expression describes, with an example for people.
    Pattern(&'static str, &'static str),
    /// A whole number, not negative.
    Integer,
    /// A whole number, this at least.
    AtLeast(u32),
    /// `yes` or `no`.
    Boolean,
    /// `8`, `64K`, `8M`, `2GiB`.
    Size,
    /// A size above 0.
    PositiveSize,
    /// `440 GB/s`.
    Bandwidth,
    /// `400 Gb/s`.
    Rate,
    /// `30s`, `5m`.
    Duration,
    /// `85%`.
    Percent,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A value, a list of values, or `{min, max}`.
    Wanted(&'static Shape),
    /// A list.
    List(&'static Shape),
    /// A list in which no value is there twice.
    Distinct(&'static Shape),
    /// Any of these.
    Any(&'static [Shape]),
    /// A map with these keys.
    Map(&'static [Key]),
    /// A map with these keys, between which the rules hold.
    Ruled(&'static [Key], &'static [Rule]),
    /// A map with these keys, of which one at least is there.
    NotEmpty(&'static [Key]),
    /// A map from names to values; `~` is a value too.
    MapOf(&'static Shape),
    /// `~`.
    Null,
    /// The expectations of an override, which are merged before they are read.
    Anything,
}
