use proptest::prelude::*;

use super::*;
use crate::facts::{LinkClass, Origin};

const FILE: &str = "nvidia-smi-topo-m.txt";
const LEGEND: &str = "\nLegend:\n\n  X    = Self\n  NODE = Connection traversing PCIe\n  NV#  = Connection\n";
const TITLES: &str = "CPU Affinity\tNUMA Affinity\tGPU NUMA ID";

fn reads(text: &str) -> Facts {
    let mut facts = Facts::new(Origin::Live);
    read(text, FILE, &mut facts);
    facts
}

fn class(facts: &Facts, a: u32, b: u32) -> Option<String> {
    facts.pair(a, b)?.class.value().map(LinkClass::to_string)
}

fn nic_class(facts: &Facts, gpu: u32, nic: &str) -> Option<String> {
    let pair = facts.gpu_nics.iter().find(|pair| pair.gpu == gpu && pair.nic == nic)?;
    pair.class.value().map(LinkClass::to_string)
}

fn numa(facts: &Facts, gpu: u32) -> Option<String> {
    facts.gpu(gpu)?.numa_nodes.value().map(ToString::to_string)
}

fn cpus(facts: &Facts, gpu: u32) -> Option<String> {
    facts.gpu(gpu)?.cpus.value().map(ToString::to_string)
}

#[test]
fn the_plain_output_with_escape_sequences_and_a_doubled_tab() {
    for header in
        ["\t\u{1b}[4mGPU0\tGPU1\t", "\u{1b}[4m\tGPU0\tGPU1\t", "GPU0\tGPU1\t", "$ nvidia-smi topo -m GPU0 GPU1 "]
    {
        let rows = "GPU0\t X \tNV18\t0-31\t0\t\tN/A\nGPU1\tNV18\t X \t32-63\t1\t\tN/A\n";
        let facts = reads(&format!("{header}{TITLES}\u{1b}[0m\n{rows}{LEGEND}"));
        assert_eq!(class(&facts, 0, 1).as_deref(), Some("NV18"), "{header}");
        assert_eq!(facts.gpu_count, Fact::known(2, FILE));
        assert_eq!(facts.nics, Fact::known(Vec::new(), FILE));
        assert_eq!(facts.vendor.value(), Some(&Vendor::Nvidia));
        assert_eq!((numa(&facts, 0).as_deref(), numa(&facts, 1).as_deref()), (Some("0"), Some("1")));
        assert_eq!(cpus(&facts, 1).as_deref(), Some("32-63"));
        assert!(facts.damage.is_empty(), "{:?}", facts.damage);
    }
}

#[test]
fn blanks_in_place_of_tabs_and_an_indented_paste() {
    let text = "      GPU0  GPU1  CPU Affinity  NUMA Affinity  GPU NUMA ID\n  GPU0   X    NODE  0-11  0  N/A\n  GPU1  NODE   X    0-11  0  N/A\n";
    let facts = reads(text);
    assert_eq!(class(&facts, 0, 1).as_deref(), Some("NODE"));
    assert_eq!((numa(&facts, 1).as_deref(), cpus(&facts, 1).as_deref()), (Some("0"), Some("0-11")));
    assert!(facts.damage.is_empty());
}

#[test]
fn an_empty_affinity_cell_shifts_nothing() {
    let rows = "GPU0\t X \tNV18\t0-71\t0\t\t2\nGPU1\tNV18\t X \t\t0-1\t\t10\n";
    let facts = reads(&format!("\tGPU0\tGPU1\t{TITLES}\n{rows}"));
    assert_eq!((cpus(&facts, 1), numa(&facts, 1).as_deref()), (None, Some("0-1")));
    assert_eq!(facts.gpu(1).unwrap().cpus.reason(), Some("GPU1's CPU Affinity is empty in nvidia-smi-topo-m.txt"));
    assert!(facts.damage.is_empty());
}

