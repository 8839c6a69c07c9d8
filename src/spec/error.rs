use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::Place;

/// One thing that is wrong with a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// Where.
    pub place: Place,
    /// How many characters of the line are marked; at least one is.
    pub length: usize,
    /// What is wrong, and what was expected, as a fragment.
    pub message: String,
    /// The cure: the nearest valid word, an example.
    pub help: Option<String>,
}

impl SpecError {
    /// An error at a place.
    pub fn new(place: &Place, length: usize, message: impl Into<String>) -> Self {
        Self { place: place.clone(), length, message: message.into(), help: None }
    }

    /// The same with its cure.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Errors as a person reads them: file, line, column, the line with a mark, what was expected, the cure.
pub fn render(errors: &[SpecError], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut sorted: Vec<&SpecError> = errors.iter().collect();
    sorted.sort_by(|a, b| {
        (&a.place.file, a.place.line, a.place.column).cmp(&(&b.place.file, b.place.line, b.place.column))
    });
    let blocks: Vec<String> = sorted.into_iter().map(|error| renderer.render(&report(error)) + "\n").collect();
    blocks.join("\n")
}

/// An error without a place, and its cure.
pub(super) fn render_plain(message: &str, help: &str, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let group = Level::ERROR.primary_title(printable(message)).element(Level::HELP.message(printable(help)));
    renderer.render(&[group]) + "\n"
}

fn report(error: &SpecError) -> Vec<Group<'_>> {
    let Place { file, line, column, text } = &error.place;
    let text = printable(text);
    let before = (*column as usize).saturating_sub(1);
    let start = byte_at(&text, before);
    let end = byte_at(&text, before.saturating_add(error.length.max(1))).max(start);
    let snippet = Snippet::source(text)
        .path(printable(file))
        .line_start(*line as usize)
        .annotation(AnnotationKind::Primary.span(start..end));
    let group = Level::ERROR.primary_title(printable(&error.message)).element(snippet);
    let group = match &error.help {
        Some(help) => group.element(Level::HELP.message(printable(help))),
        None => group,
    };
    vec![group]
}

/// A text that cannot steer the terminal that it is shown on, with as many characters.
fn printable(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if steers(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// The byte at which a character begins; the end of the text beyond it.
fn byte_at(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

/// The nearest of some words, if one is near enough to have been meant.
pub(crate) fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let words: Vec<&str> = words.into_iter().collect();
    // In short words one slip weighs too much for the score: `xdi`, `PBX`.
    let one_slip =
        |known: &&&str| known.len() > 2 && lower.len() > 2 && strsim::osa_distance(&lower, &known.to_lowercase()) == 1;
    let score = |known: &&str| strsim::jaro_winkler(&lower, &known.to_lowercase());
    let best = words.iter().copied().map(|known| (score(&known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
    let scored = best.filter(|(score, _)| *score >= 0.8).map(|(_, known)| known);
    // Two letters that changed places are a likelier slip than a wrong one.
    let wrong_letter = |known: &&&str| strsim::levenshtein(&lower, &known.to_lowercase()) == 1;
    scored.or_else(|| words.iter().filter(one_slip).min_by_key(wrong_letter).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_place_mark_and_cure() {
        let place = Place { file: "t.yaml".into(), line: 3, column: 5, text: "    colective: {}".into() };
        let error = SpecError::new(&place, 9, "unknown key `colective`").with_help("did you mean `collective`?");
        let shown = render(&[error], false);
        assert!(shown.contains("t.yaml:3:5"), "{shown}");
        assert!(shown.contains("    ^^^^^^^^^"), "{shown}");
        assert!(shown.contains("did you mean `collective`?"), "{shown}");
    }

    #[test]
    fn a_place_beyond_its_line_is_shown_all_the_same() {
        let place = Place { file: "t.yaml".into(), line: 1, column: 99, text: "ü".into() };
        assert!(render(&[SpecError::new(&place, 5, "x")], false).contains("t.yaml:1"));
    }

    #[test]
    fn a_column_of_zero_is_the_first() {
        let place = Place { file: "t.yaml".into(), line: 1, column: 0, text: "a: 1".into() };
        assert!(render(&[SpecError::new(&place, 1, "x")], false).contains("t.yaml:1"));
    }

    #[test]
    fn nothing_of_a_spec_steers_the_terminal() {
        let place = Place { file: "\u{1b}]t.yaml".into(), line: 1, column: 3, text: "a: \u{1b}[2J\u{202e}\tx".into() };
        let error = SpecError::new(&place, 4, "found `\u{1b}[2J\r`").with_help("\u{7}\u{9b}");
        let shown = render(&[error], false);
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\r', '\u{7}', '\u{9b}']), "{shown:?}");
    }

    #[test]
    fn only_a_near_word_is_suggested() {
        assert_eq!(nearest("colective", ["collective", "copy"]), Some("collective"));
        assert_eq!(nearest("Active_MTU", ["active_mtu", "rate"]), Some("active_mtu"));
        assert_eq!(nearest("xdi", ["sxid", "xid"]), Some("xid"));
        assert_eq!(nearest("PBX", ["PIX", "PXB", "PHB"]), Some("PXB"));
        assert_eq!(nearest("zzz", ["collective", "copy"]), None);
    }
}
