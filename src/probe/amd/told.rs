use std::collections::BTreeMap;

use super::answer::{Answer, Device, KFD, Node, Subject};
use crate::probe::child::Heard;

/// What the child told, each part or the reason why it is missing.
pub(super) struct Told {
    outputs: BTreeMap<Subject, Result<String, String>>,
    pub(super) nodes: Result<Vec<Node>, String>,
    pub(super) driver: Result<String, String>,
    devices: BTreeMap<String, Box<Device>>,
    heard: Heard<Answer>,
}

impl Told {
    pub(super) fn of(mut heard: Heard<Answer>) -> Self {
        let (mut nodes, mut driver) = (None, None);
        let (mut outputs, mut devices) = (BTreeMap::new(), BTreeMap::new());
        for answer in std::mem::take(&mut heard.answers) {
            match answer {
                Answer::Output(subject, output) => {
                    outputs.insert(subject, output);
                }
                Answer::Nodes(read) => nodes = Some(read),
                Answer::Driver(read) => driver = Some(read),
                Answer::Device(device) => {
                    devices.insert(device.address.clone(), device);
                }
            }
        }
        let missing = || missing(&heard, KFD);
        let nodes = nodes.unwrap_or_else(|| Err(missing()));
        let driver = driver.unwrap_or_else(|| Err(nodes.as_ref().err().cloned().unwrap_or_else(missing)));
        Self { outputs, nodes, driver, devices, heard }
    }

    /// What a command of amd-smi printed. Where none was run, KFD's reason is that of all: there is no driver.
    pub(super) fn output(&self, subject: Subject) -> Result<&str, String> {
        match (self.outputs.get(&subject), &self.nodes) {
            (Some(output), _) => output.as_deref().map_err(Clone::clone),
            (None, Err(reason)) if self.heard.lost(&subject.lane()).is_none() => Err(reason.clone()),
            (None, _) => Err(missing(&self.heard, &subject.lane())),
        }
    }

    /// What `/sys` says of a PCI device.
    pub(super) fn device(&self, address: &str) -> Result<&Device, String> {
        self.devices.get(address).map(Box::as_ref).ok_or_else(|| missing(&self.heard, address))
    }
}

/// Why nothing was heard of a lane.
fn missing(heard: &Heard<Answer>, lane: &str) -> String {
    let why = heard.lost(lane).or_else(|| heard.broken());
    why.map_or_else(|| format!("{lane} was not read"), str::to_owned)
}