#[test]
fn an_affinity_cell_that_is_gone_shifts_nothing() {
    for rows in [
        "GPU0\t X \tNV18\t0-71\t0\t\tN/A\nGPU1\tNV18\t X \t1\t\tN/A\n",
        "GPU0\t X \tNV18\t0-71\t0\t\tN/A\nGPU1\tNV18\t X\n",
        "GPU0 X NV18 0-71 0 N/A\nGPU1 NV18 X 1 N/A\n",
    ] {
        let facts = reads(&format!("\tGPU0\tGPU1\t{TITLES}\n{rows}"));
        assert_eq!((cpus(&facts, 0).as_deref(), numa(&facts, 0).as_deref()), (Some("0-71"), Some("0")));
        assert_eq!((cpus(&facts, 1), numa(&facts, 1)), (None, None), "{rows}");
        assert_eq!(class(&facts, 0, 1).as_deref(), Some("NV18"));
        assert_eq!((facts.damage.len(), facts.damage[0].line), (1, 3));
    }
    let alone = reads(&format!("\tGPU0\t{TITLES}\nGPU0\t X \t1\t\tN/A\n"));
    assert_eq!((cpus(&alone, 0), numa(&alone, 0)), (None, None));
}

#[test]
fn columns_that_are_not_there_are_unknown() {
    let facts =
        reads("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV3\t0-47\t\tN/A\nGPU1\tNV3\t X \t0-47\t\tN/A\n");
    assert_eq!(cpus(&facts, 0).as_deref(), Some("0-47"));
    assert_eq!(facts.gpu(0).unwrap().numa_nodes.reason(), Some("GPU0's NUMA Affinity is N/A in nvidia-smi-topo-m.txt"));
    let facts = reads("GPU0 GPU1 CPU Affinity\nGPU0 X SYS 0-15,32-47\nGPU1 SYS X 16-31\n");
    assert_eq!(cpus(&facts, 0).as_deref(), Some("0-15,32-47"));
    assert_eq!(facts.gpu(0).unwrap().numa_nodes.reason(), Some("nvidia-smi-topo-m.txt has no NUMA Affinity column"));
    let facts = reads("   GPU0  GPU1\nGPU0  X  PIX   NUMA 0\nGPU1  PIX  X  NUMA 0\n");
    assert_eq!((class(&facts, 0, 1).as_deref(), numa(&facts, 0)), (Some("PIX"), None));
    assert!(facts.damage.is_empty());
}

const NICS: &str = "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\nGPU0\t X \tNV4\tPIX\tSYS\t0-7\nGPU1\tNV4\t X \tSYS\tPXB\t8-15\nNIC0\tPIX\tSYS\t X \tSYS\t\nNIC1\tSYS\tPXB\tSYS\t X \t\n";

#[test]
fn nics_and_their_legend() {
    for legend in
        ["NIC Legend:\n\n  NIC0: mlx5_3\n  NIC1: mlx5_bond_0\n", "NIC Legend: NIC0: mlx5_3 NIC1:\n  mlx5_bond_0"]
    {
        let facts = reads(&format!("{NICS}{LEGEND}\n{legend}"));
        assert_eq!(nic_class(&facts, 0, "NIC0").as_deref(), Some("PIX"));
        assert_eq!(nic_class(&facts, 1, "NIC1").as_deref(), Some("PXB"));
        let names: Vec<_> = facts.nics.value().unwrap().iter().map(|nic| nic.name().to_owned()).collect();
        assert_eq!(names, ["mlx5_3", "mlx5_bond_0"], "{legend}");
        assert!(facts.damage.is_empty(), "{:?}", facts.damage);
    }
    assert_eq!(reads(NICS).nics.value().unwrap()[0].device, None);
}

