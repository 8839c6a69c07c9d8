use std::collections::BTreeMap;

use super::answer::Told;

/// What RoCE's longest headers take of a packet of the network interface: GRH 40, UDP 8, BTH 12, XRC 4, AtomicETH 28,
/// ICRC 4 bytes (`iboe_get_mtu` in Linux, include/rdma/ib_addr.h).
const HEADERS: u32 = 96;
const MTUS: [u32; 5] = [4096, 2048, 1024, 512, 256];

/// A port's active MTU as the kernel computes it, and what it was computed from: `the MTU 4200 of eth2`.
pub(super) fn computed(interfaces: &BTreeMap<String, Told<u32>>) -> Told<(u32, String)> {
    let mut found: Option<(u32, String)> = None;
    for (name, mtu) in interfaces {
        let mtu = mtu.as_ref().map_err(Clone::clone)?;
        let fits = |bytes: &u32| mtu.checked_sub(HEADERS).is_some_and(|room| *bytes <= room);
        let bytes = MTUS.into_iter().find(fits).ok_or_else(|| format!("the MTU {mtu} of {name} is too small"))?;
        let from = format!("the MTU {mtu} of {name}");
        match &found {
            Some((before, other)) if *before != bytes => {
                return Err(format!("the MTU differs by interface: {other}, {from}"));
            }
            Some(_) => {}
            None => found = Some((bytes, from)),
        }
    }
    found.ok_or_else(|| "no GID names the port's network interface".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(interfaces: &[(&str, u32)]) -> Told<(u32, String)> {
        computed(&interfaces.iter().map(|(name, mtu)| ((*name).to_owned(), Ok(*mtu))).collect())
    }

    #[test]
    fn the_largest_that_fits_with_its_headers() {
        for (mtu, bytes) in [(9000, 4096), (4200, 4096), (4192, 4096), (4191, 2048), (1500, 1024), (352, 256)] {
            assert_eq!(of(&[("eth2", mtu)]), Ok((bytes, format!("the MTU {mtu} of eth2"))));
        }
        assert_eq!(of(&[("eth2", 351)]), Err("the MTU 351 of eth2 is too small".to_owned()));
        assert_eq!(of(&[("eth2", 68)]), Err("the MTU 68 of eth2 is too small".to_owned()));
    }

    #[test]
    fn interfaces_that_disagree_give_none() {
        assert_eq!(of(&[("eth2", 9000), ("eth2.7", 4200)]).unwrap().0, 4096);
        assert!(of(&[("eth2", 9000), ("eth2.7", 1500)]).unwrap_err().contains("the MTU 1500 of eth2.7"));
        assert!(of(&[]).is_err());
    }
}
