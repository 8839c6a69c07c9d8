//! Tables of every generation and every launcher.

use super::*;

#[test]
fn a_whole_output() {
    let read = read(WHOLE);
    assert_eq!(all_busbw(&read), BOTH);
    assert_eq!(read.damage, []);
    assert_eq!((read.rows_doubt, read.ranks_doubt, read.unfinished), (None, None, None));
    let row = &read.rows[0];
    assert_eq!((row.source.as_str(), row.line, row.count), ("t.txt", 12, Some(250_000)));
    assert_eq!((row.datatype.as_deref(), row.redop.as_deref(), row.root), (Some("float"), Some("sum"), Some(-1)));
    let sample = row.in_place.unwrap();
    assert_eq!((sample.time.value, sample.algbw.value), (80.0, 12.5));
    assert!((sample.time.rounding - 0.005).abs() < 1e-9);
    assert_eq!(sample.wrong, Wrong::Elements(0));
}

#[test]
fn labels_of_launchers_and_codes_of_terminals_are_passed_over() {
    let with = |label: &str| WHOLE.lines().map(|line| format!("{label}{line}\n")).collect::<String>();
    let pdsh = WHOLE.lines().filter(|line| line.trim().len() > 1).map(|line| format!("gpu-07: {line}\n")).collect();
    for text in [with("0: "), with(" 3: "), with("[1,0]<stdout>:"), with("[0] "), pdsh, WHOLE.replace('\n', "\r\n")] {
        let read = read(&text);
        assert_eq!(all_busbw(&read), BOTH, "{text}");
        assert_eq!((read.whole_ranks(), read.damage, read.unfinished), (Some(2), vec![], None), "{text}");
    }
    let coloured = WHOLE.lines().map(|line| format!("\u{1b}[32m{line}\u{1b}[0m\n")).collect::<String>();
    let tabs = WHOLE.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join("\t") + "\n").collect();
    let collapsed = WHOLE.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect();
    for text in [coloured, tabs, collapsed] {
        assert_eq!(all_busbw(&read(&text)), BOTH, "{text}");
    }
    let middle = WHOLE.replace("     sum      -1", "     sum [0]      -1");
    assert_eq!(all_busbw(&read(&middle)), BOTH);
}

#[test]
fn the_old_format_has_a_deviation_and_no_root() {
    let read = read_lines(&[
        "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error",
        "     1000000        250000   float     sum    100.0   10.00   17.50  7e-07     80.0   12.50   21.88    N/A",
        END,
    ]);
    assert_eq!(all_busbw(&read), [(1_000_000, Some(17.5), Some(21.88))]);
    assert_eq!(wrongs(&read), [(Some(Wrong::Deviation(7e-7)), Some(Wrong::Unchecked))]);
    assert_eq!((read.rows[0].redop.as_deref(), read.rows[0].root), (Some("sum"), None));
}

#[test]
fn columns_that_are_not_there_or_empty() {
    let quads = "time algbw busbw #wrong time algbw busbw #wrong";
    for (header, fields, redop, root) in [
        ("type", "float", None, None),
        ("type root", "float 0", None, Some(0)),
        ("type redop root", "float", None, None),
        ("type redop root", "float -1", None, Some(-1)),
        ("type redop root", "float none 0", Some("none"), Some(0)),
    ] {
        let read = read_lines(&[
            &format!("# size count {header} {quads}"),
            &format!("1000000 250000 {fields} 100.0 10.00 17.50 0 80.0 12.50 21.88 3"),
            END,
        ]);
        assert_eq!(all_busbw(&read), [(1_000_000, Some(17.5), Some(21.88))], "{header}: {fields}");
        assert_eq!((read.rows[0].redop.as_deref(), read.rows[0].root), (redop, root), "{header}: {fields}");
        assert_eq!(wrongs(&read)[0].1, Some(Wrong::Elements(3)));
    }
}

#[test]
fn columns_of_each_iteration_and_of_the_time_of_day() {
    let read = read_lines(&[
        "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time algbw busbw #wrong i_min i_max i_p99 i_cv% timestamp",
        "1000000 250000 float sum -1 100.0 10.00 17.50 0 99.00 101.0 101.0 1.00 80.00 12.50 21.88 0 79.00 81.00 81.00 1.00 2026-01-02 03:04:05",
        END,
    ]);
    assert_eq!(all_busbw(&read), [(1_000_000, Some(17.5), Some(21.88))]);
    assert_eq!(read.damage, []);
}

#[test]
fn one_place_alone() {
    let header = "# size count type redop root time algbw busbw #wrong";
    let row = "1000000 250000 float sum -1 100.0 10.00 17.50 0";
    for (label, right) in
        [("# out-of-place", (1_000_000, Some(17.5), None)), ("# in-place", (1_000_000, None, Some(17.5)))]
    {
        let read = read_lines(&[label, header, "# (B) (elements)", row, END]);
        assert_eq!((all_busbw(&read), read.rows_doubt), (vec![right], None), "{label}");
    }
    assert!(read_lines(&[header, row, END]).rows_doubt.is_some());
}

#[test]
fn figures_that_are_not_available() {
    let read = read_lines(&[
        HEADER,
        "1000000 250000 float none -1 100.0 10.00 10.00 0 80.0 12.50 12.50 N/A",
        "2000000 500000 float none -1 100.0 20.00 20.00 0 N/A N/A N/A N/A",
        END,
    ]);
    assert_eq!(all_busbw(&read), [(1_000_000, Some(10.0), Some(12.5)), (2_000_000, Some(20.0), None)]);
    assert_eq!(wrongs(&read)[0], (Some(Wrong::Elements(0)), Some(Wrong::Unchecked)));
}

#[test]
fn sizes_of_zero_and_sizes_twice_are_kept() {
    let zero = "0 0 float sum -1 12.0 0.00 0.00 0 11.0 0.00 0.00 0";
    let read = read_lines(&[HEADER, zero, zero, FIRST, FIRST, END]);
    assert_eq!(read.rows.iter().map(|row| row.size).collect::<Vec<_>>(), [0, 0, 1_000_000, 1_000_000]);
    assert_eq!((read.damage, read.rows_doubt), (vec![], None));
}

#[test]
fn rows_without_a_header_are_read_with_doubt() {
    let read = read_lines(&["       0    80.00   12.50   12.50       0", FIRST, SECOND, END]);
    assert_eq!(all_busbw(&read), BOTH);
    assert_eq!(read.rows[0].line, 2);
    assert_eq!(read.rows_doubt.as_deref(), Some("the header row of the table is missing"));
    assert_eq!(damaged(&read), [1]);
}

#[test]
fn rows_without_a_header_that_do_not_fit_each_other_are_not_read() {
    let other = "     2000000        500000     float     sum      -1   125.00   16.00   32.00       0   100.00   20.00   40.00       0";
    let read = read_lines(&[FIRST, other, END]);
    assert_eq!((read.rows.len(), damaged(&read)), (0, vec![2]));
}

#[test]
fn a_header_alone_gives_no_rows() {
    let read = read_lines(&[LABEL, HEADER, END]);
    assert_eq!((read.rows.len(), read.damage, read.unfinished), (0, vec![], None));
}

#[test]
fn two_tables_are_doubtful() {
    let read = read(&WHOLE.repeat(2));
    assert_eq!(read.rows.len(), 4);
    assert_eq!((read.ranks.len(), read.whole_ranks()), (4, None));
    assert_eq!(read.rows_doubt.as_deref(), Some("there are 2 tables in it"));
    assert_eq!(read.unfinished, None);
}
