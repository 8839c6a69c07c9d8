use super::reader::Reader;
use crate::facts::{EccCounts, Gpu};

/// Adds the ECC counts and the remapped rows.
pub(super) fn add(gpu: &mut Gpu, reader: &mut Reader<'_>) {
    counts(&mut gpu.ecc_volatile, "volatile", reader);
    counts(&mut gpu.ecc_aggregate, "aggregate", reader);
    let rows = &mut gpu.remapped_rows;
    let yes = |text: &str| match text {
        "Yes" => Some(true),
        "No" => Some(false),
        _ => None,
    };
    // Where a GPU remaps no rows, the heading itself has the value N/A.
    let whole = "remapped rows";
    let paths = |text: &'static str, xml: &'static str| [text, xml, whole];
    let correctable = paths("remapped rows/correctable error", "remapped_rows/remapped_row_corr");
    let uncorrectable = paths("remapped rows/uncorrectable error", "remapped_rows/remapped_row_unc");
    let pending = paths("remapped rows/pending", "remapped_rows/remapped_row_pending");
    let failure = paths("remapped rows/remapping failure occurred", "remapped_rows/remapped_row_failure");
    rows.correctable.merge_count(reader.count(&correctable));
    rows.uncorrectable.merge_count(reader.count(&uncorrectable));
    rows.pending.merge(reader.fact(&pending, yes));
    rows.failure.merge(reader.fact(&failure, yes));
}

/// The counts of one life, `volatile` or `aggregate`, in any of three forms: totals by single and double bit (up to
/// Volta), SRAM and DRAM (from Ampere), and with uncorrectable SRAM errors split by parity and SEC-DED (newest).
fn counts(counts: &mut EccCounts, life: &str, reader: &mut Reader<'_>) {
    let text = |name: &str| format!("ecc errors/{life}/{name}");
    let xml = |name: &str| format!("ecc_errors/{life}/{name}");
    let old =
        [(text("single bit/total"), xml("single_bit/total")), (text("double bit/total"), xml("double_bit/total"))];
    if old.iter().any(|(text, xml)| reader.has(text) || reader.has(xml)) {
        let [single, double] = &old;
        counts.corrected.merge_count(reader.count(&[&single.0, &single.1]));
        counts.uncorrected.merge_count(reader.count(&[&double.0, &double.1]));
        return;
    }
    let sram = [text("sram correctable"), xml("sram_correctable")];
    let dram = [text("dram correctable"), xml("dram_correctable")];
    counts.corrected.merge_count(reader.sum(&[&[&sram[0], &sram[1]], &[&dram[0], &dram[1]]]));
    let parity = [text("sram uncorrectable parity"), xml("sram_uncorrectable_parity")];
    let secded = [text("sram uncorrectable sec-ded"), xml("sram_uncorrectable_secded")];
    let sram = [text("sram uncorrectable"), xml("sram_uncorrectable")];
    let dram = [text("dram uncorrectable"), xml("dram_uncorrectable")];
    let dram: &[&str] = &[&dram[0], &dram[1]];
    let split = parity.iter().chain(&secded).any(|path| reader.has(path));
    counts.uncorrected.merge_count(if split {
        reader.sum(&[&[&parity[0], &parity[1]], &[&secded[0], &secded[1]], dram])
    } else {
        reader.sum(&[&[&sram[0], &sram[1]], dram])
    });
}
