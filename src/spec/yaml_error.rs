use granit_parser::ErrorKind;

/// Whether the parser complains of a tab.
pub(super) const fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar
            | ErrorKind::TabAtBlockScalarStart
    )
}

/// What the YAML parser complains of, in the words of someone who writes a spec, and the cure.
pub(super) fn explain(kind: &ErrorKind) -> (String, Option<&'static str>) {
    let (message, help) = match kind {
        kind if is_tab(kind) => ("a tab cannot indent YAML".to_owned(), "indent with spaces"),
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            ("this quote is never closed".to_owned(), "close it with the same quote")
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            (format!("this `{open}` is never closed"), "close it, or use indented lines in place of brackets")
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            (format!("`{open}` cannot be closed by `{close}`"), "close each bracket with its own kind")
        }
        ErrorKind::UnexpectedEofFlowSequence | ErrorKind::ExpectedFlowSequenceSeparator => {
            ("expected `,` or `]` in a list".to_owned(), "the items of `[...]` are separated by commas")
        }
        ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::ExpectedFlowMappingSeparator => {
            ("expected `,` or `}` in a map".to_owned(), "the entries of `{...}` are separated by commas")
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::MappingKeyNotAllowed => {
            ("a map cannot begin here".to_owned(), "quote text that has `: ` in it, and indent keys alike")
        }
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            ("expected a key followed by `:`".to_owned(), "keys of one map are indented alike")
        }
        ErrorKind::UnexpectedCharacter { character } => {
            (format!("a value cannot begin with `{}`", character.escape_default()), "quote the value")
        }
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockSequenceEntry => {
            ("the indentation fits no line above".to_owned(), "keys of one map are indented alike")
        }
        _ => return (format!("not valid YAML: {}", cause(&kind.to_string())), None),
    };
    (message, Some(help))
}

/// The parser's message without the stage that it was in.
fn cause(message: &str) -> &str {
    let cause = message.split_once(", ").filter(|(stage, _)| stage.starts_with("while ")).map(|(_, cause)| cause);
    cause.unwrap_or(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_mistakes_have_a_cure() {
        let (message, help) = explain(&ErrorKind::TabInIndentation);
        assert_eq!((message.as_str(), help), ("a tab cannot indent YAML", Some("indent with spaces")));
    }

    #[test]
    fn a_rare_mistake_is_told_without_the_parsers_stage() {
        let (message, help) = explain(&ErrorKind::InvalidTagEscape);
        assert_eq!(message, "not valid YAML: found an invalid escape sequence");
        assert_eq!(help, None);
    }
}
