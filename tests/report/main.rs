//! Every report of records built by hand, compared whole with files, and read back.

#[cfg(test)]
mod engine;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod html;
#[cfg(test)]
mod machine;
#[cfg(test)]
mod measured;
#[cfg(test)]
mod records;
