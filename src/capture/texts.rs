use std::{collections::BTreeMap, sync::LazyLock};

use regex::{Regex, RegexBuilder};

use super::{
    forms::{FORMS, Form, apart},
    stand_ins::{Kind, StandIns},
};

/// The forms with their patterns, each to be tried at the beginning of a text.
struct Compiled {
    /// Finds the next place that may be of any form.
    any: Regex,
    each: Vec<(Regex, &'static Form)>,
}

/// A pattern of this program's own that did not compile would be `None`; a test proves that all do.
static COMPILED: LazyLock<Option<Compiled>> = LazyLock::new(|| {
    static ALL: [Form; FORMS.len()] = FORMS;
    let any: Vec<&str> = ALL.iter().map(|form| form.pattern).collect();
    let each = ALL.iter().map(|form| Some((Regex::new(&format!(r"\A(?:{})", form.pattern)).ok()?, form)));
    Some(Compiled { any: Regex::new(&any.join("|")).ok()?, each: each.collect::<Option<_>>()? })
});

/// Replaces identifiers in texts.
pub(super) struct Texts {
    /// Names and numbers that have no form of their own, in lower case.
    known: BTreeMap<String, Kind>,
    /// Finds them anywhere, and at the beginning of a text.
    finder: Option<(Regex, Regex)>,
    pub(super) stand_ins: StandIns,
}

impl Texts {
    pub(super) fn new(known: BTreeMap<String, Kind>) -> Self {
        // The longest first, so that `node17.example` is not taken for `node17`.
        let mut names: Vec<&String> = known.keys().collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let names: Vec<String> = names.into_iter().map(|name| regex::escape(name)).collect();
        let names = names.join("|");
        let pattern = |pattern: &str| RegexBuilder::new(pattern).case_insensitive(true).build().ok();
        let finder = pattern(&names).zip(pattern(&format!(r"\A(?:{names})")));
        Self { finder: finder.filter(|_| !known.is_empty()), known, stand_ins: StandIns::default() }
    }

    /// A text with each identifier that is in it replaced; `None` where there is none.
    pub(super) fn replaced(&mut self, text: &str) -> Option<String> {
        let mut result = String::with_capacity(text.len());
        let (mut at, mut copied, mut any) = (0, 0, false);
        while let Some(start) = self.next(text, at) {
            match self.stand_in(text, start) {
                Some((end, stand_in)) => {
                    result.push_str(&text[copied..start]);
                    result.push_str(&stand_in);
                    (at, copied, any) = (end, end, true);
                }
                None => at = start + text[start..].chars().next().map_or(1, char::len_utf8),
            }
        }
        result.push_str(&text[copied..]);
        any.then_some(result)
    }

    /// The next place at which an identifier may begin.
    fn next(&self, text: &str, at: usize) -> Option<usize> {
        if at >= text.len() {
            return None;
        }
        let known = self.finder.as_ref().and_then(|(anywhere, _)| anywhere.find_at(text, at));
        let formed = COMPILED.as_ref().and_then(|compiled| compiled.any.find_at(text, at));
        known.into_iter().chain(formed).map(|found| found.start()).min()
    }

    /// Where the identifier that begins at `start` ends, and its stand-in.
    fn stand_in(&mut self, text: &str, start: usize) -> Option<(usize, String)> {
        let (before, rest) = text.split_at(start);
        if let Some(found) = self.finder.as_ref().and_then(|(_, here)| here.find(rest))
            && apart(before, found.as_str(), &rest[found.end()..])
            && let Some(kind) = self.known.get(&found.as_str().to_lowercase())
        {
            let stand_in = match kind {
                Kind::Host => self.stand_ins.host(&short_name(found.as_str())),
                kind => self.stand_ins.formed(*kind, found.as_str()),
            };
            return Some((start + found.end(), stand_in));
        }
        COMPILED.as_ref()?.each.iter().find_map(|(pattern, form)| {
            let found = pattern.find(rest)?;
            let stands = (form.stands)(before, found.as_str(), &rest[found.end()..]);
            (stands && found.end() > 0)
                .then(|| (start + found.end(), (form.replace)(found.as_str(), &mut self.stand_ins)))
        })
    }
}

/// A host's name without its domain, and without the doubled hyphens of a logical volume.
fn short_name(name: &str) -> String {
    name.split('.').next().unwrap_or_default().replace("--", "-")
}
