//! `ibv_devinfo` and `ibv_devinfo -v`: blocks `hca_id:`, below each `port: 1`; `-v` adds lanes, speeds and GIDs.

use super::listing::{Order, Place, cut_line, is_frame, key_and_value};
use super::rdma_listing::RdmaListing;
use super::rdma_words::{guid, link_layer, number_and_word, numbered_physical_state, numbered_state, plain};
use super::{Line, lines};
use crate::{
    facts::{Fact, Facts, Gid, RdmaPort},
    units::Rate,
};

/// The lines of a device, in the order of the source (rdma-core, `devinfo.c`); `-v` has others after them.
const DEVICE: &[&str] = &[
    "transport",
    "fw_ver",
    "node_guid",
    "sys_image_guid",
    "vendor_id",
    "vendor_part_id",
    "hw_ver",
    "board_id",
    "phys_port_cnt",
];
/// The lines of a port; those after `link_layer` are printed with `-v` only.
const PORT: &[&str] = &[
    "state",
    "max_mtu",
    "active_mtu",
    "sm_lid",
    "port_lid",
    "port_lmc",
    "link_layer",
    "max_msg_sz",
    "active_width",
    "active_speed",
    "phys_state",
];

/// Reads it.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let mut reader = Reader { listing: RdmaListing::new(file, facts), block: None, none: false };
    let cut = cut_line(text);
    for line in lines(text) {
        // The very last line of a whole plain output says a word that cannot be the beginning of another.
        let whole = key_and_value(&line).is_some_and(|(key, value)| key == "link_layer" && link_layer(value).is_some())
            || is_none(&line);
        if is_frame(&line.text, "ibv_devinfo") {
        } else if cut == Some(line.number) && !whole {
            reader.listing.damage(&line, "the file ends within this line");
        } else {
            reader.line(&line);
        }
    }
    reader.close();
    reader.listing.end(reader.none);
}

fn is_none(line: &Line) -> bool {
    line.text.trim() == "No IB devices found"
}

struct Reader<'a> {
    listing: RdmaListing<'a>,
    block: Option<Block>,
    none: bool,
}

/// The device that is being read.
struct Block {
    name: String,
    device: Order,
    /// The number that `phys_port_cnt` gave.
    ports: Option<u32>,
    port: Option<Port>,
}

/// The port that is being read.
struct Port {
    number: u32,
    order: Order,
    /// Lanes, from `active_width`.
    lanes: Option<u32>,
    /// The GIDs so far, as printed.
    gids: Vec<Gid>,
}

