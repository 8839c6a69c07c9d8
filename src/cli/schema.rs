//! `linkspec schema`.

use std::io::Write;

use anyhow::Result;

use super::arguments::{Schema, SchemaArguments};
use crate::{
    facts::Facts,
    record::{RunRecord, exit},
    spec::spec_schema,
};

pub(super) fn schema(arguments: &SchemaArguments) -> Result<u8> {
    std::io::stdout().write_all(text(arguments.schema)?.as_bytes())?;
    Ok(exit::PASSED)
}

/// A schema as the file in `schemas/` holds it.
fn text(schema: Schema) -> Result<String> {
    let value = match schema {
        Schema::Spec => spec_schema(),
        Schema::Facts => serde_json::to_value(schemars::schema_for!(Facts))?,
        Schema::Run => serde_json::to_value(schemars::schema_for!(RunRecord))?,
    };
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}
