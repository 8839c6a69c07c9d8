//! From the command line's positionals to suites and plans.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use anyhow::{Result, anyhow, bail};

use super::{
    arguments::{CaseArguments, VERBS},
    operator::parameters,
};
use crate::{
    plan::{IgnoredTests, Plan, Selection, plan},
    spec::{Explained, Loaded, Suite, load},
};

/// A suite that was loaded, and what to tell of it.
pub(super) struct LoadedSuite {
    /// The suite.
    pub(super) suite: Arc<Suite>,
    /// Lint.
    pub(super) warnings: Vec<String>,
    /// Every value and where it is from.
    pub(super) values: Vec<Explained>,
}

/// Splits positionals into specs and filters: a spec ends in .yaml, .yml or .json, or is a built-in `pack:NAME`.
pub(super) fn split(positionals: &[String]) -> (Vec<&str>, Vec<String>) {
    let is_spec = |text: &&String| {
        let ending = Path::new(text.as_str()).extension().and_then(|ending| ending.to_str());
        text.starts_with("pack:") || matches!(ending, Some("yaml" | "yml" | "json"))
    };
    let specs = positionals.iter().filter(is_spec).map(String::as_str).collect();
    let filters = positionals.iter().filter(|text| !is_spec(text)).cloned().collect();
    (specs, filters)
}

/// Loads every spec; all that are wrong are shown, not only the first.
pub(super) fn load_suites(arguments: &CaseArguments) -> Result<Vec<LoadedSuite>> {
    let (specs, filters) = split(&arguments.positionals);
    if specs.is_empty() {
        let verb = filters.first().filter(|filter| VERBS.contains(&filter.as_str()));
        let hint = verb.map_or_else(String::new, |verb| format!("; a verb goes first: linkspec {verb} ..."));
        if let Some(folder) = filters.iter().find(|filter| Path::new(filter).is_dir()) {
            bail!("no spec is named: {folder} is a folder; name a spec file in it");
        }
        bail!("no spec is named: a spec ends in .yaml, .yml or .json{hint}");
    }
    let parameters = parameters(&arguments.param)?;
    let color = arguments.color.on(&std::io::stderr());
    let (mut suites, mut errors) = (Vec::new(), Vec::new());
    for spec in specs {
        match load(Path::new(spec), &parameters) {
            Ok(Loaded { suite: Some(suite), warnings, values }) => {
                let warnings = warnings.iter().map(ToString::to_string).collect();
                suites.push(LoadedSuite { suite, warnings, values });
            }
            Ok(Loaded { suite: None, .. }) => errors.push(format!(
                "error: {spec}: this is a fragment, made to be included: it has no `suite`\n  help: name a suite that includes it, or read it with `linkspec check`"
            )),
            Err(error) => errors.push(error.render(color)),
        }
    }
    if !errors.is_empty() {
        return Err(anyhow!(Shown(errors.join("\n"))));
    }
    unique_names(&suites)?;
    Ok(suites)
}

/// Text that is shown as it stands.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Shown(pub(super) String);

/// Each suite gets a folder of results by its name, so the names must differ.
fn unique_names(suites: &[LoadedSuite]) -> Result<()> {
    let mut files: BTreeMap<&str, &str> = BTreeMap::new();
    for LoadedSuite { suite, .. } in suites {
        if let Some(earlier) = files.insert(&suite.name, &suite.file) {
            bail!("{earlier} and {} are both suite {:?}: results would share a folder", suite.file, suite.name);
        }
    }
    Ok(())
}

/// The selection that the command line asks for.
pub(super) fn selection(arguments: &CaseArguments) -> Selection {
    let ignored = match (arguments.ignored, arguments.include_ignored) {
        (true, _) => IgnoredTests::Only,
        (false, true) => IgnoredTests::Run,
        (false, false) => IgnoredTests::Shown,
    };
    Selection {
        filters: split(&arguments.positionals).1,
        exact: arguments.exact,
        skip: arguments.skip.clone(),
        level: arguments.level,
        tags: arguments.tag.clone(),
        ignored,
    }
}

/// The plan of a suite.
pub(super) fn plan_suite(suite: &Arc<Suite>, arguments: &CaseArguments) -> Result<Plan> {
    plan(suite, &selection(arguments)).map_err(|error| match error {
        crate::plan::PlanError::Spec(errors) => {
            anyhow!(Shown(crate::spec::render(&errors, arguments.color.on(&std::io::stderr()))))
        }
        other => anyhow!("{}: {other}", suite.file),
    })
}
