use super::{
    plain::plain_line,
    style::{Role, Style},
};
use crate::spec::Place;

/// What stands for the part of a long line that is not shown.
const CUT: &str = "...";

/// The place, its line and a caret under what stands there, as compilers quote:
///
/// ```text
///   --> specs/hgx.yaml:32:16
///    |
/// 32 |       require: NV18
///    |                ^^^^
/// ```
pub(super) fn quote(place: &Place, style: Style, marker: Role) -> Vec<String> {
    let number = place.line.to_string();
    let gutter = " ".repeat(number.len());
    let mut lines = vec![arrow(place, number.len(), style)];
    if place.text.trim().is_empty() {
        return lines;
    }
    let shown = Shown::new(place, style.width.saturating_sub(number.len() + 3));
    let bar = style.paint(Role::Frame, "|");
    let carets = style.paint(marker, "^".repeat(shown.length));
    lines.push(format!("{gutter} {bar}"));
    lines.push(format!("{} {bar} {}", style.paint(Role::Frame, number), shown.text.trim_end()));
    lines.push(format!("{gutter} {bar} {}{carets}", " ".repeat(shown.start)));
    lines
}

/// The place alone.
pub(super) fn arrow(place: &Place, indent: usize, style: Style) -> String {
    let place = place.to_string();
    format!("{}{} {}", " ".repeat(indent), style.paint(Role::Frame, "-->"), plain_line(&place))
}

/// The part of a line that fits, and where in it the marker stands.
struct Shown {
    text: String,
    start: usize,
    length: usize,
}

impl Shown {
    fn new(place: &Place, width: usize) -> Self {
        // A character each, so that the column stays right.
        let line: Vec<char> = place.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let column = usize::try_from(place.column).unwrap_or(usize::MAX).saturating_sub(1).min(line.len());
        let length = token_length(&line[column..]);
        if line.len() <= width {
            return Self { text: line.into_iter().collect(), start: column, length };
        }
        // The indentation goes first; then the window moves until the token is in it.
        let indent = line.iter().take_while(|c| **c == ' ').count().min(column);
        let room = width.saturating_sub(2 * CUT.len()).max(1);
        let length = length.min(room);
        let begin = if column + length - indent <= room { indent } else { column + length - room };
        let end = (begin + room).min(line.len());
        let mut text = if begin > indent { CUT.to_owned() } else { String::new() };
        let start = text.len() + column - begin;
        text.extend(&line[begin..end]);
        if end < line.len() {
            text.push_str(CUT);
        }
        Self { text, start, length }
    }
}

/// The length of the YAML scalar, key or bracket that a line begins with; at least one.
fn token_length(line: &[char]) -> usize {
    let length = match line.first() {
        Some(quote @ ('"' | '\'')) => {
            line[1..].iter().position(|c| c == quote).map_or(line.len(), |closing| closing + 2)
        }
        Some('[' | '{') => 1,
        _ => scalar_length(line),
    };
    length.max(1)
}

/// A plain scalar may hold spaces (`440 GB/s`); it ends at a comma, a bracket, a colon or a comment.
fn scalar_length(line: &[char]) -> usize {
    let ends = |at: usize| {
        let blank_next = line.get(at + 1).is_none_or(|c| *c == ' ');
        match line[at] {
            ']' | '}' => true,
            ',' | ':' => blank_next,
            '#' => at > 0 && line[at - 1] == ' ',
            _ => false,
        }
    };
    let end = (0..line.len()).find(|at| ends(*at)).unwrap_or(line.len());
    line[..end].iter().rposition(|c| *c != ' ').map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str, column: u32, width: usize) -> Vec<String> {
        let place = Place { file: "s.yaml".into(), line: 7, column, text: text.into() };
        quote(&place, Style { color: false, width }, Role::Fail)
    }

    #[test]
    fn the_value_is_underlined() {
        assert_eq!(
            quoted("  rate: 400 Gb/s   # NDR", 9, 80),
            [" --> s.yaml:7:9", "  |", "7 |   rate: 400 Gb/s   # NDR", "  |         ^^^^^^^^",]
        );
        assert!(quoted("busbw: { 1G: 440 GB/s, 8G: 1 GB/s }", 14, 80)[3].ends_with(" ^^^^^^^^"));
        assert!(quoted("gpu: \"NVIDIA, H100\" # x", 6, 80)[3].ends_with(&"^".repeat(14)));
        assert!(quoted("require: NV18", 1, 80)[3].ends_with("| ^^^^^^^"));
    }

    #[test]
    fn a_long_line_is_cut_around_the_value() {
        let line = format!("        expect: {{ {} 8G: 460 GB/s, x: 1 }}", "1G: 440 GB/s, ".repeat(9));
        let column = u32::try_from(line.find("460").unwrap() + 1).unwrap();
        let lines = quoted(&line, column, 60);
        let start = lines[3].find('^').unwrap();
        assert_eq!(&lines[2][start..start + 8], "460 GB/s");
        assert!(lines.iter().all(|line| line.len() <= 60), "{lines:#?}");
    }

    #[test]
    fn a_place_without_text_or_beyond_it() {
        assert_eq!(quoted("", 1, 80), [" --> s.yaml:7:1"]);
        assert_eq!(quoted("ab", 40, 80)[3], "  |   ^");
        assert_eq!(quoted("ab", 0, 2).len(), 4);
    }
}
