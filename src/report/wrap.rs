/// The units that stay on the line of their number.
const UNITS: [&str; 10] = ["GB/s", "Gb/s", "MB/s", "%", "s", "ms", "us", "GiB", "MiB", "bytes"];

/// What stays on the line of the number that follows it.
const COMPARISONS: [&str; 5] = [">=", "<=", ">", "<", "="];

/// Lines of at most `width` characters, broken at spaces only: a device, a pair or a path is never torn, and a number
/// keeps its unit. A longer word has a line of its own. Lines after the first begin with `indent` spaces.
pub(super) fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut length = 0;
    for piece in pieces(text) {
        let piece_length = piece.chars().count();
        let start = if lines.is_empty() { 0 } else { indent };
        if length > start && length.saturating_add(1 + piece_length) > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            length = indent;
        } else if length > start {
            line.push(' ');
            length += 1;
        }
        line.push_str(piece);
        length += piece_length;
    }
    lines.push(line);
    lines
}

/// The words, each number together with its unit and with the comparison before it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = word_end(rest);
        if COMPARISONS.contains(&rest[..end].trim_start_matches('(')) {
            let after = rest[end..].trim_start();
            end = rest.len() - after.len() + word_end(after);
        }
        if rest[..end].ends_with(|c: char| c.is_ascii_digit()) {
            let after = rest[end..].trim_start();
            let unit = &after[..word_end(after)];
            if UNITS.contains(&unit.trim_end_matches([',', ';', ':', '.', ')'])) {
                end = rest.len() - after.len() + unit.len();
            }
        }
        let piece = &rest[..end];
        rest = rest[end..].trim_start();
        Some(piece)
    })
}

fn word_end(text: &str) -> usize {
    text.find(' ').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_and_quantities_stay_whole() {
        assert_eq!(
            wrap("from GPU0-GPU2 at 412.37 GB/s, too slow", 12, 2),
            ["from", "  GPU0-GPU2", "  at", "  412.37 GB/s,", "  too slow"]
        );
        assert_eq!(wrap("at (>= 440 GB/s) now", 4, 0), ["at", "(>= 440 GB/s)", "now"]);
        assert_eq!(wrap("", 10, 2), [""]);
        assert_eq!(wrap("a b", usize::MAX, 2), ["a b"]);
    }

    proptest! {
        #[test]
        fn every_word_is_there_in_order(text in "[a-z0-9%/ -]{0,60}", width in 1_usize..30, indent in 0_usize..4) {
            let lines = wrap(&text, width, indent);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&lines.join(" ")), words(&text));
        }
    }
}
