use crate::{facts::LinkClass, spec::LinkWanted};

/// Whether something holds, as far as a source that gives no PCIe distance can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verdict) enum Held {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// The source does not say.
    Unknown,
}

const fn is(wanted: LinkWanted, class: LinkClass) -> Held {
    let wanted = match (wanted, class) {
        (LinkWanted::AnyNvLink, LinkClass::NvLink(_)) => return Held::Yes,
        (LinkWanted::AnyNvLink, _) => return Held::No,
        (LinkWanted::Class(wanted), _) => wanted,
    };
    match (wanted, class) {
        (LinkClass::NvLink(wanted), LinkClass::NvLink(count)) if wanted == count => Held::Yes,
        (LinkClass::Xgmi, LinkClass::Xgmi) => Held::Yes,
        (LinkClass::NvLink(_) | LinkClass::Xgmi, _) | (_, LinkClass::NvLink(_) | LinkClass::Xgmi) => Held::No,
        // PCIe of any distance is PCIe; a distance asked of PCIe without one has no answer.
        (LinkClass::Pcie, _) => Held::Yes,
        (_, LinkClass::Pcie) => Held::Unknown,
        (wanted, class) => match (wanted.distance(), class.distance()) {
            (Some(wanted), Some(class)) if wanted == class => Held::Yes,
            _ => Held::No,
        },
    }
}

/// Whether a class is one of a list.
pub(super) fn required(wanted: &[LinkWanted], class: LinkClass) -> Held {
    let held = |asked: Held| wanted.iter().any(|wanted| is(*wanted, class) == asked);
    if held(Held::Yes) {
        Held::Yes
    } else if held(Held::Unknown) {
        Held::Unknown
    } else {
        Held::No
    }
}

/// Whether a class is none of a list.
pub(super) fn forbidden(unwanted: &[LinkWanted], class: LinkClass) -> Held {
    match required(unwanted, class) {
        Held::Yes => Held::No,
        Held::No => Held::Yes,
        Held::Unknown => Held::Unknown,
    }
}

/// Whether a class is as near as another or nearer.
pub(in crate::verdict) const fn within(limit: LinkClass, class: LinkClass) -> Held {
    match (limit.distance(), class.distance()) {
        (Some(limit), Some(class)) if class <= limit => Held::Yes,
        (Some(_), Some(_)) => Held::No,
        // No PCIe path is as near as the GPU fabric.
        (Some(0), None) => Held::No,
        (Some(_), None) | (None, _) => Held::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> LinkClass {
        text.parse().unwrap()
    }

    #[test]
    fn starting_with_nv_is_not_the_width_that_was_bought() {
        let wanted = [LinkWanted::Class(class("NV4"))];
        assert_eq!(required(&wanted, class("NV3")), Held::No);
        assert_eq!(required(&wanted, class("NV4")), Held::Yes);
        assert_eq!(required(&[LinkWanted::AnyNvLink], class("NV3")), Held::Yes);
    }

    #[test]
    fn pcie_without_a_distance_violates_a_fabric_and_answers_no_distance() {
        for fabric in ["NV18", "XGMI"] {
            assert_eq!(required(&[LinkWanted::Class(class(fabric))], LinkClass::Pcie), Held::No);
            assert_eq!(within(class(fabric), LinkClass::Pcie), Held::No);
        }
        assert_eq!(required(&[LinkWanted::AnyNvLink], LinkClass::Pcie), Held::No);
        for distance in ["PIX", "PXB", "PHB", "NODE", "SYS"] {
            assert_eq!(required(&[LinkWanted::Class(class(distance))], LinkClass::Pcie), Held::Unknown);
            assert_eq!(forbidden(&[LinkWanted::Class(class(distance))], LinkClass::Pcie), Held::Unknown);
            assert_eq!(within(class(distance), LinkClass::Pcie), Held::Unknown);
        }
        assert_eq!(required(&[LinkWanted::Class(LinkClass::Pcie)], class("PHB")), Held::Yes);
    }

    #[test]
    fn at_most_goes_by_distance() {
        assert_eq!(within(class("PXB"), class("PIX")), Held::Yes);
        assert_eq!(within(class("PXB"), class("PHB")), Held::No);
        assert_eq!(within(class("PIX"), class("NV1")), Held::Yes);
    }
}
