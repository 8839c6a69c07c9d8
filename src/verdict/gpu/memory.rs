use super::EveryGpu;
use crate::{
    facts::{Fact, Gpu},
    spec::{GpuExpect, Placed, Wanted},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
    },
};

type Count = fn(&Gpu) -> &Fact<u64>;
type Flag = fn(&Gpu) -> &Fact<bool>;
/// A count: what it is called, what is asked of it, where it is.
type AskedCount<'a> = (&'a str, &'a Option<Placed<Wanted<u64>>>, Count);

/// Judges `memory`, `ecc`, `ecc_errors` and `remapped_rows`.
pub(super) fn judge(expect: &GpuExpect, gpus: &EveryGpu<'_>, ledger: &mut Ledger<'_>) {
    if let Some(wanted) = &expect.memory {
        let check = Check::new(FindingCode::GpuMemory, "memory", "has {} of memory", &wanted.place).unit("bytes");
        gpus.check(&check, wanted, |gpu| &gpu.memory, ledger);
    }
    if let Some(wanted) = &expect.ecc {
        let check = Check::new(FindingCode::EccMode, "ECC mode", "has ECC {}", &wanted.place);
        gpus.check(&check, &Wanted::Exact(wanted.value), |gpu| &gpu.ecc, ledger);
    }
    ecc_errors(expect, gpus, ledger);
    remapped_rows(expect, gpus, ledger);
}

fn ecc_errors(expect: &GpuExpect, gpus: &EveryGpu<'_>, ledger: &mut Ledger<'_>) {
    let Some(errors) = &expect.ecc_errors else { return };
    let asked: [AskedCount<'_>; 4] = [
        ("uncorrected ECC errors", &errors.uncorrected, |gpu| &gpu.ecc_volatile.uncorrected),
        ("corrected ECC errors", &errors.corrected, |gpu| &gpu.ecc_volatile.corrected),
        ("aggregate uncorrected ECC errors", &errors.aggregate_uncorrected, |gpu| &gpu.ecc_aggregate.uncorrected),
        ("aggregate corrected ECC errors", &errors.aggregate_corrected, |gpu| &gpu.ecc_aggregate.corrected),
    ];
    counts(FindingCode::EccErrors, &asked, gpus, ledger);
}

fn remapped_rows(expect: &GpuExpect, gpus: &EveryGpu<'_>, ledger: &mut Ledger<'_>) {
    let Some(rows) = &expect.remapped_rows else { return };
    let asked: [AskedCount<'_>; 2] = [
        ("rows remapped after correctable errors", &rows.correctable, |gpu| &gpu.remapped_rows.correctable),
        ("rows remapped after uncorrectable errors", &rows.uncorrectable, |gpu| &gpu.remapped_rows.uncorrectable),
    ];
    counts(FindingCode::RemappedRows, &asked, gpus, ledger);
    let flags: [(&str, &Option<Placed<bool>>, Flag); 2] = [
        ("pending row remapping", &rows.pending, |gpu| &gpu.remapped_rows.pending),
        ("failed row remapping", &rows.failure, |gpu| &gpu.remapped_rows.failure),
    ];
    for (what, wanted, fact) in flags {
        let Some(wanted) = wanted else { continue };
        let says = format!("has {what}: {{}}");
        let check = Check::new(FindingCode::RemappedRows, what, &says, &wanted.place);
        let word = |yes: &bool| if *yes { "yes" } else { "no" }.to_owned();
        gpus.each(&check, &word(&wanted.value), ledger, |device, gpu, ledger| {
            ledger.check(&check, device, &Wanted::Exact(word(&wanted.value)), &fact(gpu).clone().map(|yes| word(&yes)));
        });
    }
}

fn counts(code: FindingCode, asked: &[AskedCount<'_>], gpus: &EveryGpu<'_>, ledger: &mut Ledger<'_>) {
    for (what, wanted, fact) in asked {
        let Some(wanted) = wanted else { continue };
        let says = format!("has {{}} {what}");
        gpus.check(&Check::new(code, what, &says, &wanted.place), wanted, *fact, ledger);
    }
}
