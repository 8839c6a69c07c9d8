//! The reference of the language as Markdown, made of the tables that the decoder reads by: `elements` finds the tables
//! and names them, `values` and `rules` put them into words, and `page` writes them down.

mod elements;
mod markdown;
mod page;
mod rules;
mod values;

pub use page::spec_reference;
