use super::{
    Node, NodeValue, Placed, Wanted,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, key, required},
    values,
};

/// `command`: a program of the site's own, run without a shell.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The program and its arguments.
    pub run: Placed<Vec<String>>,
    /// The exit code; 0 where it is not written.
    pub exit: Option<Placed<Wanted<i32>>>,
    /// What standard output must hold.
    pub stdout: Option<Placed<TextExpect>>,
    /// What standard error must hold.
    pub stderr: Option<Placed<TextExpect>>,
}

/// What an output must hold.
#[derive(Clone, Debug, Default)]
pub struct TextExpect {
    /// Texts that stand in it.
    pub contains: Vec<String>,
    /// Expressions that match somewhere in it.
    pub matches: Vec<regex::Regex>,
}

impl PartialEq for TextExpect {
    fn eq(&self, other: &Self) -> bool {
        let texts = |expect: &Self| expect.matches.iter().map(|regex| regex.as_str().to_owned()).collect::<Vec<_>>();
        self.contains == other.contains && texts(self) == texts(other)
    }
}

const TEXTS: Shape = Shape::Any(&[Shape::Text, Shape::List(&Shape::Text)]);

const OUTPUT: &[Key] = &[
    key("contains", TEXTS, "texts that stand in it"),
    key("matches", TEXTS, "regular expressions that match somewhere in it"),
];

/// The keys of `command`.
pub(super) const KEYS: &[Key] = &[
    required("run", Shape::List(&Shape::Text), "the program and its arguments; there is no shell"),
    key("exit", Shape::Wanted(&Shape::Integer), "the exit code; 0"),
    key("stdout", Shape::NotEmpty(OUTPUT), "what standard output holds"),
    key("stderr", Shape::NotEmpty(OUTPUT), "what standard error holds"),
];

impl Command {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = MapReader::open(node, "`command`", KEYS, errors)?;
        let run = reader.placed("run", errors, run);
        let exit = reader.placed("exit", errors, |node, errors| values::wanted(node, errors, exit));
        let stdout = reader.placed("stdout", errors, TextExpect::decode);
        let stderr = reader.placed("stderr", errors, TextExpect::decode);
        let run = run?;
        (errors.0.len() == before).then_some(Self { run, exit, stdout, stderr })
    }
}

fn run(node: &Node, errors: &mut Errors) -> Option<Vec<String>> {
    let run = values::list(node, "a program and its arguments", errors, values::text)?;
    if run.first().is_none_or(String::is_empty) {
        errors.at(node, "the program has no name");
        return None;
    }
    Some(run)
}

fn exit(node: &Node, errors: &mut Errors) -> Option<i32> {
    let code = values::integer(node, errors)?;
    if code > 255 {
        errors.at(node, format!("an exit code is at most 255, found `{code}`"));
        return None;
    }
    Some(code)
}

impl TextExpect {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = values::not_empty(node, "an expectation of an output", OUTPUT, errors)?;
        let contains = reader.read("contains", errors, |node, errors| several(node, errors, part));
        let matches = reader.read("matches", errors, |node, errors| several(node, errors, expression));
        let expect = Self { contains: contains.unwrap_or_default(), matches: matches.unwrap_or_default() };
        (errors.0.len() == before).then_some(expect)
    }
}

/// A text or a list of texts.
fn several<T>(node: &Node, errors: &mut Errors, read: impl Fn(&Node, &mut Errors) -> Option<T>) -> Option<Vec<T>> {
    match &node.value {
        NodeValue::List(_) => values::list(node, "texts", errors, read),
        NodeValue::Null | NodeValue::Scalar { .. } | NodeValue::Map(_) => read(node, errors).map(|one| vec![one]),
    }
}

fn part(node: &Node, errors: &mut Errors) -> Option<String> {
    let text = values::text(node, errors)?;
    if text.is_empty() {
        errors.at(node, "an empty text stands in every output");
        return None;
    }
    Some(text)
}

fn expression(node: &Node, errors: &mut Errors) -> Option<regex::Regex> {
    let text = values::text(node, errors)?;
    values::expression(node, &text, errors)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good},
        *,
    };

    #[test]
    fn every_key_is_read() {
        let text = "{ run: [dcgmi, diag, -r, 1], exit: [0, 2], stdout: { contains: Pass, matches: [\"a+\", b] }, \
                    stderr: { contains: [x, y] } }";
        let command = good(Command::decode, &flow(text));
        assert_eq!(command.run.value, ["dcgmi", "diag", "-r", "1"]);
        assert_eq!(command.exit.unwrap().value, Wanted::OneOf(vec![0, 2]));
        let stdout = command.stdout.unwrap().value;
        assert_eq!(stdout.contains, ["Pass"]);
        assert_eq!(stdout.matches.iter().map(regex::Regex::as_str).collect::<Vec<_>>(), ["a+", "b"]);
        assert_eq!(command.stderr.unwrap().value.contains, ["x", "y"]);
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("{ exit: 0 }", "`command` lacks the key `run` | the program and its arguments; there is no shell"),
            ("{ run: ls -l }", "expected a list of a program and its arguments, found a plain value"),
            ("{ run: [] }", "expected a list of a program and its arguments, found an empty one"),
            ("{ run: [\"\"] }", "the program has no name"),
            ("{ run: [a], exit: ok }", "expected a whole number, found `ok`"),
            ("{ run: [a], exit: 256 }", "an exit code is at most 255, found `256`"),
            ("{ run: [a], stdoud: x }", "unknown key `stdoud` in `command` | did you mean `stdout`?"),
            ("{ run: [a], stdout: {} }", "an expectation of an output is empty | its keys are contains, matches"),
            ("{ run: [a], stdout: { contains: \"\" } }", "an empty text stands in every output"),
            ("{ run: [a], stdout: { contains: [] } }", "expected a list of texts, found an empty one"),
            ("{ run: [a], stderr: { matches: \"a(\" } }", "`a(` is no regular expression: unclosed group"),
        ] {
            assert_eq!(bad(Command::decode, &flow(text)), message, "{text}");
        }
    }
}
