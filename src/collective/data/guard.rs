/// What memory is filled with before it is written to, and around it: NaN in every float type, and no element that must
/// arrive consists of it.
pub const POISON: u8 = 0xff;

/// The offset of the first byte that is not [`POISON`] any more.
pub fn first_overwritten(guard: &[u8]) -> Option<usize> {
    guard.iter().position(|byte| *byte != POISON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_is_enough() {
        let mut guard = vec![POISON; 4096];
        assert_eq!(first_overwritten(&guard), None);
        guard[4095] = 0xfe;
        assert_eq!(first_overwritten(&guard), Some(4095));
        guard[17] = 0;
        assert_eq!(first_overwritten(&guard), Some(17));
        assert_eq!(first_overwritten(&[]), None);
    }
}
