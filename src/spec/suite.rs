use std::{collections::BTreeMap, fmt, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EnvironmentMap, GpuSelection, Kind, MachineExpect, Matrix, Node, Override, Pin, Place, Placed, SkipWhen};
use crate::units::Span;

/// A suite, whole: includes, parameters and `extends` resolved, every value checked.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name, used in every case's name and as the name of the result folder.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// The file that was named.
    pub file: Arc<str>,
    /// What the suite is for.
    pub machine: Option<Placed<MachineExpect>>,
    /// The tests, included ones first, in the order of the files.
    pub tests: Vec<Arc<Test>>,
    /// Where figures are from, by the name that bounds use.
    pub sources: BTreeMap<String, Placed<BTreeMap<String, String>>>,
}

/// One test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The name, unique in the suite.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// When it runs.
    pub level: Level,
    /// Tags to select by.
    pub tags: Vec<String>,
    /// The test's own environment variables.
    pub environment: EnvironmentMap,
    /// The environment variables of the `defaults` of the test's file.
    pub default_environment: EnvironmentMap,
    /// Where ranks are placed.
    pub pin: Pin,
    /// Which GPUs are used.
    pub gpus: GpuSelection,
    /// The longest that a case may take.
    pub timeout: Option<Placed<Span>>,
    /// How long a `soak` test goes on.
    pub duration: Option<Placed<Span>>,
    /// Whether and how a failed case is tried again.
    pub retries: Option<Placed<Retries>>,
    /// When the test is skipped.
    pub skip_when: Option<Placed<SkipWhen>>,
    /// Why the test is ignored unless it is asked for.
    pub ignore: Option<String>,
    /// What to look at next, in the author's words.
    pub hint: Option<String>,
    /// What is crossed.
    pub matrix: Option<Matrix>,
    /// Changed expectations for some cells or machines.
    pub overrides: Vec<Override>,
    /// What is checked, before any override.
    pub kind: Arc<Kind>,
    /// Where the test begins.
    pub place: Place,
    /// The tree of the kind, which cells and overrides change before it is read again.
    pub(crate) kind_node: Node,
}

/// How much a test costs. Without `--level`, quick and standard run; `--level X` runs X and all below.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Reads state: seconds.
    Quick,
    /// The default of a test.
    #[default]
    Standard,
    /// Everything.
    Full,
    /// For as long as `duration` says.
    Soak,
}

impl Level {
    /// Every level with its name.
    pub const NAMES: [(&'static str, Self); 4] =
        [("quick", Self::Quick), ("standard", Self::Standard), ("full", Self::Full), ("soak", Self::Soak)];
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::NAMES.iter().find(|(_, level)| level == self).map_or("", |(name, _)| name))
    }
}

/// `retries`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// How many more tries there are.
    pub count: u32,
    /// Whether a pass on a later try passes; it is shown as flaky either way.
    pub flaky_passes: bool,
}
