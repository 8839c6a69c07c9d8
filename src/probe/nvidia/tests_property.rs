//! Whatever a driver answers: the fill never panics, and claims no more NVLinks than are up on both sides.

use proptest::prelude::*;

use super::{
    answer::{Answer, Driver, Fabric, Identity, Link, Pair, Part, State, Told},
    fill::fill_from,
    gathered::Gathered,
};
use crate::{
    facts::{Fact, Facts, Gpu, Origin},
    probe::live::Silence,
};

fn told<T: std::fmt::Debug + Clone>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Told<T>> {
    prop_oneof![4 => value.prop_map(Ok), 1 => Just(Err("nvmlDeviceGetX: unknown error".to_owned()))]
}

fn address() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("FFFFFFFF:FF:FF.0".to_owned()),
        (0_u32..4).prop_map(|bus| format!("00000000:{bus:02X}:00.0")),
        ".{0,12}",
    ]
}

fn link() -> impl Strategy<Value = Link> {
    let kind = prop_oneof![0_u32..4, Just(255), any::<u32>()];
    let speed = proptest::option::of(any::<u64>());
    (0_u32..40, any::<bool>(), speed, proptest::option::of(any::<u32>()), told(kind), told(address())).prop_map(
        |(index, active, speed, version, remote_type, remote_address)| Link {
            index,
            active,
            speed,
            version,
            remote_type,
            remote_address,
        },
    )
}

fn part() -> impl Strategy<Value = Part> {
    let identity = (told(".{0,8}"), told(address()), told(any::<u64>()), any::<bool>()).prop_map(
        |(text, pci_address, memory, lost)| {
            let name = text.clone();
            let (uuid, serial, vbios) = (text.clone(), text.clone(), text);
            Part::Identity(Identity { name, uuid, serial, vbios, pci_address, memory, lost })
        },
    );
    let state = (told(any::<u64>()), told(any::<bool>())).prop_map(|(throttle_reasons, mig)| State {
        throttle_reasons,
        persistence: mig.clone(),
        mig,
    });
    let fabric = (0_u32..6, any::<u32>(), any::<[u8; 16]>(), told(any::<u32>()), proptest::option::of(any::<u32>()))
        .prop_map(|(state, status, cluster, health_mask, health_summary)| Fabric {
            state,
            status,
            cluster,
            clique: status,
            health_mask,
            health_summary,
        });
    prop_oneof![
        identity,
        state.prop_map(Part::State),
        told(fabric).prop_map(Part::Fabric),
        told(proptest::collection::vec(link(), 0..20)).prop_map(Part::Links),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let index = || prop_oneof![9 => 0_u32..4, 1 => any::<u32>()];
    let number = || told(prop_oneof![0_u32..8, any::<u32>()]);
    let pair = (index(), index(), number(), number())
        .prop_map(|(a, b, ancestor, status)| {
            let (read, write, nvlink, atomics) = (status.clone(), status.clone(), status.clone(), status);
            Answer::Pair { a, b, pair: Box::new(Pair { ancestor, read, write, nvlink, atomics }) }
        })
        .boxed();
    let driver = (told(".{0,9}"), told(any::<i32>()));
    prop_oneof![
        8 => (index(), part()).prop_map(|(index, part)| Answer::Gpu { index, part: Box::new(part) }),
        2 => pair,
        1 => (index(), any::<bool>())
            .prop_map(|(index, lost)| Answer::NoGpu { index, reason: "no handle".to_owned(), lost }),
        1 => number().prop_map(Answer::CountAgain),
        1 => proptest::collection::vec(address(), 0..4).prop_map(Answer::Listed),
        1 => driver.prop_map(|(version, cuda)| Answer::Driver(Driver { version, cuda })),
    ]
}

fn active(gpu: &Gpu) -> Option<usize> {
    gpu.nvlinks.value().map(|links| links.iter().filter(|link| link.active).count())
}

proptest! {
    #[test]
    fn whatever_is_answered(count in told(0_u32..5), answers in proptest::collection::vec(answer(), 0..40)) {
        let mut facts = Facts::new(Origin::Live);
        let all = std::iter::once(Answer::Count(count)).chain(answers).collect();
        fill_from(Gathered::of(all), Silence::all("NVML does not say"), &mut facts);
        for pair in &facts.gpu_pairs {
            let both = facts.gpu(pair.a).and_then(active).zip(facts.gpu(pair.b).and_then(active));
            let Some((a, b)) = both else {
                prop_assert!(!matches!(pair.class, Fact::Known { .. }), "{pair:?}");
                continue;
            };
            if let Some(links) = pair.nvlinks.value() {
                prop_assert!(usize::try_from(*links).unwrap() <= a.min(b), "{pair:?}");
            }
        }
    }
}
