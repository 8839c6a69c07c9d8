use std::process::Command;

/// What linkspec did.
pub struct Ran {
    pub code: i32,
    pub text: String,
}

impl Ran {
    /// Runs a command to its end.
    pub fn of(mut command: Command) -> Self {
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        Self { code: output.status.code().unwrap_or(-1), text }
    }

    /// Checks the exit code and that each text was printed somewhere, wherever its line was wrapped.
    pub fn expect(self, code: i32, texts: &[&str]) -> Self {
        assert_eq!(self.code, code, "{}", self.text);
        let unwrapped = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in texts {
            assert!(unwrapped.contains(text), "{text:?} is not in:\n{}", self.text);
        }
        self
    }
}
