//! What of a file a mutant changes the whole of: cargo-mutants tells the operator, and the switch goes around its expression.

use std::collections::BTreeMap;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, Expr, ExprBinary, ExprConst, ExprMatch, ExprRepeat, ExprStruct, ExprUnary, Pat};
use syn::{ImplItemConst, ImplItemFn, ItemConst, ItemFn, ItemStatic, TypeArray};

use crate::text::{Place, places};

#[derive(Debug, Default)]
pub struct Sites {
    /// The expressions, by where their operator or their field begins.
    pub expressions: BTreeMap<Place, Range<Place>>,
    /// The arms of matches, by where they begin.
    pub arms: BTreeMap<Place, ArmSite>,
    /// What is computed while compiling, where no switch can be read.
    constant: Vec<Range<Place>>,
}

#[derive(Debug)]
pub struct ArmSite {
    pub guard: Option<Range<Place>>,
    pub arrow: Place,
}

impl Sites {
    pub fn of(source: &str) -> syn::Result<Self> {
        let file = syn::parse_file(source)?;
        let mut sites = Sites::default();
        sites.visit_file(&file);
        Ok(sites)
    }

    pub fn is_constant(&self, code: &Range<Place>) -> bool {
        let holds = |range: &Range<Place>| range.start <= code.start && code.end <= range.end;
        self.constant.iter().any(holds)
    }
}

/// Whether this is a chain with a `let`, which can only stand where it stands.
fn has_let(expression: &ExprBinary) -> bool {
    [&expression.left, &expression.right]
        .into_iter()
        .any(|side| match &**side {
            Expr::Let(_) => true,
            Expr::Binary(binary) => has_let(binary),
            _ => false,
        })
}

impl<'ast> Visit<'ast> for Sites {
    fn visit_expr_binary(&mut self, expression: &'ast ExprBinary) {
        if !has_let(expression) {
            let operator = places(expression.op.span()).start;
            self.expressions.insert(operator, places(expression.span()));
        }
        visit::visit_expr_binary(self, expression);
    }

    fn visit_expr_unary(&mut self, expression: &'ast ExprUnary) {
        let operator = places(expression.op.span()).start;
        self.expressions.insert(operator, places(expression.span()));
        visit::visit_expr_unary(self, expression);
    }

    fn visit_expr_struct(&mut self, expression: &'ast ExprStruct) {
        for field in &expression.fields {
            self.expressions
                .insert(places(field.span()).start, places(expression.span()));
        }
        visit::visit_expr_struct(self, expression);
    }

    fn visit_expr_match(&mut self, expression: &'ast ExprMatch) {
        // Where the wildcard itself has a condition, no arm can go.
        let takes_all = |arm: &Arm| arm.guard.is_none() && matches!(arm.pat, Pat::Wild(_));
        if expression.arms.iter().any(takes_all) {
            for arm in &expression.arms {
                let site = ArmSite {
                    guard: arm.guard.as_ref().map(|(_, guard)| places(guard.span())),
                    arrow: places(arm.fat_arrow_token.span()).start,
                };
                self.arms.insert(places(arm.span()).start, site);
            }
        }
        visit::visit_expr_match(self, expression);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if item.sig.constness.is_some() {
            self.constant.push(places(item.span()));
        }
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if item.sig.constness.is_some() {
            self.constant.push(places(item.span()));
        }
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        self.constant.push(places(item.span()));
    }

    fn visit_impl_item_const(&mut self, item: &'ast ImplItemConst) {
        self.constant.push(places(item.span()));
    }

    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        self.constant.push(places(item.span()));
    }

    fn visit_expr_const(&mut self, block: &'ast ExprConst) {
        self.constant.push(places(block.span()));
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast ExprRepeat) {
        self.constant.push(places(repeat.len.span()));
        visit::visit_expr(self, &repeat.expr);
    }

    fn visit_type_array(&mut self, array: &'ast TypeArray) {
        self.constant.push(places(array.len.span()));
    }
}
