use super::{
    check::{Check, WrongElement},
    format::Format,
    words,
};
use crate::collective::Datatype;

/// Bytes that are compared at once. What differs within them is looked at element by element.
const BLOCK: usize = 64 * 1024;

/// One period of what must arrive, and how exactly.
#[derive(Clone, Debug)]
pub struct Expected {
    datatype: Datatype,
    /// How many values of the type what arrives may lie beside what is expected.
    tolerance: u64,
    period: Vec<u8>,
}

impl Expected {
    pub(super) const fn new(datatype: Datatype, tolerance: u64, period: Vec<u8>) -> Self {
        Self { datatype, tolerance, period }
    }

    /// The period, the lowest byte of each element first.
    pub fn bytes(&self) -> &[u8] {
        &self.period
    }

    /// Compares a part of the received data that begins at an element. Bytes at its end that are no whole element count as
    /// a wrong one: they can't be judged.
    pub fn compare(&self, received: &[u8], first_element: u64, check: &mut Check) {
        let width = self.datatype.bytes() as usize;
        let (whole, rest) = received.split_at(received.len() - received.len() % width);
        let mut element = first_element;
        let mut left = whole;
        while !left.is_empty() && !self.period.is_empty() {
            let start = (element % (self.period.len() / width) as u64) as usize * width;
            let length = left.len().min(self.period.len() - start).min(BLOCK);
            let (block, after) = left.split_at(length);
            let wanted = &self.period[start..start + length];
            if block != wanted {
                self.look(block, wanted, element, check);
            }
            element += (length / width) as u64;
            left = after;
        }
        check.checked += received.len() as u64;
        if !rest.is_empty() {
            check.wrong += 1;
            check.note(element, || WrongElement {
                element,
                expected: format!("{width} bytes"),
                found: format!("{} bytes, no whole element", rest.len()),
            });
        }
    }

    /// Counts what is wrong in a block that differs.
    fn look(&self, block: &[u8], wanted: &[u8], element: u64, check: &mut Check) {
        let (wrong, first) = match (self.datatype.bytes(), self.tolerance) {
            (1, 0) => differing::<1>(block, wanted, |_, _| true),
            (2, 0) => differing::<2>(block, wanted, |_, _| true),
            (4, 0) => differing::<4>(block, wanted, |_, _| true),
            (_, 0) => differing::<8>(block, wanted, |_, _| true),
            (1, _) => differing::<1>(block, wanted, |one, other| self.is_far(one, other)),
            (2, _) => differing::<2>(block, wanted, |one, other| self.is_far(one, other)),
            (4, _) => differing::<4>(block, wanted, |one, other| self.is_far(one, other)),
            _ => differing::<8>(block, wanted, |one, other| self.is_far(one, other)),
        };
        check.wrong += wrong;
        let Some(index) = first else { return };
        let element = element + index as u64;
        check.note(element, || {
            let width = self.datatype.bytes() as usize;
            let of = |bytes: &[u8]| number(&bytes[index * width..(index + 1) * width]);
            WrongElement {
                element,
                expected: words::value(self.datatype, of(wanted)),
                found: words::found(self.datatype, of(block)),
            }
        });
    }

    /// Whether what has arrived is further from what is expected than rounding takes it.
    fn is_far(&self, one: &[u8], other: &[u8]) -> bool {
        let distance = |format: Format| format.distance(number(one), number(other));
        Format::of(self.datatype).is_none_or(|format| distance(format) > self.tolerance)
    }
}

/// Elements that differ, those for which it also holds: how many, and the first.
fn differing<const WIDTH: usize>(
    block: &[u8],
    wanted: &[u8],
    also: impl Fn(&[u8], &[u8]) -> bool,
) -> (u64, Option<usize>) {
    let (block, wanted) = (block.as_chunks::<WIDTH>().0, wanted.as_chunks::<WIDTH>().0);
    let differ = |(one, other): (&[u8; WIDTH], &[u8; WIDTH])| one != other && also(one, other);
    let wrong = block.iter().zip(wanted).filter(|pair| differ(*pair)).count();
    let first = if wrong == 0 { None } else { block.iter().zip(wanted).position(differ) };
    (wrong as u64, first)
}

/// The number of up to 8 bytes, the lowest first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_within_the_tolerance_is_right_and_what_lies_beyond_is_not() {
        let expected = Expected::new(Datatype::Half, 2, 0x3c00_u16.to_le_bytes().to_vec());
        let wrong = |value: u16| {
            let mut check = Check::default();
            expected.compare(&value.to_le_bytes(), 0, &mut check);
            check.wrong
        };
        assert_eq!([0x3bfe, 0x3c00, 0x3c02].map(wrong), [0, 0, 0]);
        assert_eq!([0x3bfd, 0x3c03, 0xbc00].map(wrong), [1, 1, 1]);
    }
}
