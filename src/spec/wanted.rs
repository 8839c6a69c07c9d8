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

/// More alternatives of one pattern are left to the pattern itself: no server has as many devices.
const MOST_ALTERNATIVES: usize = 1024;

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

    /// The patterns that a pattern with `{a,b}` stands for, so that each of them has to choose something: of `x_{0,1}`
    /// these are `x_0` and `x_1`. What is nested or not closed stays as it is.
    pub(super) fn alternatives(text: &str) -> Vec<String> {
        let whole = || vec![text.to_owned()];
        let Some((before, rest)) = text.split_once('{') else { return whole() };
        let Some((inside, after)) = rest.split_once('}') else { return whole() };
        if [before, inside, after].iter().any(|part| part.contains(['\\', '['])) || inside.contains('{') {
            return whole();
        }
        let afters = Self::alternatives(after);
        let one = |word: &str| afters.iter().map(|after| format!("{before}{word}{after}")).collect::<Vec<_>>();
        let all: Vec<String> = inside.split(',').flat_map(one).collect();
        if all.len() > MOST_ALTERNATIVES { whole() } else { all }
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
    fn each_alternative_is_a_pattern_of_its_own() {
        for (text, all) in [
            ("mlx5_{0,3,10}", &["mlx5_0", "mlx5_3", "mlx5_10"][..]),
            ("{a,b}_{0,1}*", &["a_0*", "a_1*", "b_0*", "b_1*"]),
            ("mlx5_*", &["mlx5_*"]),
            ("a{b,{c,d}}", &["a{b,{c,d}}"]),
            ("a{b", &["a{b"]),
            ("[{]a,b}", &["[{]a,b}"]),
        ] {
            assert_eq!(Glob::alternatives(text), all, "{text}");
        }
        let many = "{0,1,2,3,4,5,6,7,8,9}".repeat(20);
        assert_eq!(Glob::alternatives(&many).len(), 1);
    }

    #[test]
    fn a_glob_matches_the_whole_text() {
        let glob = Glob::new("NVIDIA H200*").unwrap();
        assert!(glob.matches("NVIDIA H200") && glob.matches("NVIDIA H200 NVL"));
        assert!(!Glob::new("NVIDIA H200").unwrap().matches("NVIDIA H200 NVL"));
        assert!(Glob::new("mlx5_*/x").unwrap().matches("mlx5_a/b/x"));
        assert!(Glob::new("[").is_err());
    }
}
