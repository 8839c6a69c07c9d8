use super::Html;
use crate::facts::Fact;

/// A table that scrolls in its own box: head, and rows that `body` writes.
pub(super) fn table(label: &str, heads: &[&str], html: &mut Html, body: impl FnOnce(&mut Html)) {
    // A box that scrolls must take the focus, or the keyboard cannot scroll it.
    let attributes = [("class", "scroll"), ("tabindex", "0"), ("role", "group"), ("aria-label", label)];
    html.element("div", &attributes, |html| {
        html.element("table", &[], |html| {
            html.element("thead", &[], |html| {
                html.element("tr", &[], |html| {
                    for head in heads {
                        html.leaf("th", &[("scope", "col")], head);
                    }
                });
            });
            html.element("tbody", &[], body);
        });
    });
    html.line();
}

/// The cell of a fact: its value, or that it is unknown and why.
pub(super) fn fact<T>(fact: &Fact<T>, show: impl Fn(&T) -> String, class: &str, mark: Option<&str>, html: &mut Html) {
    let class = if mark.is_some() { format!("{class} bad") } else { class.to_owned() };
    let class = class.trim();
    let attributes = if class.is_empty() { &[][..] } else { &[("class", class)][..] };
    html.element("td", attributes, |html| {
        match fact.require() {
            Ok(value) => html.text(&show(value)),
            Err(reason) => html.leaf("span", &[("class", "unknown"), ("title", reason)], "unknown"),
        }
        if let Some(mark) = mark {
            html.leaf("small", &[], mark);
        }
    });
}
