use super::{
    Bound, Node, Placed, bound, collective_expect,
    decoder::{Errors, MapReader},
    shape::{Key, Shape, key, names, required},
    sizes, values,
};
use crate::units::{Bandwidth, Size};

/// `copy`: copies by the copy engine between host and devices or between peers.
#[derive(Clone, Debug, PartialEq)]
pub struct Copy {
    /// Where from.
    pub from: Placed<CopyEnd>,
    /// Where to.
    pub to: Placed<CopyEnd>,
    /// One way where it is not written.
    pub direction: Option<Placed<CopyDirection>>,
    /// The size of one copy.
    pub size: Option<Placed<Size>>,
    /// What must hold for every GPU or pair.
    pub expect: CopyExpect,
}

/// One end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyEnd {
    /// The host's memory.
    Host,
    /// The GPU's own memory.
    Device,
    /// Every other GPU's memory.
    Peers,
}

/// The direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyDirection {
    /// One way at a time.
    OneWay,
    /// Both at once.
    BothWays,
}

/// `expect` of a copy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CopyExpect {
    /// The bandwidth; a plain value is a floor.
    pub bandwidth: Option<Bound<Bandwidth>>,
}

const ENDS: [(&str, CopyEnd); 3] = [("host", CopyEnd::Host), ("device", CopyEnd::Device), ("peers", CopyEnd::Peers)];

const DIRECTIONS: [(&str, CopyDirection); 2] =
    [("one-way", CopyDirection::OneWay), ("both-ways", CopyDirection::BothWays)];

const END: Shape = Shape::Words(&names(&ENDS));

const EXPECT: &[Key] =
    &[key("bandwidth", bound::BANDWIDTH, "the bandwidth of every GPU or pair; a plain value is a floor")];

/// The keys of `copy`.
pub(super) const KEYS: &[Key] = &[
    required("from", END, "where from: the host's memory, the GPU's own, or every other GPU's"),
    required("to", END, "where to: the host's memory, the GPU's own, or every other GPU's"),
    key("direction", Shape::Words(&names(&DIRECTIONS)), "one way at a time, or both at once; one-way"),
    key("size", Shape::Size, "the size of one copy"),
    key("expect", Shape::Map(EXPECT), "what holds for every GPU or pair"),
];

impl Copy {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = MapReader::open(node, "`copy`", KEYS, errors)?;
        let end = |node: &Node, errors: &mut Errors| values::word(node, "end of a copy", &ENDS, errors);
        let (from, to) = (reader.placed("from", errors, end), reader.placed("to", errors, end));
        let direction =
            reader.placed("direction", errors, |node, errors| values::word(node, "direction", &DIRECTIONS, errors));
        let size = reader.placed("size", errors, size);
        let expect = reader.read("expect", errors, CopyExpect::decode).unwrap_or_default();
        let (from, to) = (from?, to?);
        // A copy is made by a GPU's copy engine, between its own memory and something else or within it.
        if from.value != CopyEnd::Device && to.value != CopyEnd::Device {
            errors.at_with_help(node, "one end of a copy is the GPU's own memory", "from: device or to: device");
        }
        (errors.0.len() == before).then_some(Self { from, to, direction, size, expect })
    }
}

fn size(node: &Node, errors: &mut Errors) -> Option<Size> {
    let size = sizes::size(node, errors)?;
    if size.bytes() == 0 {
        errors.at(node, "a copy of nothing measures nothing");
        return None;
    }
    Some(size)
}

impl CopyExpect {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let reader = MapReader::open(node, "`expect`", EXPECT, errors)?;
        let bandwidth = reader.read("bandwidth", errors, |node, errors| {
            Bound::decode(node, errors, bound::Plain::Floor, collective_expect::bandwidth)
        });
        Some(Self { bandwidth })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            BoundValue,
            testing::{bad, flow, good},
        },
        *,
    };

    #[test]
    fn every_key_is_read() {
        let text = "{ from: device, to: peers, direction: both-ways, size: 256M, expect: { bandwidth: 300 GB/s } }";
        let copy = good(Copy::decode, &flow(text));
        assert_eq!((copy.from.value, copy.to.value), (CopyEnd::Device, CopyEnd::Peers));
        assert_eq!(copy.direction.unwrap().value, CopyDirection::BothWays);
        assert_eq!(copy.size.unwrap().value, Size(256 << 20));
        let floor = BoundValue::Limits { min: Some(Bandwidth(300.0)), max: None };
        assert_eq!(copy.expect.bandwidth.unwrap().value, floor);
    }

    #[test]
    fn what_is_not_written_stays_unsaid() {
        let copy = good(Copy::decode, &flow("{ from: host, to: device }"));
        assert_eq!((copy.from.value, copy.direction, copy.size), (CopyEnd::Host, None, None));
        assert_eq!(copy.expect, CopyExpect::default());
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            (
                "{ from: host }",
                "`copy` lacks the key `to` | where to: the host's memory, the GPU's own, or every other GPU's",
            ),
            (
                "{ from: host, to: devices }",
                "unknown end of a copy `devices`, expected one of `host`, `device`, `peers` | did you mean `device`?",
            ),
            ("{ from: host, to: host }", "one end of a copy is the GPU's own memory | from: device or to: device"),
            (
                "{ from: host, to: device, direction: both }",
                "unknown direction `both`, expected `one-way` or `both-ways` | did you mean `both-ways`?",
            ),
            ("{ from: host, to: device, size: 0 }", "a copy of nothing measures nothing"),
            ("{ from: host, to: device, size: big }", "expected a size such as 8, 64K, 8M or 2GiB, found `big`"),
            (
                "{ from: host, to: device, expect: { busbw: 1 GB/s } }",
                "unknown key `busbw` in `expect` | `expect` has the keys bandwidth",
            ),
            (
                "{ from: host, to: device, expect: { bandwidth: 50 } }",
                "expected a bandwidth such as 440 GB/s, found `50`",
            ),
        ] {
            assert_eq!(bad(Copy::decode, &flow(text)), message, "{text}");
        }
    }
}
