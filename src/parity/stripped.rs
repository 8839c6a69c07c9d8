use serde_json::Value;

use crate::facts::is_kept_variable;

/// nccl-tests' figures without what its environment may give away: it writes all of it. `None` of what is no object.
pub fn stripped(json: &str) -> Option<String> {
    let mut document: Value = serde_json::from_str(json).ok()?;
    let environment = document.as_object_mut()?.get_mut("env");
    if let Some(environment) = environment {
        let is_kept = |variable: &Value| {
            let name = variable.as_str().and_then(|text| text.split_once('=')).map(|(name, _)| name);
            name.is_some_and(is_kept_variable)
        };
        match environment.as_array_mut() {
            Some(variables) => variables.retain(is_kept),
            None => *environment = Value::Null,
        }
    }
    serde_json::to_string_pretty(&document).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_the_environment_stay_out() {
        let text =
            stripped(r#"{"version": 3, "env": ["TOKEN=x", "NCCL_ALGO=Ring", 7, "odd"], "end_time": "t"}"#).unwrap();
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, serde_json::json!({"version": 3, "env": ["NCCL_ALGO=Ring"], "end_time": "t"}));
        let odd = stripped(r#"{"env": "TOKEN=x"}"#).unwrap();
        assert!(!odd.contains("TOKEN"), "{odd}");
    }

    #[test]
    fn what_is_no_object_is_not_kept() {
        assert_eq!(stripped(r#"["TOKEN=x"]"#), None);
        assert_eq!(stripped(r#"{"env": ["#), None);
    }
}
