use std::fmt;

/// What a value should be: a plain value is exact, a list means one of these, `{min, max}` is a range.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted<T> {
    /// Exactly this (a glob: anything it matches).
    Exact(T),
    /// One of these.
    OneOf(Vec<T>),
    /// At least `min` and at most `max`, both included; one of them is there.
    Range {
        /// The least.
        min: Option<T>,
        /// The most.
        max: Option<T>,
    },
}

impl<T: fmt::Display> fmt::Display for Wanted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(value) => write!(f, "{value}"),
            Self::OneOf(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                write!(f, "one of {}", values.join(", "))
            }
            Self::Range { min: Some(min), max: Some(max) } => write!(f, "{min} to {max}"),
            Self::Range { min: Some(min), max: None } => write!(f, "at least {min}"),
            Self::Range { min: None, max: Some(max) } => write!(f, "at most {max}"),
            Self::Range { min: None, max: None } => write!(f, "anything"),
        }
    }
}

/// A text in which `*`, `?` and `[...]` match as in a shell; without them it is the text itself.
#[derive(Clone, Debug)]
pub struct Glob {
    text: String,
    matcher: globset::GlobMatcher,
}

impl Glob {
    /// Compiles a pattern; the error says what is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        let glob = globset::GlobBuilder::new(text).literal_separator(false).backslash_escape(true).build();
        let glob = glob.map_err(|error| error.kind().to_string())?;
        Ok(Self { text: text.to_owned(), matcher: glob.compile_matcher() })
    }

    /// Whether it matches the whole text.
    pub fn matches(&self, text: &str) -> bool {
        self.matcher.is_match(text)
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// One glob or a list of globs; any that matches counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Globs(pub Vec<Glob>);

impl Globs {
    /// Whether one of them matches.
    pub fn matches(&self, text: &str) -> bool {
        self.0.iter().any(|glob| glob.matches(text))
    }
}

impl fmt::Display for Globs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let globs: Vec<&str> = self.0.iter().map(Glob::as_str).collect();
        f.pad(&globs.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_matches_the_whole_text() {
        let glob = Glob::new("NVIDIA H200*").unwrap();
        assert!(glob.matches("NVIDIA H200") && glob.matches("NVIDIA H200 NVL"));
        assert!(!Glob::new("NVIDIA H200").unwrap().matches("NVIDIA H200 NVL"));
        assert!(Glob::new("mlx5_*/x").unwrap().matches("mlx5_a/b/x"));
        assert!(Glob::new("[").is_err());
    }
}
