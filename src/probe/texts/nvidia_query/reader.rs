use super::listing::Values;
use crate::facts::{Damage, Fact};

/// Turns values of a listing into facts; what is damaged is collected.
pub(super) struct Reader<'a> {
    /// The values.
    pub values: &'a Values,
    /// The file's name.
    pub file: &'a str,
    /// What could not be read.
    pub damage: Vec<Damage>,
}

/// What nvidia-smi prints where it has no value. Any of them is unknown, and not damage.
const NO_VALUE: [&str; 10] = [
    "n/a",
    "not supported",
    "not available",
    "unknown error",
    "insufficient permissions",
    "err!",
    "gpu is lost",
    "gpu requires reset",
    "requested functionality has been deprecated",
    "function not found",
];

impl<'a> Reader<'a> {
    /// A reader of one GPU's values, or of those above the GPUs.
    pub const fn new(values: &'a Values, file: &'a str) -> Self {
        Self { values, file, damage: Vec::new() }
    }

    /// The value at the first of `paths` that is there, read with `read`.
    pub fn fact<T>(&mut self, paths: &[&str], read: impl Fn(&str) -> Option<T>) -> Fact<T> {
        let Some(value) = self.values.first(paths) else {
            return Fact::unknown(format!("{} does not tell it", self.file));
        };
        let text = value.text.trim_matches(['[', ']']);
        if NO_VALUE.contains(&text.to_ascii_lowercase().as_str()) {
            return Fact::unknown(format!("{text} in {}", self.file));
        }
        let reason = match (value.doubt, read(text)) {
            (None, Some(value)) => return Fact::known(value, self.file),
            (Some(doubt), _) => doubt,
            (None, None) => "not a value that can stand here",
        };
        let quote = format!("{}: {}", paths.first().unwrap_or(&""), value.text);
        self.damage.push(Damage::new(self.file, value.line, &quote, reason));
        Fact::unknown(format!("{reason} in {}, line {}", self.file, value.line))
    }

    /// A count.
    pub fn count(&mut self, paths: &[&str]) -> Fact<u64> {
        self.fact(paths, |text| text.parse().ok())
    }

    /// The sum of several counts, known where all of them are.
    pub fn sum(&mut self, counts: &[&[&str]]) -> Fact<u64> {
        let mut sum = 0_u64;
        for paths in counts {
            match self.count(paths) {
                Fact::Known { value, .. } => sum = sum.saturating_add(value),
                unknown => return unknown,
            }
        }
        Fact::known(sum, self.file)
    }

    /// Whether a value is there.
    pub fn has(&self, path: &str) -> bool {
        self.values.first(&[path]).is_some()
    }
}
