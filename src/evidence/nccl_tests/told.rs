//! A value that an output may tell more than once.

/// What was told: nothing, one value, or values that differ, of which none can be relied on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Told<T> {
    #[default]
    Nothing,
    Once(T),
    Differing,
}

impl<T: PartialEq> Told<T> {
    pub(super) fn tell(&mut self, value: Option<T>) {
        let Some(value) = value else { return };
        *self = match std::mem::take(self) {
            Self::Nothing => Self::Once(value),
            Self::Once(told) if told == value => Self::Once(told),
            _ => Self::Differing,
        };
    }

    pub(super) fn value(self) -> Option<T> {
        match self {
            Self::Once(value) => Some(value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_are_none() {
        let told = |values: &[Option<u32>]| {
            let mut told = Told::default();
            values.iter().for_each(|value| told.tell(*value));
            told.value()
        };
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[Some(1), None, Some(1)]), Some(1));
        assert_eq!(told(&[Some(1), Some(2), Some(1)]), None);
    }
}
