//! Reading a line from its left, word by word, without copying.

/// What is left of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan<'a>(pub(super) &'a str);

impl<'a> Scan<'a> {
    /// Passes over `text`; `None` where something else stands there.
    pub(super) fn skip(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    /// Passes over `text` where it stands there.
    pub(super) fn skip_if(&mut self, text: &str) -> bool {
        self.skip(text).is_some()
    }

    pub(super) fn blanks(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    /// The bytes of one kind at the front.
    pub(super) fn take(&mut self, kind: impl Fn(u8) -> bool) -> &'a str {
        let length = self.0.bytes().position(|byte| !kind(byte)).unwrap_or(self.0.len());
        // A byte that is part of a longer character is of no kind that is asked for, so the cut is between characters.
        let (taken, rest) = self.0.split_at_checked(length).unwrap_or(("", self.0));
        self.0 = rest;
        taken
    }

    pub(super) fn number<N: std::str::FromStr>(&mut self) -> Option<N> {
        self.take(|byte| byte.is_ascii_digit()).parse().ok()
    }

    /// A rank in a ring or a tree: -1 is no rank.
    pub(super) fn rank_or_none(&mut self) -> Option<Option<u32>> {
        if self.skip_if("-1") { Some(None) } else { self.number().map(Some) }
    }

    /// A word of letters, digits and `_`.
    pub(super) fn word(&mut self) -> &'a str {
        self.take(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    /// What stands behind `mark`.
    pub(super) fn after(&mut self, mark: &str) -> Option<()> {
        self.0 = self.0.split_once(mark)?.1;
        Some(())
    }

    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// A line without what RCCL adds to it: ` comm 0x7f00 nRanks 08`, and the bus behind it. Most lines end otherwise, which
/// one look at the last word shows.
pub(super) fn without_communicator(message: &str) -> &str {
    let last = message.rsplit(' ').next().unwrap_or(message);
    let ends = last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_hexdigit());
    let start = if ends { message.rfind(" comm 0x") } else { None };
    start.map_or(message, |at| &message[..at])
}
