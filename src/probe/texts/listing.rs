//! What listings of `key: value` blocks have in common: a cut end, prompts, and the order of a block's keys.

use super::Line;

/// The number of the last line where nothing ends it: whatever stands there may be cut, `Rate: 40` of `Rate: 400`.
pub(super) fn cut_line(text: &str) -> Option<usize> {
    (!text.is_empty() && !text.ends_with('\n')).then(|| text.lines().count())
}

/// A line that a terminal or a chat put around the tool's output: blank, a fence, a prompt with or without the command.
pub(super) fn is_frame(line: &str, tool: &str) -> bool {
    let line = line.trim();
    let fence = line.starts_with("```");
    let command = line.find(tool).is_some_and(|at| {
        let before = line[..at].trim_end();
        let before = before.strip_suffix("sudo").unwrap_or(before).trim_end();
        before.ends_with(['$', '#', '>', '%']) || before.is_empty() && !line.contains(':')
    });
    let idle_prompt = line.contains('@') && line.ends_with(['$', '#']) || line == "$" || line == "#";
    line.is_empty() || fence || command || idle_prompt
}

/// A line as key and value, both trimmed.
pub(super) fn key_and_value(line: &Line) -> Option<(&str, &str)> {
    let (key, value) = line.text.split_once(':')?;
    Some((key.trim(), value.trim()))
}

/// Where a key stands against the order in which the tool prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the next one.
    Next,
    /// The order does not name it.
    Foreign,
    /// A line before it is missing, so that it may belong to another block.
    Wrong,
}

/// How far a block has been read. A block whose lines do not follow each other is two blocks with a gap between.
#[derive(Clone, Debug)]
pub(super) struct Order {
    keys: &'static [&'static str],
    next: usize,
    skippable: Option<&'static str>,
}

impl Order {
    pub(super) const fn new(keys: &'static [&'static str]) -> Self {
        Self { keys, next: 0, skippable: None }
    }

    /// Takes a key and moves on if it is the next one.
    pub(super) fn place(&mut self, key: &str) -> Place {
        match self.keys.iter().position(|known| *known == key) {
            None => Place::Foreign,
            Some(at) if at == self.next || at == self.next + 1 && self.awaited() == self.skippable => {
                self.next = at + 1;
                Place::Next
            }
            Some(_) => Place::Wrong,
        }
    }

    /// A key that the tool may leave out here.
    pub(super) const fn may_skip(&mut self, key: &'static str) {
        self.skippable = Some(key);
    }

    /// The key that has to come now.
    pub(super) fn awaited(&self) -> Option<&'static str> {
        self.keys.get(self.next).copied()
    }

    /// Whether a key has been read.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.iter().take(self.next).any(|known| *known == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_no_part_of_an_output() {
        for line in ["", "```", "user@node:~$ ibstat", "# sudo ibstat", "$ ibstat mlx5_0", "root@n1:~#", "ibstat"] {
            assert!(is_frame(line, "ibstat"), "{line}");
        }
        for line in ["CA 'mlx5_0'", "State: Active", "bash: ibstat: command not found"] {
            assert!(!is_frame(line, "ibstat"), "{line}");
        }
    }

    #[test]
    fn a_gap_is_seen() {
        let mut order = Order::new(&["a", "b", "c"]);
        assert_eq!(order.place("a"), Place::Next);
        assert_eq!(order.place("x"), Place::Foreign);
        assert_eq!(order.place("c"), Place::Wrong);
        order.may_skip("b");
        assert_eq!(order.place("c"), Place::Next);
        assert_eq!(order.place("a"), Place::Wrong);
    }
}