#[test]
fn a_legend_that_is_cut_leaves_the_nics_unknown() {
    for legend in ["  NIC0: mlx5_3\n", "  NIC0: mlx5_3\n  NIC1:", "NIC0: a NIC1: b NIC2: c", "NIC0: a NIC0: b NIC1: c"]
    {
        let facts = reads(&format!("{NICS}{LEGEND}\nNIC Legend:\n{legend}"));
        assert_eq!(facts.nics.value(), None, "{legend}");
        assert_eq!(nic_class(&facts, 0, "NIC0").as_deref(), Some("PIX"));
    }
}

#[test]
fn a_header_that_names_devices_needs_no_legend() {
    let facts = reads("\tGPU0\tmlx5_0\tCPU Affinity\nGPU0\t X \tPHB\t0-7\nmlx5_0\tPHB\t X \t\n");
    let nics = facts.nics.value().unwrap();
    assert_eq!((nics[0].label.as_str(), nics[0].device.as_deref()), ("mlx5_0", Some("mlx5_0")));
    assert_eq!((nic_class(&facts, 0, "mlx5_0").as_deref(), facts.gpu_count.value()), (Some("PHB"), Some(&1)));
    assert!(facts.gpu_pairs.is_empty() && facts.damage.is_empty());
}

#[test]
fn a_nic_row_may_be_missing_and_may_not_disagree() {
    let without: String = NICS.lines().take(4).map(|line| format!("{line}\n")).collect();
    let facts = reads(&without);
    assert_eq!(nic_class(&facts, 1, "NIC1").as_deref(), Some("PXB"));
    assert_eq!(facts.damage[0].reason, "no rows for NIC1");
    let facts = reads(&NICS.replace("NIC1\tSYS\tPXB", "NIC1\tSYS\tPIX"));
    assert_eq!(nic_class(&facts, 1, "NIC1"), None);
    assert_eq!(nic_class(&facts, 0, "NIC1").as_deref(), Some("SYS"));
    assert!(facts.damage[0].reason.contains("GPU1's row says PXB, NIC1's row PIX"), "{:?}", facts.damage);
}

#[test]
fn a_matrix_that_ends_before_its_nic_rows_does_not_say_which_nics_there_are() {
    let rows = "\tGPU0\tGPU1\tmlx5_0\tmlx5_1\nGPU0\t X \tNV4\tPIX\tSYS\nGPU1\tNV4\t X \tPIX\tSYS\n";
    let first = "mlx5_0\tPIX\tPIX\t X \tSYS\n";
    let second = "mlx5_1\tSYS\tSYS\tSYS\t X \n";
    assert_eq!(reads(rows).nics.reason(), Some("mlx5_0's row is missing in nvidia-smi-topo-m.txt"));
    assert_eq!(reads(&format!("{rows}{first}")).nics.value(), None);
    assert_eq!(reads(&format!("{rows}{first}{second}")).nics.value().map(Vec::len), Some(2));
    // What the whole row of a GPU says is known all the same.
    assert_eq!(nic_class(&reads(rows), 1, "mlx5_0").as_deref(), Some("PIX"));
}

#[test]
fn both_cells_of_a_pair_must_be_there_and_agree() {
    let facts = reads("GPU0 GPU1 GPU2\nGPU0 X NV4 SYS\nGPU1 NV3 X PHB\n");
    assert_eq!((class(&facts, 0, 1), class(&facts, 0, 2), class(&facts, 1, 2)), (None, None, None));
    assert!(facts.pair(0, 1).unwrap().class.reason().unwrap().contains("GPU0's row says NV4, GPU1's row NV3"));
    assert!(facts.pair(0, 2).unwrap().class.reason().unwrap().contains("GPU2's row is missing"));
    assert_eq!(facts.gpu_count.value(), None);
}

