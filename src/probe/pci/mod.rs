//! pci

use serde::{Deserialize, Serialize};

use super::{
    child::{Heard, Lanes},
    live::{Silence, Site},
};
use crate::facts::Facts;

/// What the child tells.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {}

/// Reads the source, in the child.
pub(super) fn read(_site: &Site, _lanes: &Lanes<Answer>) {}

/// Fills the facts from what was heard.
pub(super) fn fill(heard: Heard<Answer>, _facts: &mut Facts) -> Silence {
    Silence::of(&heard, "not read")
}
