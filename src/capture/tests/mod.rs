mod every_field;
mod texts;
mod verdicts;
