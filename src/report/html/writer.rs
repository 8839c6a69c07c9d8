use super::visible::visible;

/// Markup under construction. Elements and attributes have names of our own; whatever a value holds gets in escaped,
/// there is no other way in.
///
/// The markup is well-formed XML too, so that a test can parse it with any XML parser.
#[derive(Debug, Default)]
pub(super) struct Html {
    markup: String,
}

/// The attributes of one element.
pub(super) type Attributes<'a> = [(&'static str, &'a str)];

/// Elements that HTML knows without content.
const VOID: [&str; 3] = ["meta", "input", "br"];

impl Html {
    /// An empty document, with room for about so many bytes.
    pub fn document(about: usize) -> Self {
        let mut markup = String::with_capacity(about);
        markup.push_str("<!DOCTYPE html>\n");
        Self { markup }
    }

    /// The markup.
    pub fn into_markup(self) -> String {
        self.markup
    }

    /// An element and what `inside` puts into it.
    pub fn element(&mut self, name: &'static str, attributes: &Attributes<'_>, inside: impl FnOnce(&mut Self)) {
        self.open(name, attributes);
        inside(self);
        self.close(name);
    }

    /// An element that holds a text.
    pub fn leaf(&mut self, name: &'static str, attributes: &Attributes<'_>, text: &str) {
        self.open(name, attributes);
        self.text(text);
        self.close(name);
    }

    /// An element of a class that holds a text.
    pub fn classed(&mut self, name: &'static str, class: &str, text: &str) {
        self.leaf(name, &[("class", class)], text);
    }

    /// An element without content.
    pub fn empty(&mut self, name: &'static str, attributes: &Attributes<'_>) {
        if VOID.contains(&name) {
            self.tag(name, attributes);
            self.markup.push_str("/>");
        } else {
            self.open(name, attributes);
            self.close(name);
        }
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        escape(&visible(text), &mut self.markup);
    }

    /// The content of `style` and `script`: a file of our own, in which no `<` and no `&` stands.
    pub fn asset(&mut self, name: &'static str, content: &'static str) {
        self.open(name, &[]);
        self.markup.push_str(content);
        self.close(name);
    }

    /// A line of markup ends here, for those who read the source.
    pub fn line(&mut self) {
        self.markup.push('\n');
    }

    fn open(&mut self, name: &'static str, attributes: &Attributes<'_>) {
        self.tag(name, attributes);
        self.markup.push('>');
    }

    fn tag(&mut self, name: &'static str, attributes: &Attributes<'_>) {
        self.markup.push('<');
        self.markup.push_str(name);
        for (key, value) in attributes {
            self.markup.push(' ');
            self.markup.push_str(key);
            self.markup.push_str("=\"");
            escape(&visible(value), &mut self.markup);
            self.markup.push('"');
        }
    }

    fn close(&mut self, name: &'static str) {
        self.markup.push_str("</");
        self.markup.push_str(name);
        self.markup.push('>');
    }
}

/// Escapes for a text and for an attribute between double quotes alike.
fn escape(text: &str, markup: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|b| matches!(b, b'<' | b'>' | b'&' | b'"' | b'\'')) {
        markup.push_str(&rest[..at]);
        markup.push_str(match rest.as_bytes()[at] {
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'&' => "&amp;",
            b'"' => "&#34;",
            _ => "&#39;",
        });
        rest = &rest[at + 1..];
    }
    markup.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_value_holds_is_markup() {
        let mut html = Html::default();
        html.leaf("p", &[("title", "\"><script>x</script>")], "<b>&amp;' \u{202e}x");
        assert_eq!(
            html.into_markup(),
            "<p title=\"&#34;&gt;&lt;script&gt;x&lt;/script&gt;\">&lt;b&gt;&amp;amp;&#39; \u{27e8}U+202E\u{27e9}x</p>"
        );
    }

    #[test]
    fn elements_without_content() {
        let mut html = Html::default();
        html.empty("meta", &[("charset", "utf-8")]);
        html.empty("td", &[]);
        assert_eq!(html.into_markup(), "<meta charset=\"utf-8\"/><td></td>");
    }
}
