//! Tables that somebody or something has damaged.

use super::*;

#[test]
fn a_figure_that_is_no_number_loses_its_row() {
    for bad in ["nan", "inf", "-nan", "10.0.0", "1O.00"] {
        let row = FIRST.replacen("10.00", bad, 1);
        let read = read_lines(&[HEADER, &row, SECOND, END]);
        assert_eq!((all_busbw(&read), damaged(&read)), (BOTH[1..].to_vec(), vec![2]), "{bad}");
    }
}

#[test]
fn a_field_that_is_gone_or_glued_loses_its_row() {
    let fields: Vec<&str> = FIRST.split_whitespace().collect();
    for gone in 0..fields.len() {
        let row = [&fields[..gone], &fields[gone + 1..]].concat().join("  ");
        let read = read_lines(&[HEADER, &row, SECOND, END]);
        // Without its reduction or its root a row is as old outputs print it; its figures stay in their places.
        let right = if matches!(gone, 3 | 4) { &BOTH[..] } else { &BOTH[1..] };
        assert_eq!(all_busbw(&read), right, "{row}");
    }
    let glued = read_lines(&[HEADER, &format!("{FIRST}{SECOND}"), SECOND, END]);
    assert_eq!((all_busbw(&glued), damaged(&glued)), (BOTH[1..].to_vec(), vec![2]));
}

#[test]
fn a_footer_glued_to_a_row_is_no_footer() {
    let read = read_lines(&[HEADER, FIRST, &format!("{SECOND}{END}")]);
    assert_eq!((all_busbw(&read), damaged(&read)), (BOTH[..1].to_vec(), vec![3]));
    assert!(read.unfinished.is_some());
}

#[test]
fn rows_left_out_are_noted_once() {
    for dots in ["...", "[...]", "# ...", "…"] {
        let read = read_lines(&[HEADER, FIRST, dots, SECOND, END]);
        assert_eq!((all_busbw(&read), damaged(&read)), (BOTH.to_vec(), vec![3]), "{dots}");
    }
}

#[test]
fn a_damaged_header_is_as_none() {
    let read = read_lines(&[LABEL, &HEADER[..100], FIRST, SECOND, END]);
    assert_eq!((all_busbw(&read), damaged(&read)), (BOTH.to_vec(), vec![2]));
    assert_eq!(read.rows_doubt.as_deref(), Some("the header row of the table is missing"));
}

#[test]
fn rows_after_the_footer_are_of_another_table() {
    let read = read_lines(&[HEADER, FIRST, END, SECOND]);
    assert_eq!(all_busbw(&read), BOTH);
    assert_eq!(read.rows_doubt.as_deref(), Some("the header row of the table is missing; there are 2 tables in it"));
    assert_eq!(read.unfinished.as_deref(), Some("1 of its tables have no `# Out of bounds values` line"));
}

#[test]
fn talk_in_a_table_is_no_damage() {
    let read = read_lines(&[HEADER, FIRST, "libibverbs: Warning: no driver", "rc=0", "$ ls", SECOND, END, "rc=0"]);
    assert_eq!((all_busbw(&read), read.damage), (BOTH.to_vec(), vec![]));
}

#[test]
fn other_tools_give_nothing() {
    let text = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n 65536      1000           92.42              92.40         0.176";
    let mut reader = NcclTestsReader::new("t.txt");
    text.lines().for_each(|line| reader.line(line));
    assert!(!reader.saw_anything());
    assert_eq!(reader.finish().damage, []);
}

#[test]
fn damage_is_kept_up_to_a_limit() {
    let bad = FIRST.replacen("10.00", "nan", 1);
    let read = read(&format!("{HEADER}\n{}", format!("{bad}\n").repeat(1000)));
    assert_eq!(read.damage.len(), 101);
    assert_eq!(read.damage[100].reason, "900 more damaged lines");
}
