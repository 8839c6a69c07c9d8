//! Rows that log lines and terminals have cut.

use super::*;

const LOG: &str = "gpu-07:4021:4021 [0] NCCL INFO AllReduce: 1000000 Bytes -> Algo RING proto SIMPLE";
const WARN: &str = "[2026-01-02 03:04:05] gpu-07:4021:4021 [0] init.cc:12 NCCL WARN something is odd";

/// A table whose first row is given as lines.
fn table(row: &[String]) -> Measurement {
    let lines = [&[LOG.to_owned(), HEADER.to_owned()][..], row, &[SECOND.to_owned(), END.to_owned()]].concat();
    read(&lines.join("\n"))
}

#[test]
fn log_lines_between_rows_are_passed_over() {
    let read = table(&[LOG.to_owned(), FIRST.to_owned(), WARN.to_owned(), String::new(), LOG.to_owned()]);
    assert_eq!((all_busbw(&read), read.damage), (BOTH.to_vec(), vec![]));
}

#[test]
fn a_log_line_in_a_row_is_taken_out() {
    for at in 1..FIRST.len() {
        let (begin, rest) = FIRST.split_at(at);
        for log in [LOG, WARN] {
            let read = table(&[format!("{begin}{log}"), LOG.to_owned(), rest.to_owned()]);
            assert_eq!((all_busbw(&read), damaged(&read)), (BOTH.to_vec(), vec![]), "{begin:?}");
            assert_eq!(read.rows[0].line, if begin.trim().is_empty() { 5 } else { 3 });
        }
    }
    let whole = table(&[format!("{FIRST}{LOG}")]);
    assert_eq!((all_busbw(&whole), whole.damage), (BOTH.to_vec(), vec![]));
}

#[test]
fn two_log_lines_in_a_row_are_taken_out() {
    let (begin, rest) = FIRST.split_at(50);
    let (middle, end) = rest.split_at(30);
    let read = table(&[format!("{begin}{LOG}"), format!("{middle}{LOG}"), LOG.to_owned(), end.to_owned()]);
    assert_eq!((all_busbw(&read), read.damage), (BOTH.to_vec(), vec![]));
}

#[test]
fn an_unknown_host_is_told_from_a_number_only_where_one_way_fits() {
    let with = |begin: &str, host: &str| {
        let rest = FIRST.strip_prefix(begin).unwrap();
        read_lines(&[HEADER, &format!("{begin}{host}:9:9 [0] NCCL INFO x"), rest, SECOND, END])
    };
    // The root can only be -1, whatever the host's name is.
    let root = with("     1000000        250000     float     sum      -1", "vm");
    assert_eq!((all_busbw(&root), root.damage), (BOTH.to_vec(), vec![]));
    // A time of 100.00 and a host `vm`, or 100.0 and a host `0vm`.
    let time = with("     1000000        250000     float     sum      -1   100.00", "vm");
    assert_eq!((all_busbw(&time), damaged(&time)), (BOTH[1..].to_vec(), vec![2, 3]));
}

#[test]
fn a_wrapped_row_is_put_together() {
    for width in [40, 57, 80, 100] {
        let wrap = |line: &str| format!("{}\n{}", &line[..width], &line[width..]);
        let read = read(&format!("{HEADER}\n{}\n{}\n{END}", wrap(FIRST), wrap(SECOND)));
        assert_eq!((all_busbw(&read), read.damage), (BOTH.to_vec(), vec![]), "{width}");
    }
}

#[test]
fn a_wrapped_header_is_put_together() {
    for width in [72, 80, 84, 100] {
        let wrap = |line: &str| format!("{}\n{}", &line[..width], &line[width..]);
        let read = read(&format!("{LABEL}\n{}\n{}\n{}\n{END}", wrap(HEADER), wrap(FIRST), wrap(SECOND)));
        assert_eq!((all_busbw(&read), read.rows_doubt, read.damage), (BOTH.to_vec(), None, vec![]), "{width}");
    }
}

#[test]
fn halves_that_make_no_row_are_damage() {
    let (begin, rest) = FIRST.split_at(60);
    let tail = read_lines(&[HEADER, rest, SECOND, END]);
    assert_eq!((all_busbw(&tail), damaged(&tail)), (BOTH[1..].to_vec(), vec![2]));
    let head = read_lines(&[HEADER, begin, SECOND, END]);
    assert_eq!((all_busbw(&head), damaged(&head)), (BOTH[1..].to_vec(), vec![2]));
    let other = read_lines(&[HEADER, begin, &SECOND[70..], END]);
    assert_eq!((other.rows.len(), damaged(&other)), (0, vec![2, 3]));
    // The first row's beginning with the second row's end: algbw is not size over time.
    let mixed = read_lines(&[HEADER, &FIRST[..50], &SECOND[50..], END]);
    assert_eq!((mixed.rows.len(), damaged(&mixed)), (0, vec![2, 3]));
    let labels = read_lines(&[HEADER, &format!("0: {begin}"), &format!("1: {rest}"), END]);
    assert_eq!((labels.rows.len(), damaged(&labels)), (0, vec![2, 3]));
}

#[test]
fn a_row_cut_in_its_size_gives_no_smaller_size() {
    let zero = "16 2 float sum -1 12.0 0.00 0.00 0 11.0 0.00 0.00 0";
    // 16 cut into 1 and 6, and the figures are too small to tell a row of 16 bytes from one of 6.
    let read = read_lines(&[HEADER, "1", &zero[1..], END]);
    assert_eq!((read.rows.len(), damaged(&read)), (0, vec![2, 3]));
    let told = read_lines(&[HEADER, "     1", &FIRST.trim_start()[1..], END]);
    assert_eq!((all_busbw(&told), damaged(&told)), (BOTH[..1].to_vec(), vec![]));
}