#[test]
fn cut_and_glued_cells_refuse_their_row_alone() {
    for row in ["GPU2 SYS PI", "GPU2 SYSPHB X 0-7", "GPU2 SYS PHB 0-7", "GPU2", "GPU2\tSYS\t\tX"] {
        let facts = reads(&format!("GPU0 GPU1 GPU2 CPU Affinity\nGPU0 X NV4 SYS 0-7\nGPU1 NV4 X PHB 0-7\n{row}"));
        assert_eq!(class(&facts, 0, 1).as_deref(), Some("NV4"), "{row}");
        assert_eq!((class(&facts, 0, 2), class(&facts, 1, 2)), (None, None), "{row}");
        assert_eq!(facts.gpu_count.value(), None);
        assert_eq!((facts.damage.len(), facts.damage[0].line), (1, 4), "{row}");
    }
}

#[test]
fn a_last_line_without_an_end_is_believed_only_where_nothing_can_be_cut() {
    let facts = reads("GPU0 GPU1 CPU Affinity\nGPU0 X SYS 0-7\nGPU1 SYS X 8-1");
    assert_eq!((class(&facts, 0, 1).as_deref(), cpus(&facts, 1)), (Some("SYS"), None));
    let facts = reads("GPU0 NIC0\nGPU0 X NV1");
    assert_eq!(nic_class(&facts, 0, "NIC0"), None);
}

#[test]
fn a_row_that_the_header_lacks_shows_that_the_header_was_cut() {
    let facts = reads("GPU0 GPU1\nGPU0 X SYS\nGPU1 SYS X\nGPU2 SYS SYS\n");
    assert_eq!((facts.gpu_count.value(), facts.nics.value()), (None, None));
    assert_eq!(class(&facts, 0, 1).as_deref(), Some("SYS"));
}

#[test]
fn a_peer_to_peer_matrix_in_the_same_text_is_passed_over() {
    let p2p = "\n   GPU0 GPU1\n GPU0  X  NS\n GPU1  NS  X\n\n Legend:\n";
    let m = format!("   GPU0 GPU1\n GPU0 X NODE\n GPU1 NODE X\n{LEGEND}");
    for text in [format!("{m}{p2p}"), format!("{p2p}{m}")] {
        let facts = reads(&text);
        assert_eq!(class(&facts, 0, 1).as_deref(), Some("NODE"));
        assert!(facts.damage.is_empty(), "{:?}", facts.damage);
    }
}

#[test]
fn two_matrices_that_disagree_are_a_conflict() {
    let matrix = |class| format!("GPU0 GPU1\nGPU0 X {class}\nGPU1 {class} X\n\n");
    assert_eq!(class(&reads(&(matrix("NV4") + &matrix("NV4"))), 0, 1).as_deref(), Some("NV4"));
    assert_eq!(class(&reads(&(matrix("NV4") + &matrix("SYS"))), 0, 1), None);
    let many = reads(&matrix("NV4").repeat(9));
    assert_eq!((many.gpu_pairs.len(), many.damage.len()), (0, 1));
}

#[test]
fn a_message_in_place_of_the_matrix_is_quoted() {
    for (text, quote) in [
        ("NVIDIA-SMI has failed because it couldn't communicate with the driver.", "NVIDIA-SMI has failed"),
        ("$ nvidia-smi topo\nOption \"topo\" is not recognized.\n", "Option \"topo\""),
        ("", ""),
    ] {
        let facts = reads(text);
        assert!(facts.damage[0].quote.starts_with(quote));
        assert_eq!((facts.damage.len(), facts.gpus.len(), facts.vendor.value()), (1, 0, None));
        assert!(facts.nics.reason().unwrap().contains("holds no topology matrix"));
    }
    let facts = reads("Unable to determine the device handle for GPU0000:07:00.0: Unknown Error\n");
    assert_eq!(facts.lost_gpus[0].pci_address, "0000:07:00.0");
}

