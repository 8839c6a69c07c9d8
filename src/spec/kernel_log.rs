use super::{
    Node, Placed,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, names, required},
    values,
};
use crate::facts::LogEventKind;

/// `kernel_log`.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLogExpect {
    /// What no line may be.
    pub forbid: Vec<Placed<LogPattern>>,
}

/// A kind of kernel log line, or an expression of the spec's own.
#[derive(Clone, Debug)]
pub enum LogPattern {
    /// A kind.
    Kind(LogEventKind),
    /// `regex:...`.
    Regex(regex::Regex),
}

impl PartialEq for LogPattern {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Kind(ours), Self::Kind(theirs)) => ours == theirs,
            (Self::Regex(ours), Self::Regex(theirs)) => ours.as_str() == theirs.as_str(),
            _ => false,
        }
    }
}

const KINDS: [(&str, LogEventKind); 5] = [
    ("xid", LogEventKind::Xid),
    ("sxid", LogEventKind::Sxid),
    ("fallen-off-bus", LogEventKind::FallenOffBus),
    ("aer-fatal", LogEventKind::AerFatal),
    ("nvlink-error", LogEventKind::NvlinkError),
];

const ITEM: Shape = Shape::Any(&[Shape::Words(&names(&KINDS)), Shape::Pattern("^regex:.+$", "regex:NVRM: .*")]);

/// The keys of `kernel_log`.
pub(super) const KEYS: &[Key] =
    &[required("forbid", Shape::List(&ITEM), "kinds of lines, or `regex:...`, that the log may not hold")];

impl KernelLogExpect {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let reader = MapReader::open(node, "`kernel_log`", KEYS, errors)?;
        let read =
            |node: &Node, errors: &mut Errors| values::placed_list(node, "kinds of lines", errors, LogPattern::decode);
        Some(Self { forbid: reader.read("forbid", errors, read)? })
    }
}

impl LogPattern {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let text = values::text(node, errors)?;
        if let Some(expression) = text.strip_prefix("regex:") {
            return values::expression(node, expression, errors).map(Self::Regex);
        }
        let kind = KINDS.iter().find(|(name, _)| *name == text).map(|(_, kind)| Self::Kind(*kind));
        if kind.is_none() {
            let mut words: Vec<&str> = names(&KINDS).to_vec();
            words.push("regex:...");
            errors.unknown_word(node, "kind of line", &text, &words);
        }
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good},
        *,
    };

    #[test]
    fn kinds_and_expressions_are_read() {
        let text = "{ forbid: [xid, sxid, fallen-off-bus, aer-fatal, nvlink-error, \"regex:NVRM: [a-z]+\"] }";
        let forbid = good(KernelLogExpect::decode, &flow(text)).forbid;
        let mut expected: Vec<LogPattern> = KINDS.iter().map(|(_, kind)| LogPattern::Kind(*kind)).collect();
        expected.push(LogPattern::Regex(regex::Regex::new("NVRM: [a-z]+").unwrap()));
        assert_eq!(forbid.into_iter().map(|pattern| pattern.value).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("{}", "`kernel_log` lacks the key `forbid` | kinds of lines, or `regex:...`, that the log may not hold"),
            ("{ forbid: xid }", "expected a list of kinds of lines, found a plain value"),
            ("{ forbid: [] }", "expected a list of kinds of lines, found an empty one"),
            (
                "{ forbid: [sxids] }",
                "unknown kind of line `sxids`, expected one of `xid`, `sxid`, `fallen-off-bus`, `aer-fatal`, \
                 `nvlink-error`, `regex:...` | did you mean `sxid`?",
            ),
            ("{ forbid: [\"regex:\"] }", "the expression is empty"),
            ("{ forbid: [\"regex:a(\"] }", "`a(` is no regular expression: unclosed group"),
        ] {
            assert_eq!(bad(KernelLogExpect::decode, &flow(text)), message, "{text}");
        }
    }
}
