//! The parser of templates, as lenient as that of kubectl.

use serde_json::Value;

use super::filter::parts;
use super::number::literal;
use super::quoted::unquoted;
use super::{Node, Slice, TemplateError};

/// Maximum depth of nested filters and unions.
const MOST_NESTED: usize = 50;

/// The parts of a template.
pub(super) fn parse(text: &str) -> Result<Vec<Node>, TemplateError> {
    Parser::new(text, 0)?.template()
}

struct Parser<'t> {
    text: &'t str,
    /// The current position, in bytes.
    at: usize,
    nested: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, nested: usize) -> Result<Self, TemplateError> {
        if nested > MOST_NESTED {
            return Err(TemplateError::new(format!(
                "filters are nested deeper than {MOST_NESTED} levels"
            )));
        }
        Ok(Parser {
            text,
            at: 0,
            nested,
        })
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn skip(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Parses alternating text and actions.
    fn template(mut self) -> Result<Vec<Node>, TemplateError> {
        let mut nodes = Vec::new();
        loop {
            let rest = self.rest();
            let end = rest.find('{').unwrap_or(rest.len());
            if end > 0 {
                nodes.push(Node::Literal(Value::from(&rest[..end])));
            }
            self.at += end;
            if !self.skip("{") {
                return Ok(nodes);
            }
            nodes.push(Node::List(self.action()?));
        }
    }

    /// Parses an action, up to and including the closing brace.
    fn action(&mut self) -> Result<Vec<Node>, TemplateError> {
        let mut nodes = Vec::new();
        loop {
            if self.skip("}") {
                return Ok(nodes);
            }
            if self.skip("[?(") {
                nodes.push(self.filter()?);
                continue;
            }
            if self.skip("..") {
                if nodes.last() == Some(&Node::Recursive) {
                    return Err(TemplateError::new("invalid multiple recursive descent"));
                }
                nodes.push(Node::Recursive);
                if self.peek().is_some_and(is_alphanumeric) {
                    nodes.push(self.field());
                }
                continue;
            }
            let start = self.at;
            match self.next() {
                None | Some('\r' | '\n') => return Err(TemplateError::new("unclosed action")),
                Some(' ' | '@' | '$') => {}
                Some('[') => self.array(start, &mut nodes)?,
                Some(quote @ ('"' | '\'')) => nodes.push(self.quote(start, quote)?),
                Some('.') => nodes.push(self.field()),
                Some(first) if first == '+' || first == '-' || first.is_numeric() => {
                    let is_part = |next: char| next == '.' || next.is_numeric();
                    while self.peek().is_some_and(is_part) {
                        self.next();
                    }
                    nodes.push(Node::Literal(literal(&self.text[start..self.at])?));
                }
                Some(first) if is_alphanumeric(first) => nodes.push(self.identifier(start)?),
                Some(other) => {
                    return Err(TemplateError::new(format!(
                        "unrecognized character in action: {other:?}"
                    )));
                }
            }
        }
    }

    fn identifier(&mut self, start: usize) -> Result<Node, TemplateError> {
        while self.peek().is_some_and(|next| !is_terminator(next)) {
            self.next();
        }
        match &self.text[start..self.at] {
            "true" => Ok(Node::Literal(Value::Bool(true))),
            "false" => Ok(Node::Literal(Value::Bool(false))),
            "range" => Ok(Node::Range),
            "end" => Ok(Node::End),
            other => Err(TemplateError::new(format!(
                "unrecognized identifier {other}"
            ))),
        }
    }

    /// Parses a member after its dot.
    fn field(&mut self) -> Node {
        let start = self.at;
        while let Some(next) = self.peek() {
            if next == '\\' {
                self.next();
                self.next();
            } else if is_terminator(next) {
                break;
            } else {
                self.next();
            }
        }
        match &self.text[start..self.at] {
            "*" => Node::Wildcard,
            name => Node::Field(name.replace('\\', "")),
        }
    }

    fn quote(&mut self, start: usize, quote: char) -> Result<Node, TemplateError> {
        loop {
            match self.next() {
                None | Some('\n') => return Err(TemplateError::new("unterminated quoted string")),
                Some(next) if next == quote && !self.is_escaped() => break,
                Some(_) => {}
            }
        }
        let text = unquoted(&self.text[start..self.at])?;
        Ok(Node::Literal(Value::from(text)))
    }

    /// Reports whether the last quote is escaped.
    fn is_escaped(&self) -> bool {
        self.text[..self.at - 1].ends_with('\\')
    }

    /// Parses an index, a slice, a quoted name or several of them after the opening bracket.
    fn array(&mut self, start: usize, nodes: &mut Vec<Node>) -> Result<(), TemplateError> {
        loop {
            match self.next() {
                None | Some('\n') => return Err(TemplateError::new("unterminated array")),
                Some(']') => break,
                Some(_) => {}
            }
        }
        let text = match &self.text[start + 1..self.at - 1] {
            "*" => ":",
            text => text,
        };
        if text.contains(',') {
            let parts = text.split(',').map(|part| {
                let part = part.trim_matches(' ');
                self.inner(&format!("[{part}]"))
            });
            nodes.push(Node::Union(parts.collect::<Result<_, _>>()?));
            return Ok(());
        }
        let quoted = text
            .strip_prefix('\'')
            .and_then(|text| text.strip_suffix('\''));
        if let Some(name) = quoted.filter(|name| !name.contains('\'')) {
            nodes.extend(self.inner(&format!(".{name}"))?);
            return Ok(());
        }
        nodes.push(Node::Slice(slice(text)?));
        Ok(())
    }

    /// Parses a condition after its opening.
    fn filter(&mut self) -> Result<Node, TemplateError> {
        let start = self.at;
        let (mut pair, mut closed) = (None, false);
        loop {
            match self.next() {
                None | Some('\n') => return Err(TemplateError::new("unterminated filter")),
                Some(quote @ ('"' | '\'')) => match pair {
                    None => pair = Some(quote),
                    Some(pair) if pair == quote && !self.is_escaped() => closed = true,
                    Some(_) => {}
                },
                Some(')') if pair.is_some() == closed => break,
                Some(_) => {}
            }
        }
        let text = &self.text[start..self.at - 1];
        if self.next() != Some(']') {
            return Err(TemplateError::new("unclosed array expect ]"));
        }
        Ok(match parts(text) {
            Some((left, operator, right)) => Node::Filter {
                left: self.inner(left)?,
                operator: operator.to_owned(),
                right: self.inner(right)?,
            },
            None => Node::Filter {
                left: self.inner(text)?,
                operator: "exists".to_owned(),
                right: Vec::new(),
            },
        })
    }

    /// Parses text as the content of braces. Text after an unbalanced closing brace is parsed and dropped.
    fn inner(&self, text: &str) -> Result<Vec<Node>, TemplateError> {
        let nodes = Parser::new(&format!("{{{text}}}"), self.nested + 1)?.template()?;
        Ok(match nodes.into_iter().next() {
            Some(Node::List(nodes)) => nodes,
            _ => Vec::new(),
        })
    }
}

/// `3`, `-1`, `1:3`, `:`, `::2`.
fn slice(text: &str) -> Result<Slice, TemplateError> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_index = |part: &str| {
        let digits = part.strip_prefix('-').unwrap_or(part);
        digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if parts.len() > 3 || !parts.iter().all(|part| is_index(part)) {
        return Err(TemplateError::new(format!("invalid array index {text}")));
    }
    let number = |at: usize| -> Result<Option<i64>, TemplateError> {
        match parts.get(at) {
            None | Some(&"") => Ok(None),
            Some(part) => part
                .parse()
                .map(Some)
                .map_err(|_| TemplateError::new(format!("array index {part} is not a number"))),
        }
    };
    let from = number(0)?;
    let single = parts.len() == 1;
    Ok(Slice {
        from,
        to: if single {
            Some(from.unwrap_or(0).saturating_add(1))
        } else {
            number(1)?
        },
        single,
        step: number(2)?,
    })
}

fn is_alphanumeric(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

fn is_terminator(character: char) -> bool {
    matches!(
        character,
        ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}'
    )
}
