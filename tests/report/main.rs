//! Every report of records built by hand, compared whole with files, and read back.

mod golden;
mod hostile;
mod machine;
mod records;