impl Reader<'_> {
    fn line(&mut self, line: &Line) {
        if is_none(line) {
            self.none = true;
            return;
        }
        let Some((key, value)) = key_and_value(line) else {
            return self.listing.damage(line, "not a line of ibv_devinfo");
        };
        if key == "libibverbs" {
            self.listing.damage(line, "a device may be missing");
        } else if key == "hca_id" {
            self.close();
            if value.is_empty() || value.contains(char::is_whitespace) {
                return self.listing.damage(line, "not a device's name");
            }
            self.listing.device(value);
            self.block = Some(Block { name: value.to_owned(), device: Order::new(DEVICE), ports: None, port: None });
        } else if key == "port" {
            self.port_header(line, plain(value));
        } else {
            self.key(line, key, value);
        }
    }

    fn port_header(&mut self, line: &Line, number: Option<u32>) {
        let Some(block) = &mut self.block else {
            return self.listing.damage(line, "a port without the device that it is of");
        };
        let expected = match &block.port {
            Some(before) => before.order.has("link_layer").then(|| before.number.saturating_add(1)),
            None => block.device.awaited().is_none().then_some(1),
        };
        let (Some(number), true) = (number, expected == number) else {
            return self.lost(line);
        };
        if block.ports.is_some_and(|ports| number > ports) {
            return self.lost(line);
        }
        let name = block.name.clone();
        self.end_port();
        self.listing.port(&name, number);
        if let Some(block) = &mut self.block {
            block.port = Some(Port { number, order: Order::new(PORT), lanes: None, gids: Vec::new() });
        }
    }

    /// A line that does not follow the one before: from here on the device is not certain.
    fn lost(&mut self, line: &Line) {
        self.block = None;
        self.listing.damage(line, "lines before it are missing, so its device is not certain");
    }

    fn key(&mut self, line: &Line, key: &str, value: &str) {
        let Some(block) = &mut self.block else {
            return self.listing.damage(line, "a line without the device that it is of");
        };
        let order = block.port.as_mut().map_or(&mut block.device, |port| &mut port.order);
        match order.place(key) {
            Place::Foreign if DEVICE.contains(&key) || PORT.contains(&key) => self.lost(line),
            Place::Wrong => self.lost(line),
            Place::Foreign if key.starts_with("GID[") => self.gid(line, key, value),
            Place::Foreign => {}
            Place::Next if block.port.is_some() => self.port_value(line, key, value),
            Place::Next => self.device_value(line, key, value),
        }
    }

    fn device_value(&mut self, line: &Line, key: &str, value: &str) {
        let Some(block) = &mut self.block else { return };
        let name = block.name.clone();
        match key {
            "fw_ver" => {
                let version = value.starts_with(|c: char| c.is_ascii_digit()).then(|| value.to_owned());
                let fact = self.listing.fact(line, version, "a version");
                self.listing.device(&name).firmware.merge(fact);
            }
            "node_guid" if !value.starts_with("...") => {
                let fact = self.listing.fact(line, guid(value), "a GUID");
                self.listing.device(&name).node_guid.merge(fact);
            }
            "board_id" => {
                let fact = self.listing.fact(line, (!value.is_empty()).then(|| value.to_owned()), "a board id");
                self.listing.device(&name).board.merge(fact);
            }
            "phys_port_cnt" => {
                block.ports = plain(value);
                let fact = self.listing.fact(line, plain(value), "a number of ports");
                self.listing.device(&name).port_count.merge(fact);
            }
            _ => {}
        }
    }

    fn port_value(&mut self, line: &Line, key: &str, value: &str) {
        let pair = number_and_word(value);
        match key {
            "state" => {
                let state = pair.and_then(|(number, word)| numbered_state(number, word));
                let fact = self.listing.fact(line, state, "a port state");
                self.with_port(|port| port.state.merge(fact));
            }
            "max_mtu" | "active_mtu" => {
                let fact = self.listing.fact(line, pair.and_then(|(number, word)| mtu(number, word)), "an MTU");
                self.with_port(|port| {
                    if key == "max_mtu" { &mut port.max_mtu } else { &mut port.active_mtu }.merge(fact)
                });
            }
            "link_layer" => {
                let fact = self.listing.fact(line, link_layer(value).map(str::to_owned), "a link layer");
                self.with_port(|port| port.link_layer.merge(fact));
            }
            "phys_state" => {
                let state = pair.and_then(|(number, _)| numbered_physical_state(number)).map(str::to_owned);
                let fact = self.listing.fact(line, state, "a physical state");
                self.with_port(|port| port.physical_state.merge(fact));
            }
            "active_width" => self.width(line, pair.map(|(_, word)| word)),
            "active_speed" => self.speed(line, pair.map(|(_, word)| word)),
            _ => {}
        }
    }

    fn width(&mut self, line: &Line, word: Option<&str>) {
        let lanes = word.and_then(|word| word.strip_suffix('X')).and_then(plain);
        if let Some(port) = self.block.as_mut().and_then(|block| block.port.as_mut()) {
            port.lanes = lanes;
        }
        let fact = self.listing.fact(line, lanes.map(|lanes| format!("{lanes}X")), "a width");
        self.with_port(|port| port.width.merge(fact));
    }

    /// The speed is that of one lane; the port's rate is that of all lanes.
    fn speed(&mut self, line: &Line, word: Option<&str>) {
        let lanes = self.block.as_ref().and_then(|block| block.port.as_ref()).and_then(|port| port.lanes);
        let lane = word.and_then(|word| word.parse::<Rate>().ok()).map(Rate::gigabits_per_second);
        let rate = lanes.zip(lane).map(|(lanes, lane)| Rate(f64::from(lanes) * lane));
        let fact = self.listing.fact(line, rate, "a lane's speed after the width");
        self.with_port(|port| port.rate.merge(fact));
    }

    fn gid(&mut self, line: &Line, key: &str, value: &str) {
        let Some(port) = self.block.as_mut().and_then(|block| block.port.as_mut()) else { return };
        let index = key.strip_prefix("GID[").and_then(|rest| rest.strip_suffix(']')).and_then(|at| plain(at.trim()));
        let (address, kind) = value.split_once(',').map_or((value, None), |(address, kind)| (address, Some(kind)));
        if address.is_empty() {
            return;
        }
        let Some(index) = index.filter(|_| address.trim().parse::<std::net::Ipv6Addr>().is_ok()) else {
            return self.listing.damage(line, "not a GID");
        };
        port.gids.push(Gid {
            index,
            address: address.trim().to_owned(),
            kind: kind.map(|kind| kind.trim().to_owned()),
            netdev: None,
        });
    }

    /// The GIDs of a port are known where their indices have no gap: a gap may be a lost line.
    fn end_port(&mut self) {
        let Some(port) = self.block.as_mut().and_then(|block| block.port.as_mut()) else { return };
        if port.gids.is_empty() {
            return;
        }
        let gids = std::mem::take(&mut port.gids);
        let gap = (0..).zip(&gids).find(|(at, gid)| gid.index != *at);
        let fact = match gap {
            Some((at, _)) => Fact::unknown(format!("{} does not show GID {at}", self.listing.file)),
            None => Fact::known(gids, self.listing.file),
        };
        self.with_port(|port| port.gids.merge_list(fact));
    }

    /// Ends a device: are its lines and ports all there?
    fn close(&mut self) {
        self.end_port();
        let Some(block) = self.block.take() else { return };
        let shown = block.port.as_ref().map_or(0, |port| port.number);
        let unfinished = match &block.port {
            Some(port) => (!port.order.has("link_layer")).then(|| port.order.awaited()).flatten(),
            None => block.device.awaited(),
        };
        if let Some(key) = unfinished {
            self.listing.lacks(format!("the block of {} ends before its line {key:?}", block.name));
        } else if let Some(ports) = block.ports.filter(|ports| *ports != shown) {
            self.listing.lacks(format!("{} has {ports} ports, {shown} are shown", block.name));
        }
    }

    /// Works on the port that is being read.
    fn with_port(&mut self, work: impl FnOnce(&mut RdmaPort)) {
        let Some(block) = &self.block else { return };
        if let Some(port) = &block.port {
            work(self.listing.port(&block.name, port.number));
        }
    }
}

