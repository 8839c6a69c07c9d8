//! `report.html`: the report that is opened first and sent to a vendor. One file that needs no network and no script:
//! everything folds by the browser's own means, and the one script only adds a filter.
//!
//! Text gets into the page through one writer, which escapes it; there is no other way in. The page is well-formed XML
//! too, so that the tests can parse it.

mod case;
mod cases;
mod chart;
mod engine;
mod findings;
mod index;
mod inputs;
mod links;
mod machine;
mod marks;
mod overview;
mod page;
mod ports;
mod reasons;
mod sections;
mod table;
mod visible;
mod writer;

pub use page::render;
use writer::Html;
