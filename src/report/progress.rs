use super::{
    plain::plain_line,
    quantity::seconds,
    style::{Role, Style},
};

/// How far a run has come, for the one line that a terminal shows while it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The cases that ended.
    pub done: usize,
    /// All cases.
    pub total: usize,
    /// The cases that failed.
    pub failed: usize,
    /// The cases that could not be judged.
    pub errors: usize,
    /// The case at hand.
    pub case: &'a str,
    /// What it is doing, where that is known: `rank 1 in the timed loop, 1M`.
    pub doing: Option<&'a str>,
    /// How long that case has run.
    pub seconds: f64,
}

impl Progress<'_> {
    /// `[ 3/12] 1 failed, hgx::all-reduce[NCCL_ALGO=Ring] 8.20 s`, never wider than the terminal, so that one carriage
    /// return erases it. Only a terminal is shown this: elsewhere progress goes, and nothing else does.
    pub fn line(&self, style: Style) -> String {
        let digits = self.total.to_string().len();
        let mut line = format!("[{:>digits$}/{}] ", self.done, self.total);
        for (number, word) in [(self.failed, "failed"), (self.errors, "not judged")] {
            if number > 0 {
                line.push_str(&format!("{number} {word}, "));
            }
        }
        let time = format!(" {}", seconds(self.seconds));
        let case = match self.doing {
            Some(doing) => format!("{}: {doing}", self.case),
            None => self.case.to_owned(),
        };
        let case = plain_line(&case);
        // One column stays free: a character in the last one makes some terminals wrap.
        let room = style.width.saturating_sub(line.len() + time.len() + 1);
        let shown: String = if case.chars().count() <= room {
            case.into_owned()
        } else {
            case.chars().take(room.saturating_sub(3)).chain("...".chars()).collect()
        };
        let line: String = format!("{line}{shown}{time}").chars().take(style.width.saturating_sub(1)).collect();
        style.paint(Role::Faint, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_any_terminal() {
        let progress = Progress {
            done: 3,
            total: 12,
            failed: 1,
            errors: 0,
            case: "hgx::all-reduce[K=Ring]",
            doing: None,
            seconds: 8.2,
        };
        let at = |width| progress.line(Style { color: false, width });
        assert_eq!(at(80), "[ 3/12] 1 failed, hgx::all-reduce[K=Ring] 8.20 s");
        assert_eq!(at(40), "[ 3/12] 1 failed, hgx::all-re... 8.20 s");
        let busy = Progress { doing: Some("timed loop, 1M"), ..progress };
        assert_eq!(
            busy.line(Style { color: false, width: 80 }),
            "[ 3/12] 1 failed, hgx::all-reduce[K=Ring]: timed loop, 1M 8.20 s"
        );
        for width in 0..60 {
            assert!(at(width).len() <= width, "{width}");
        }
    }
}
