use std::fmt::Write;

use super::CommError;
use crate::sys::collective::IDENTITY;

/// What makes ranks members of one communicator: rank 0 gets it from the library, and all ranks join with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity(pub(super) Box<[u8; IDENTITY]>);

impl Identity {
    /// Two digits for each byte.
    pub(crate) fn to_hex(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, byte| {
            // A text takes all that is written.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Reads what `to_hex` wrote.
    pub(crate) fn from_hex(text: &str) -> Result<Self, CommError> {
        let is_hex = text.len() == 2 * IDENTITY && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let mut bytes = Box::new([0; IDENTITY]);
        for (at, byte) in bytes.iter_mut().enumerate() {
            let digits = if is_hex { text.get(2 * at..2 * at + 2) } else { None };
            *byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).ok_or(CommError::Identity)?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_reads_back() {
        for start in [0_u8, 128] {
            let identity = Identity(Box::new(std::array::from_fn(|at| start + at as u8)));
            assert_eq!(Identity::from_hex(&identity.to_hex()), Ok(identity));
        }
    }

    #[test]
    fn what_is_no_identity() {
        for text in [String::new(), "00".repeat(127), "00".repeat(129), "+1".repeat(128), "é".repeat(128)] {
            assert_eq!(Identity::from_hex(&text), Err(CommError::Identity), "{text}");
        }
    }
}
