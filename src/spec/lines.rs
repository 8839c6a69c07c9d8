use std::sync::Arc;

use granit_parser::Marker;

use super::Place;

/// The lines of a text, to make places from the parser's marks.
pub(super) struct Lines<'a> {
    text: &'a str,
    file: &'a Arc<str>,
    /// The byte at which each line begins.
    starts: Vec<usize>,
    /// The line made last: the values of one line share its text.
    last: Option<(usize, Arc<str>)>,
}

impl<'a> Lines<'a> {
    /// Splits a text where YAML does: at LF, CR LF and a lone CR.
    pub(super) fn new(text: &'a str, file: &'a Arc<str>) -> Self {
        let bytes = text.as_bytes();
        let breaks = bytes.iter().enumerate().filter_map(|(at, byte)| {
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            ends.then_some(at + 1)
        });
        let starts = std::iter::once(0).chain(breaks).collect();
        Self { text, file, starts, last: None }
    }

    /// The place of a mark.
    pub(super) fn place(&mut self, mark: Marker) -> Place {
        let line = mark.line().clamp(1, self.starts.len());
        let text = self.line(line);
        // In bytes, which are never fewer than characters: counting a long line for each value on it takes too long.
        let column = mark.col().min(text.len()) + 1;
        Place { file: self.file.clone(), line: number(line), column: number(column), text }
    }

    /// The tab that indents a line or the next one that is not empty. The parser tells of a tab after a plain scalar
    /// on the scalar's line.
    pub(super) fn indenting_tab(&mut self, mark: Marker) -> Option<Marker> {
        let first = mark.line().clamp(1, self.starts.len());
        let next = (first + 1..=self.starts.len()).find(|line| !self.line(*line).trim().is_empty());
        [Some(first), next].into_iter().flatten().find_map(|line| {
            let text = self.line(line);
            let indent = text.chars().take_while(|c| matches!(c, ' ' | '\t'));
            indent.enumerate().find(|(_, c)| *c == '\t').map(|(column, _)| Marker::new(0, line, column))
        })
    }

    fn line(&mut self, line: usize) -> Arc<str> {
        if let Some((last, text)) = &self.last
            && *last == line
        {
            return text.clone();
        }
        let start = self.starts.get(line - 1).copied().unwrap_or_default();
        let end = self.starts.get(line).copied().unwrap_or(self.text.len());
        let whole = self.text.get(start..end).unwrap_or_default();
        let text: Arc<str> = whole.trim_end_matches(['\r', '\n']).into();
        self.last = Some((line, text.clone()));
        text
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_break_of_yaml_ends_a_line() {
        let file: Arc<str> = "t.yaml".into();
        let mut lines = Lines::new("a\r\nb\rc\nd", &file);
        let texts: Vec<String> = (1..=4).map(|line| lines.place(Marker::new(0, line, 0)).text.to_string()).collect();
        assert_eq!(texts, ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_mark_beyond_the_text_is_at_its_end() {
        let file: Arc<str> = "t.yaml".into();
        let place = Lines::new("ab", &file).place(Marker::new(9, 9, 9));
        assert_eq!((place.line, place.column), (1, 3));
    }
}
