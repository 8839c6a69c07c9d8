//! Markdown as GitHub reads it: code, prose and links within the cells of a table.

/// Code. A `|` would end the cell, within code too.
pub(super) fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Prose that may have code in backticks.
pub(super) fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { plain(part) } else { code(part) }).collect()
}

fn plain(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if "|<*$\\".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// A link to the element of a name. GitHub leaves the dots of a heading out of its anchor.
pub(super) fn link(name: &str) -> String {
    format!("[{}](#{})", code(name), name.replace('.', ""))
}

/// `a`, `b` or `c`.
pub(super) fn listed(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// [`listed`] of names as code.
pub(super) fn codes(names: &[&str], last: &str) -> String {
    listed(&names.iter().map(|name| code(name)).collect::<Vec<_>>(), last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_cell_or_becomes_markup() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(prose("`x_y|z` of a_b | ~ <c>"), "`x_y\\|z` of a_b \\| ~ \\<c>");
    }

    #[test]
    fn words_are_listed_and_links_have_the_anchors_of_headings() {
        assert_eq!(codes(&["a"], "or"), "`a`");
        assert_eq!(codes(&["a", "b", "c"], "or"), "`a`, `b` or `c`");
        assert_eq!(link("rdma_ports.near_gpu"), "[`rdma_ports.near_gpu`](#rdma_portsnear_gpu)");
    }
}
