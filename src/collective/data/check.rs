/// What comparing has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Elements that are not what must arrive, as nccl-tests counts `#wrong`.
    pub wrong: u64,
    /// Bytes that were compared.
    pub checked: u64,
    /// The wrong element that stands first in the data.
    pub first: Option<WrongElement>,
}

/// An element that is not what must arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongElement {
    /// Its number in the rank's data.
    pub element: u64,
    /// What must arrive, in words.
    pub expected: String,
    /// What has arrived, in words.
    pub found: String,
}

impl Check {
    /// Adds what was found in another part of the data.
    pub fn add(&mut self, other: Self) {
        self.wrong += other.wrong;
        self.checked += other.checked;
        if let Some(first) = other.first {
            self.note(first.element, || first);
        }
    }

    /// Notes a wrong element where it stands before the one that is known.
    pub(super) fn note(&mut self, element: u64, wrong: impl FnOnce() -> WrongElement) {
        if self.first.as_ref().is_none_or(|first| element < first.element) {
            self.first = Some(wrong());
        }
    }
}