/// A whole matrix of three GPUs and two NICs, cell by cell.
fn matrix(separator: &str) -> Vec<Vec<String>> {
    let classes = [
        ["X", "NV4", "SYS", "PIX", "NODE"],
        ["NV4", "X", "PHB", "PXB", "SYS"],
        ["SYS", "PHB", "X", "SYS", "PIX"],
        ["PIX", "PXB", "SYS", "X", "SYS"],
        ["NODE", "SYS", "PIX", "SYS", "X"],
    ];
    let names = ["GPU0", "GPU1", "GPU2", "NIC0", "NIC1"];
    let mut rows = vec![[&[""], &names[..], &["CPU Affinity", "NUMA Affinity"]].concat()];
    for (name, row) in names.iter().zip(&classes) {
        let affinity: &[&str] = if name.starts_with("GPU") { &["0-7", "0"] } else { &[] };
        rows.push([&[*name], &row[..], affinity].concat());
    }
    let keep = |cell: &str| !(cell.is_empty() && separator == " ");
    rows.into_iter().map(|row| row.into_iter().filter(|cell| keep(cell)).map(str::to_owned).collect()).collect()
}

fn joined(rows: &[Vec<String>], separator: &str) -> String {
    rows.iter().map(|row| row.join(separator) + "\n").collect()
}

/// What a damaged text still says is what the whole one said.
fn says_nothing_else(damaged: &Facts, whole: &Facts) -> Result<(), TestCaseError> {
    for pair in &damaged.gpu_pairs {
        if let Some(class) = pair.class.value() {
            prop_assert_eq!(Some(class), whole.pair(pair.a, pair.b).and_then(|pair| pair.class.value()));
        }
    }
    for pair in &damaged.gpu_nics {
        if let Some(class) = pair.class.value() {
            prop_assert_eq!(Some(class.to_string()), nic_class(whole, pair.gpu, &pair.nic));
        }
    }
    for gpu in &damaged.gpus {
        let same = whole.gpu(gpu.index);
        for (list, all) in [(&gpu.cpus, same.map(|gpu| &gpu.cpus)), (&gpu.numa_nodes, same.map(|gpu| &gpu.numa_nodes))]
        {
            if let Some(list) = list.value() {
                prop_assert_eq!(Some(list), all.and_then(Fact::value));
            }
        }
    }
    prop_assert!(damaged.gpu_count.value().is_none_or(|count| *count == 3));
    Ok(())
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        reads(&text);
    }

    #[test]
    fn near_texts_are_survived(text in "([ \t]|GPU[0-2]|NIC[01]:?|X|NV4|PIX|\n|Legend:|CPU Affinity|\u{1b}\\[4m){0,80}") {
        reads(&text);
    }

    #[test]
    fn a_lost_cell_changes_no_class(row in 0usize..6, cell in 0usize..8, tab in any::<bool>()) {
        let separator = if tab { "\t" } else { " " };
        let (whole, mut rows) = (matrix(separator), matrix(separator));
        if cell < rows[row].len() {
            rows[row].remove(cell);
        }
        says_nothing_else(&reads(&joined(&rows, separator)), &reads(&joined(&whole, separator)))?;
    }

    #[test]
    fn glued_cells_change_no_class(row in 0usize..6, cell in 0usize..6, tab in any::<bool>()) {
        let separator = if tab { "\t" } else { " " };
        let (whole, mut rows) = (matrix(separator), matrix(separator));
        if cell + 1 < rows[row].len() {
            let next = rows[row].remove(cell + 1);
            rows[row][cell].push_str(&next);
        }
        says_nothing_else(&reads(&joined(&rows, separator)), &reads(&joined(&whole, separator)))?;
    }

    #[test]
    fn a_lost_row_or_end_changes_no_class(row in 0usize..6, cut in 0usize..400, tab in any::<bool>()) {
        let separator = if tab { "\t" } else { " " };
        let (whole, mut rows) = (matrix(separator), matrix(separator));
        let text = joined(&whole, separator);
        let facts = reads(&text);
        says_nothing_else(&reads(&text[..cut.min(text.len())]), &facts)?;
        rows.remove(row);
        says_nothing_else(&reads(&joined(&rows, separator)), &facts)?;
    }
}
