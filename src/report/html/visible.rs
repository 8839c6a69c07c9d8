use std::borrow::Cow;

/// A text in which everything can be seen: what a browser would hide, reorder or refuse stands there by its code point,
/// `⟨U+202E⟩`. Line feeds and TABs stay.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| matches!(b, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.push_str(&format!("\u{27e8}U+{:04X}\u{27e9}", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Control characters; what changes the direction of the text after it (<https://www.unicode.org/reports/tr9/>, section
/// 2); characters without width; invisible operators and tags; non-characters, which XML forbids.
fn is_hidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{e0000}'..='\u{e0fff}'
        )
        || u32::from(c) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_shown() {
        assert_eq!(visible("GPU0\tGPU1\n"), "GPU0\tGPU1\n");
        assert_eq!(visible("a\u{202e}b\u{1b}[31m\0"), "a⟨U+202E⟩b⟨U+001B⟩[31m⟨U+0000⟩");
        assert_eq!(visible("\u{200b}\u{feff}\u{ffff}\u{1fffe}"), "⟨U+200B⟩⟨U+FEFF⟩⟨U+FFFF⟩⟨U+1FFFE⟩");
        assert_eq!(visible("Zürich \u{a0}µs 漢字"), "Zürich \u{a0}µs 漢字");
    }
}
