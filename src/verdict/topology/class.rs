//! One link class against what a spec asks of it.

use crate::{
    facts::{Fact, LinkClass},
    spec::{LinkWanted, Place, Topology},
    verdict::sheet::{Sheet, Standing, Subject},
};

/// Whether a class is what a word of the spec means; `None` where the tool gives no distance.
fn is(class: LinkClass, wanted: LinkWanted) -> Option<bool> {
    match (class, wanted) {
        (LinkClass::NvLink(_), LinkWanted::AnyNvLink) => Some(true),
        // PCIe at whatever distance is what `PCIe` asks.
        (class, LinkWanted::Class(LinkClass::Pcie)) => Some(class.distance() != Some(0)),
        (LinkClass::Pcie, LinkWanted::Class(wanted)) if wanted.distance() != Some(0) => None,
        (class, LinkWanted::Class(wanted)) => Some(class == wanted),
        (_, LinkWanted::AnyNvLink) => Some(false),
    }
}

/// Whether a class is at most as far as another; `None` where the tool gives no distance.
pub(super) fn is_at_most(class: LinkClass, farthest: LinkClass) -> Option<bool> {
    match (class.distance(), farthest.distance()) {
        (Some(distance), Some(farthest)) => Some(distance <= farthest),
        // PCIe at any distance is farther than the GPUs' own fabric.
        (None, Some(0)) => Some(false),
        (None, _) | (_, None) => None,
    }
}

pub(super) fn judge(subject: &Subject<'_>, expect: &Topology, fact: &Fact<LinkClass>, sheet: &mut Sheet<'_>) {
    if let Some(require) = &expect.require {
        let expected = words(&require.value, " or ");
        settle(subject, &expected, &require.place, fact, sheet, |class| {
            let answers: Vec<Option<bool>> = require.value.iter().map(|wanted| is(class, *wanted)).collect();
            if answers.contains(&Some(true)) { Some(true) } else { all_known(&answers).map(|()| false) }
        });
    }
    if let Some(forbid) = &expect.forbid {
        let expected = format!("not {}", words(&forbid.value, " or "));
        settle(subject, &expected, &forbid.place, fact, sheet, |class| {
            let answers: Vec<Option<bool>> = forbid.value.iter().map(|wanted| is(class, *wanted)).collect();
            if answers.contains(&Some(true)) { Some(false) } else { all_known(&answers).map(|()| true) }
        });
    }
    if let Some(at_most) = &expect.at_most {
        let expected = format!("at most {}", at_most.value);
        settle(subject, &expected, &at_most.place, fact, sheet, |class| is_at_most(class, at_most.value));
    }
}

fn all_known(answers: &[Option<bool>]) -> Option<()> {
    answers.iter().all(Option::is_some).then_some(())
}

fn words(wanted: &[LinkWanted], joined_by: &str) -> String {
    wanted.iter().map(ToString::to_string).collect::<Vec<_>>().join(joined_by)
}

fn settle(
    subject: &Subject<'_>,
    expected: &str,
    place: &Place,
    fact: &Fact<LinkClass>,
    sheet: &mut Sheet<'_>,
    right: impl FnOnce(LinkClass) -> Option<bool>,
) {
    let standing = match fact {
        Fact::Known { value, source } => match right(*value) {
            Some(true) => Standing::Right { actual: value.to_string(), margin: None },
            Some(false) => {
                Standing::Wrong { actual: value.to_string(), margin: None, source: Some(source.clone()) }
            }
            None => Standing::Unknown { reason: format!("{source} says PCIe and gives no distance") },
        },
        Fact::Unknown { reason } | Fact::Conflict { reason } => Standing::Unknown { reason: reason.clone() },
    };
    sheet.settle(subject, expected, place, standing);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_is_exact_and_the_word_alone_is_any() {
        let nv = |links| LinkWanted::Class(LinkClass::NvLink(links));
        assert_eq!(is(LinkClass::NvLink(12), nv(18)), Some(false));
        assert_eq!(is(LinkClass::NvLink(18), nv(18)), Some(true));
        assert_eq!(is(LinkClass::NvLink(12), LinkWanted::AnyNvLink), Some(true));
        assert_eq!(is(LinkClass::Sys, LinkWanted::AnyNvLink), Some(false));
    }

    #[test]
    fn pcie_without_a_distance_violates_a_fabric_and_answers_no_distance() {
        assert_eq!(is(LinkClass::Pcie, LinkWanted::Class(LinkClass::Xgmi)), Some(false));
        assert_eq!(is(LinkClass::Pcie, LinkWanted::AnyNvLink), Some(false));
        assert_eq!(is(LinkClass::Pcie, LinkWanted::Class(LinkClass::Pix)), None);
        assert_eq!(is_at_most(LinkClass::Pcie, LinkClass::Phb), None);
        assert_eq!(is_at_most(LinkClass::Pcie, LinkClass::Xgmi), Some(false));
    }

    #[test]
    fn near_is_a_matter_of_distance() {
        assert_eq!(is_at_most(LinkClass::Pix, LinkClass::Pxb), Some(true));
        assert_eq!(is_at_most(LinkClass::Node, LinkClass::Pxb), Some(false));
    }
}
