//! The fields of a plan in JSON, read with their paths.

use serde_json::Value;
use thiserror::Error;

/// Why something is not a plan that can be held against the world.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct WrongPlan {
    /// The field that is wrong, such as `steps[3].at`; empty for the whole.
    pub path: String,
    /// What is wrong, and what to do.
    pub problem: String,
}

/// A value with its path.
pub(super) struct Field<'v> {
    pub(super) value: &'v Value,
    pub(super) path: String,
}

impl<'v> Field<'v> {
    pub(super) fn root(value: &'v Value) -> Self {
        Field {
            value,
            path: String::new(),
        }
    }

    pub(super) fn wrong(&self, problem: String) -> WrongPlan {
        WrongPlan {
            path: self.path.clone(),
            problem,
        }
    }

    pub(super) fn is_not(&self, what: &str) -> WrongPlan {
        self.wrong(format!("the plan is broken: {} is not {what}", self.path))
    }

    pub(super) fn child(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    pub(super) fn get(&self, name: &str) -> Result<Field<'v>, WrongPlan> {
        let path = self.child(name);
        match self.value.get(name) {
            Some(value) => Ok(Field { value, path }),
            None => Err(self.wrong(format!("the plan is broken: {path} is missing"))),
        }
    }

    pub(super) fn as_text(&self) -> Result<&'v str, WrongPlan> {
        self.value.as_str().ok_or_else(|| self.is_not("a text"))
    }

    pub(super) fn text(&self, name: &str) -> Result<&'v str, WrongPlan> {
        self.get(name)?.as_text()
    }

    /// A text; empty when it is missing.
    pub(super) fn optional_text(&self, name: &str) -> Result<String, WrongPlan> {
        match self.value.get(name) {
            None => Ok(String::new()),
            Some(_) => self.text(name).map(str::to_owned),
        }
    }

    pub(super) fn integer(&self, name: &str) -> Result<i64, WrongPlan> {
        let field = self.get(name)?;
        let number = field.value.as_i64();
        number.ok_or_else(|| field.is_not("a whole number"))
    }

    pub(super) fn optional_integer(&self, name: &str) -> Result<Option<i64>, WrongPlan> {
        match self.value.get(name) {
            None => Ok(None),
            Some(_) => self.integer(name).map(Some),
        }
    }

    pub(super) fn boolean(&self, name: &str) -> Result<bool, WrongPlan> {
        let field = self.get(name)?;
        field
            .value
            .as_bool()
            .ok_or_else(|| field.wrong(format!("{} is neither true nor false", field.path)))
    }

    pub(super) fn list(&self, name: &str) -> Result<Vec<Field<'v>>, WrongPlan> {
        let field = self.get(name)?;
        let items = field
            .value
            .as_array()
            .ok_or_else(|| field.is_not("a list"))?;
        let item = |(index, value)| Field {
            value,
            path: format!("{}[{index}]", field.path),
        };
        Ok(items.iter().enumerate().map(item).collect())
    }
}
