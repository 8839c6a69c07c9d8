use super::subject;
use crate::{
    facts::{Fact, Gpu},
    spec::{GpuExpect, Placed},
    verdict::{
        FindingCode,
        sheet::{Sheet, Subject},
    },
};

/// ECC and remapped rows.
pub(super) fn judge(expect: &GpuExpect, gpu: &Gpu, sheet: &mut Sheet<'_>) {
    if let Some(ecc) = &expect.ecc {
        let hint = "ECC takes a reset to change; without it wrong data goes unseen";
        sheet.switch(&subject(FindingCode::EccMode, gpu.index, "ECC", hint), ecc, &gpu.ecc);
    }
    if let Some(errors) = &expect.ecc_errors {
        let hint = "uncorrected errors, or corrected ones that grow, are a case for the vendor: keep `nvidia-smi -q`";
        let (volatile, aggregate) = (&gpu.ecc_volatile, &gpu.ecc_aggregate);
        for (what, wanted, fact) in [
            ("uncorrected ECC errors", &errors.uncorrected, &volatile.uncorrected),
            ("corrected ECC errors", &errors.corrected, &volatile.corrected),
            ("uncorrected ECC errors in all", &errors.aggregate_uncorrected, &aggregate.uncorrected),
            ("corrected ECC errors in all", &errors.aggregate_corrected, &aggregate.corrected),
        ] {
            if let Some(wanted) = wanted {
                let subject = Subject { unit: Some("errors"), ..subject(FindingCode::EccErrors, gpu.index, what, hint) };
                sheet.wanted(&subject, wanted, fact);
            }
        }
    }
    remapped_rows(expect, gpu, sheet);
}

fn remapped_rows(expect: &GpuExpect, gpu: &Gpu, sheet: &mut Sheet<'_>) {
    let Some(rows) = &expect.remapped_rows else { return };
    let hint = "a pending remap needs a reset; a failed one, or many, is a case for the vendor";
    let subject = |what| subject(FindingCode::RemappedRows, gpu.index, what, hint);
    for (what, wanted, fact) in [
        ("rows remapped after uncorrectable errors", &rows.uncorrectable, &gpu.remapped_rows.uncorrectable),
        ("rows remapped after correctable errors", &rows.correctable, &gpu.remapped_rows.correctable),
    ] {
        if let Some(wanted) = wanted {
            sheet.wanted(&Subject { unit: Some("rows"), ..subject(what) }, wanted, fact);
        }
    }
    let mut flag = |what, wanted: &Option<Placed<bool>>, fact: &Fact<bool>| {
        if let Some(wanted) = wanted {
            let fact = fact.clone().map(yes);
            sheet.holds(&subject(what), yes(wanted.value), &wanted.place, &fact, |found| *found == yes(wanted.value));
        }
    };
    flag("pending row remap", &rows.pending, &gpu.remapped_rows.pending);
    flag("failed row remap", &rows.failure, &gpu.remapped_rows.failure);
}

const fn yes(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}
