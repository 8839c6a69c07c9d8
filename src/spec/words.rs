//! Words that several kinds of tests share.

use super::{Node, decoder::Errors, shape::Shape, shape::names, values};
use crate::facts::{Switch, Vendor};

const SWITCH_NAMES: [(&str, Switch); 2] = [("on", Switch::On), ("off", Switch::Off)];
const VENDOR_NAMES: [(&str, Vendor); 2] = [("nvidia", Vendor::Nvidia), ("amd", Vendor::Amd)];

/// `on` or `off`.
pub(super) const SWITCH: Shape = Shape::Words(&names(&SWITCH_NAMES));

/// A vendor of GPUs.
pub(super) const VENDOR: Shape = Shape::Words(&names(&VENDOR_NAMES));

/// Text, which may be a glob, or a list of such texts.
pub(super) const GLOBS: Shape = Shape::Any(&[Shape::Text, Shape::List(&Shape::Text)]);

/// Reads `on` or `off`.
pub(super) fn switch(node: &Node, errors: &mut Errors) -> Option<Switch> {
    values::word(node, "state", &SWITCH_NAMES, errors)
}

/// Reads a vendor.
pub(super) fn vendor(node: &Node, errors: &mut Errors) -> Option<Vendor> {
    values::word(node, "vendor", &VENDOR_NAMES, errors)
}
