use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// One line from a child that reads a source.
///
/// A lane is what is read in order: a GPU, a device, a part of the host. Lanes go on side by side, so that one that
/// hangs costs its own answers only.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Line<A> {
    /// A lane is opened.
    Open {
        lane: String,
        /// Whether the others can be read without it.
        apart: bool,
    },
    /// A lane begins a step, which ends with the lane's next line of any kind.
    Begin {
        lane: String,
        /// What is read, such as `the NVLinks of GPU3`.
        what: String,
    },
    /// A lane has an answer.
    Told { lane: String, answer: A },
    /// A lane is through.
    End { lane: String },
    /// Every lane is through.
    Done,
}

impl<A> Line<A> {
    pub(super) fn lane(&self) -> Option<&str> {
        match self {
            Self::Open { lane, .. } | Self::Begin { lane, .. } | Self::Told { lane, .. } | Self::End { lane } => {
                Some(lane)
            }
            Self::Done => None,
        }
    }
}

impl<A: Serialize> Line<A> {
    /// The line with its end.
    pub(super) fn write(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

impl<A: DeserializeOwned> Line<A> {
    /// A line as it was read; `None` for what a library printed.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_and_a_print_of_a_library_is_none() {
        let line = Line::Told { lane: "GPU0".to_owned(), answer: 5_u32 };
        let text = String::from_utf8(line.write().unwrap()).unwrap();
        assert_eq!(Line::read(text.trim_end()), Some(line));
        assert_eq!(Line::<u32>::read("mlx5: warning"), None);
    }
}