/// `4096 (5)`: bytes and the number of the enumeration `ibv_mtu`, 1 for 256 up to 5 for 4096.
fn mtu(number: u32, word: &str) -> Option<u32> {
    let bytes = plain(word)?;
    ((1..=5).contains(&number) && bytes == 128 << number).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_less_of_listing, damaged, facts};
    use super::*;
    use crate::facts::PortState;

    const PLAIN: &str = "hca_id:\tmlx5_0\n\
        \ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t28.39.2048\n\
        \tnode_guid:\t\t\ta088:c203:00aa:0001\n\tsys_image_guid:\t\t\ta088:c203:00aa:0001\n\
        \tvendor_id:\t\t\t0x02c9\n\tvendor_part_id:\t\t\t4129\n\thw_ver:\t\t\t\t0x0\n\
        \tboard_id:\t\t\tMT_0000000838\n\tphys_port_cnt:\t\t\t1\n\
        \t\tport:\t1\n\
        \t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t4096 (5)\n\
        \t\t\tsm_lid:\t\t\t1\n\t\t\tport_lid:\t\t17\n\t\t\tport_lmc:\t\t0x00\n\
        \t\t\tlink_layer:\t\tInfiniBand\n\n\
        hca_id:\tmlx5_1\n\
        \ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t22.39.1002\n\
        \tnode_guid:\t\t\ta088:c203:00bb:0002\n\tsys_image_guid:\t\t\ta088:c203:00bb:0002\n\
        \tvendor_id:\t\t\t0x02c9\n\tvendor_part_id:\t\t\t4125\n\thw_ver:\t\t\t\t0x0\n\
        \tboard_id:\t\t\tMT_0000000436\n\tphys_port_cnt:\t\t\t1\n\
        \t\tport:\t1\n\
        \t\t\tstate:\t\t\tPORT_DOWN (1)\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t1024 (3)\n\
        \t\t\tsm_lid:\t\t\t0\n\t\t\tport_lid:\t\t0\n\t\t\tport_lmc:\t\t0x00\n\
        \t\t\tlink_layer:\t\tEthernet\n";

    const VERBOSE: &str = "\t\t\tmax_msg_sz:\t\t0x40000000\n\t\t\tgid_tbl_len:\t\t255\n\
        \t\t\tactive_width:\t\t4X (2)\n\t\t\tactive_speed:\t\t25.0 Gbps (32)\n\
        \t\t\tphys_state:\t\tLINK_UP (5)\n\
        \t\t\tGID[  0]:\t\tfe80:0000:0000:0000:a288:c2ff:febb:0002, IB/RoCE v1\n\
        \t\t\tGID[  1]:\t\tfe80::a288:c2ff:febb:2, RoCE v2\n";

    #[test]
    fn two_devices() {
        let mut read = facts(read, PLAIN);
        assert_eq!(read.damage, []);
        assert_eq!(read.rdma_count.value(), Some(&2));
        let first = read.rdma_mut("mlx5_0").clone();
        assert_eq!(first.board.value().map(String::as_str), Some("MT_0000000838"));
        assert_eq!(first.node_guid.value().map(String::as_str), Some("a088:c203:00aa:0001"));
        assert_eq!(first.ports[0].state.value(), Some(&PortState::Active));
        assert_eq!(first.ports[0].active_mtu.value(), Some(&4096));
        let second = read.rdma_mut("mlx5_1").clone();
        assert_eq!(second.ports[0].state.value(), Some(&PortState::Down));
        assert_eq!((second.ports[0].active_mtu.value(), second.ports[0].max_mtu.value()), (Some(&1024), Some(&4096)));
        assert_eq!(second.ports[0].rate.value(), None, "the plain output has no rate");
    }

    #[test]
    fn lanes_speed_and_gids() {
        let mut read = facts(read, &format!("{PLAIN}{VERBOSE}"));
        assert_eq!(read.damage, []);
        let port = read.rdma_mut("mlx5_1").ports[0].clone();
        assert_eq!(port.rate.value(), Some(&Rate(100.0)));
        assert_eq!(port.width.value().map(String::as_str), Some("4X"));
        assert_eq!(port.physical_state.value().map(String::as_str), Some("LinkUp"));
        let gids = port.gids.value().unwrap();
        assert_eq!((gids[1].index, gids[1].kind.as_deref()), (1, Some("RoCE v2")));
        assert_eq!(gids[0].address, "fe80:0000:0000:0000:a288:c2ff:febb:0002");
    }

    #[test]
    fn a_gap_between_gids() {
        let text = format!("{PLAIN}{VERBOSE}").replace("GID[  1]", "GID[  3]");
        let mut read = facts(read, &text);
        assert_eq!(read.rdma_mut("mlx5_1").ports[0].gids.reason(), Some("file does not show GID 1"));
    }

    #[test]
    fn a_machine_without_devices() {
        let read = facts(read, "No IB devices found\n");
        assert_eq!((read.rdma_count.value(), read.rdma_devices.len()), (Some(&0), 0));
        assert_eq!(facts(super::read, "").rdma_count.value(), None);
    }

    #[test]
    fn an_excerpt_that_begins_within_a_device() {
        let mut read = facts(read, &PLAIN[PLAIN.find("\tboard_id").unwrap()..]);
        assert_eq!(read.rdma_devices.len(), 1);
        assert_eq!(read.rdma_mut("mlx5_1").ports[0].active_mtu.value(), Some(&1024));
        assert_eq!(read.rdma_count.value(), None);
    }

    #[test]
    fn an_mtu_whose_number_is_another() {
        let mut read = facts(read, &PLAIN.replace("1024 (3)", "1024 (5)"));
        assert_eq!(read.rdma_mut("mlx5_1").ports[0].active_mtu.value(), None);
        assert_eq!(read.damage.len(), 1);
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(PLAIN)) {
            assert_less_of_listing(facts(read, PLAIN), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in "(?s)(hca_id: m\n|port: 1\n|GID[ 0]: ::1, x\n|state: X (4)\n|.){0,40}") {
            facts(read, &text);
        }
    }
}
