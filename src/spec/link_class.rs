//! Reads link classes.

use super::{LinkWanted, Node, ParameterKind, decoder::Errors, shape::Shape, values};
use crate::facts::LinkClass;

const WORDS: [&str; 9] = ["NVLink", "NV<n>", "XGMI", "PIX", "PXB", "PHB", "NODE", "SYS", "PCIe"];

/// Any class.
pub(super) const WANTED: Shape = Shape::Pattern("^(NVLink|NV[1-9][0-9]?|XGMI|PIX|PXB|PHB|NODE|SYS|PCIe)$", "NV18");

/// A class that has a distance.
pub(super) const FARTHEST: Shape = Shape::Pattern("^(NV[1-9][0-9]?|XGMI|PIX|PXB|PHB|NODE|SYS)$", "PXB");

/// How far a NIC can be from a GPU.
pub(super) const FARTHEST_NIC: Shape = Shape::Words(&["PIX", "PXB", "PHB", "NODE", "SYS"]);

/// A class, or `NVLink` for any width.
pub(super) fn wanted(node: &Node, errors: &mut Errors) -> Option<LinkWanted> {
    let text = text(node, errors)?;
    let class = if text == "NVLink" { Some(LinkWanted::AnyNvLink) } else { text.parse().ok().map(LinkWanted::Class) };
    if class.is_none() {
        errors.unknown_word(node, "link class", text, &WORDS);
    }
    class
}

/// A class that others can be nearer or farther than.
pub(super) fn farthest(node: &Node, errors: &mut Errors) -> Option<LinkClass> {
    match wanted(node, errors)? {
        LinkWanted::Class(LinkClass::Pcie) => {
            errors.at_with_help(node, "`PCIe` is no distance", "the distances over PCIe are PIX, PXB, PHB, NODE, SYS");
            None
        }
        LinkWanted::AnyNvLink => {
            errors.at_with_help(node, "`NVLink` is no distance", "`require: NVLink` asks for NVLink of any width");
            None
        }
        LinkWanted::Class(class) => Some(class),
    }
}

/// How far a NIC may be from a GPU, which is over PCIe always.
pub(super) fn farthest_nic(node: &Node, errors: &mut Errors) -> Option<LinkClass> {
    let class = wanted(node, errors)?;
    match class {
        LinkWanted::Class(distance) if distance.distance().is_some_and(|distance| distance > 0) => Some(distance),
        LinkWanted::Class(_) | LinkWanted::AnyNvLink => {
            let message = format!("`{class}` is no distance between a GPU and a NIC");
            errors.at_with_help(node, message, "the distances are PIX, PXB, PHB, NODE, SYS");
            None
        }
    }
}

fn text<'a>(node: &'a Node, errors: &mut Errors) -> Option<&'a str> {
    values::of_kind(node, ParameterKind::LinkClass, "a link class", errors)?;
    node.scalar("a link class", errors)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, good, parameter, scalar},
        *,
    };

    #[test]
    fn every_class_has_its_word() {
        assert_eq!(good(wanted, &scalar("NVLink")), LinkWanted::AnyNvLink);
        assert_eq!(good(wanted, &scalar("NV18")), LinkWanted::Class(LinkClass::NvLink(18)));
        assert_eq!(good(wanted, &scalar("PCIe")), LinkWanted::Class(LinkClass::Pcie));
        assert_eq!(good(farthest, &scalar("XGMI")), LinkClass::Xgmi);
        assert_eq!(good(farthest, &scalar("NV4")), LinkClass::NvLink(4));
        assert_eq!(good(farthest_nic, &scalar("SYS")), LinkClass::Sys);
    }

    #[test]
    fn a_parameter_of_type_link_class_can_stand_for_one() {
        assert_eq!(good(farthest_nic, &parameter(ParameterKind::LinkClass, "PHB")), LinkClass::Phb);
        assert_eq!(
            bad(wanted, &parameter(ParameterKind::Text, "PHB")),
            "expected a link class, found the parameter `$p` of type text | a parameter of type link_class can stand here"
        );
    }

    #[test]
    fn wrong_words_are_said() {
        let unknown = "expected one of `NVLink`, `NV<n>`, `XGMI`, `PIX`, `PXB`, `PHB`, `NODE`, `SYS`, `PCIe`";
        assert_eq!(bad(wanted, &scalar("pxb")), format!("unknown link class `pxb`, {unknown} | did you mean `PXB`?"));
        assert_eq!(bad(wanted, &scalar("zzz")), format!("unknown link class `zzz`, {unknown}"));
        assert!(bad(farthest, &scalar("PCIe")).starts_with("`PCIe` is no distance | "));
        assert!(bad(farthest, &scalar("NVLink")).starts_with("`NVLink` is no distance | "));
        for word in ["XGMI", "NV4", "NVLink", "PCIe"] {
            let message = format!("`{word}` is no distance between a GPU and a NIC | ");
            assert!(bad(farthest_nic, &scalar(word)).starts_with(&message), "{word}");
        }
    }
}
