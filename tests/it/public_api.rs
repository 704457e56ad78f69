//! The public items of the crates for other projects. tests/golden/api has a line for each, so that a change of the API
//! is visible and intended (`UPDATE_GOLDEN=1 cargo test --test it public_api`). The list is read from the sources:
//! `pub` items and methods in public modules, or re-exported by name from private ones. Doubtful items are listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Fields, ImplItem, Item, TraitItem, UseTree, Visibility};

use crate::golden;
use crate::program;

/// Everything that a crate declares public.
#[derive(Default)]
struct Listing {
    /// The lines of each item and of its members and methods, by the path of its module and its name.
    items: BTreeMap<(String, String), Vec<String>>,
    /// The items in public modules.
    reachable: BTreeSet<(String, String)>,
    /// Names that a `pub use` exports, with the exporting modules.
    exported: BTreeMap<String, BTreeSet<String>>,
    /// Methods and traits, by the name of their type.
    implemented: BTreeMap<String, BTreeSet<String>>,
    /// Re-exports of other crates, and macro invocations, which may define anything.
    other: BTreeSet<String>,
}

/// The struct that the table of version differences declares.
struct Differences(syn::ItemStruct);

impl Parse for Differences {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(syn::Attribute::parse_outer)?;
        let name: syn::Ident = input.parse()?;
        let until_end = || {
            while !input.peek(syn::Token![;]) {
                input.step(|cursor| {
                    let next = cursor.token_tree().map(|(_, rest)| ((), rest));
                    next.ok_or_else(|| cursor.error("a table that ends without a semicolon"))
                })?;
            }
            input.parse::<syn::Token![;]>()
        };
        until_end()?;
        let mut fields = Vec::new();
        while !input.is_empty() {
            input.call(syn::Attribute::parse_outer)?;
            let field: syn::Ident = input.parse()?;
            input.parse::<syn::Token![:]>()?;
            let of: syn::Type = input.parse()?;
            fields.push(quote::quote!(pub #field: #of));
            until_end()?;
        }
        Ok(Differences(syn::parse_quote! {
            #[derive(Debug, Clone, PartialEq, Eq)] #(#attributes)* pub struct #name { #(#fields),* }
        }))
    }
}

/// Tokens, roughly as people write them.
fn text(tokens: &impl ToTokens) -> String {
    let spaced = tokens.to_token_stream().to_string();
    let mut text = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    for (from, to) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" : ", ": "),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        ("[ ", "["),
        (" ]", "]"),
        (" ;", ";"),
        (" ?", "?"),
    ] {
        text = text.replace(from, to);
    }
    text
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    let test = |it: &syn::Attribute| it.path().is_ident("cfg") && text(it).contains("test");
    attributes.iter().any(test)
}

/// The attributes that are part of the API.
fn attributes(attributes: &[syn::Attribute]) -> String {
    let kept = attributes.iter().filter(|it| {
        let counts = ["derive", "non_exhaustive", "repr", "deprecated"];
        counts.iter().any(|name| it.path().is_ident(name))
    });
    kept.map(|it| format!("{} ", text(it))).collect()
}

impl Listing {
    fn of(source: &Path) -> Listing {
        let mut listing = Listing::default();
        listing.file(&source.join("lib.rs"), source, "crate", true);
        listing
    }

    fn file(&mut self, file: &Path, folder: &Path, module: &str, public: bool) {
        let code = fs::read_to_string(file).unwrap();
        let parsed = syn::parse_file(&code).unwrap();
        self.items_of(&parsed.items, folder, module, public);
    }

    fn items_of(&mut self, items: &[Item], folder: &Path, module: &str, public: bool) {
        for item in items {
            self.item(item, folder, module, public);
        }
    }

    fn add(&mut self, module: &str, public: bool, name: &str, line: String) {
        let key = (module.to_owned(), name.to_owned());
        self.items.entry(key.clone()).or_default().push(line);
        if public {
            self.reachable.insert(key);
        }
    }

    fn item(&mut self, item: &Item, folder: &Path, module: &str, public: bool) {
        match item {
            Item::Mod(it) if !is_test(&it.attrs) => {
                let name = it.ident.to_string();
                let (inner, public) = (format!("{module}::{name}"), public && is_public(&it.vis));
                let folder = folder.join(&name);
                match &it.content {
                    Some((_, items)) => self.items_of(items, &folder, &inner, public),
                    None => {
                        let plain = folder.with_extension("rs");
                        let file = match plain.exists() {
                            true => plain,
                            false => folder.join("mod.rs"),
                        };
                        self.file(&file, &folder, &inner, public);
                    }
                }
            }
            Item::Use(it) if is_public(&it.vis) => self.exports(&it.tree, &[], module, public),
            Item::Fn(it) if is_public(&it.vis) && !is_test(&it.attrs) => {
                let line = format!("fn {}", text(&it.sig).trim_start_matches("fn "));
                self.add(module, public, &it.sig.ident.to_string(), line);
            }
            Item::Struct(it) if is_public(&it.vis) => self.structure(it, module, public),
            Item::Enum(it) if is_public(&it.vis) => {
                let (name, generics) = (it.ident.to_string(), text(&it.generics));
                let head = format!("{}enum {name}{generics}", attributes(&it.attrs));
                self.add(module, public, &name, head);
                for variant in &it.variants {
                    let own = attributes(&variant.attrs);
                    let mut variant = variant.clone();
                    variant.attrs.clear();
                    for field in &mut variant.fields {
                        field.attrs.clear();
                    }
                    self.add(module, public, &name, format!("  {own}{}", text(&variant)));
                }
            }
            Item::Trait(it) if is_public(&it.vis) => {
                let (name, generics) = (it.ident.to_string(), text(&it.generics));
                let parents = text(&it.supertraits);
                self.add(
                    module,
                    public,
                    &name,
                    format!("trait {name}{generics}: {parents}"),
                );
                for member in &it.items {
                    let line = match member {
                        TraitItem::Fn(it) => {
                            let kind = if it.default.is_some() {
                                "provided "
                            } else {
                                ""
                            };
                            format!("  {kind}{}", text(&it.sig))
                        }
                        other => format!("  {}", text(other)),
                    };
                    self.add(module, public, &name, line);
                }
            }
            Item::Const(it) if is_public(&it.vis) => {
                let line = format!("const {}: {}", it.ident, text(&it.ty));
                self.add(module, public, &it.ident.to_string(), line);
            }
            Item::Static(it) if is_public(&it.vis) => {
                let line = format!("static {}: {}", it.ident, text(&it.ty));
                self.add(module, public, &it.ident.to_string(), line);
            }
            Item::Type(it) if is_public(&it.vis) => {
                let line = format!("type {}{} = {}", it.ident, text(&it.generics), text(&it.ty));
                self.add(module, public, &it.ident.to_string(), line);
            }
            Item::Impl(it) if !is_test(&it.attrs) => self.implementation(it),
            Item::Macro(it) if it.mac.path.is_ident("differences") => {
                let table: Differences = it.mac.parse_body().unwrap();
                self.structure(&table.0, module, public);
            }
            Item::Macro(it) if it.ident.is_none() => {
                self.other.insert(format!("{module}: {}", text(&it.mac)));
            }
            _ => {}
        }
    }

    fn structure(&mut self, it: &syn::ItemStruct, module: &str, public: bool) {
        let (name, generics) = (it.ident.to_string(), text(&it.generics));
        let all_public = it.fields.iter().all(|field| is_public(&field.vis));
        let kind = match &it.fields {
            Fields::Unit => "unit struct",
            _ if all_public => "struct",
            _ => "struct with private fields",
        };
        let head = format!("{}{kind} {name}{generics}", attributes(&it.attrs));
        self.add(module, public, &name, head);
        for (at, field) in it.fields.iter().enumerate() {
            if is_public(&field.vis) {
                let label = field
                    .ident
                    .as_ref()
                    .map_or(at.to_string(), ToString::to_string);
                let line = format!("  {label}: {}", text(&field.ty));
                self.add(module, public, &name, line);
            }
        }
    }

    fn implementation(&mut self, it: &syn::ItemImpl) {
        let syn::Type::Path(of) = &*it.self_ty else {
            return;
        };
        let name = of.path.segments.last().unwrap().ident.to_string();
        let lines = self.implemented.entry(name).or_default();
        if let Some((not, of, _)) = &it.trait_ {
            let not = if not.is_some() { "!" } else { "" };
            let subject = text(&it.self_ty);
            lines.insert(format!(
                "  impl{} {not}{} for {subject}",
                text(&it.generics),
                text(of)
            ));
            return;
        }
        for member in &it.items {
            match member {
                ImplItem::Fn(it) if is_public(&it.vis) && !is_test(&it.attrs) => {
                    lines.insert(format!("  {}", text(&it.sig)));
                }
                ImplItem::Const(it) if is_public(&it.vis) => {
                    lines.insert(format!("  const {}: {}", it.ident, text(&it.ty)));
                }
                _ => {}
            }
        }
    }

    fn exports(&mut self, tree: &UseTree, path: &[String], module: &str, public: bool) {
        let with = |name: &syn::Ident| [path, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(it) => self.exports(&it.tree, &with(&it.ident), module, public),
            UseTree::Group(it) => {
                for tree in &it.items {
                    self.exports(tree, path, module, public);
                }
            }
            UseTree::Name(it) => {
                let modules = self.exported.entry(it.ident.to_string()).or_default();
                modules.insert(module.to_owned());
                if path.first().is_some_and(|first| first.starts_with("sts_")) && public {
                    self.other
                        .insert(format!("{module}: pub use {}", with(&it.ident).join("::")));
                }
            }
            UseTree::Rename(it) => {
                let modules = self.exported.entry(it.ident.to_string()).or_default();
                modules.insert(format!("{module} as {}", it.rename));
            }
            UseTree::Glob(_) => panic!(
                "{module}: pub use {}::* hides what is public",
                path.join("::")
            ),
        }
    }

    /// A line for each nameable item, with its module and the modules that export it.
    fn lines(&self) -> String {
        let mut out = String::new();
        for ((module, name), lines) in &self.items {
            let parent = |it: &&String| module.starts_with(it.split(" as ").next().unwrap());
            let exported = self.exported.get(name).into_iter().flatten().filter(parent);
            let mut places: Vec<&str> = exported.map(String::as_str).collect();
            if self.reachable.contains(&(module.clone(), name.clone())) {
                places.push(module);
            }
            if places.is_empty() {
                continue;
            }
            out.push_str(&format!("{}: {name}\n", places.join(", ")));
            let implemented = self.implemented.get(name).into_iter().flatten();
            for line in lines.iter().chain(implemented) {
                out.push_str(&format!("  {line}\n"));
            }
        }
        for line in &self.other {
            out.push_str(&format!("{line}\n"));
        }
        out
    }
}

#[test]
fn the_api_of_each_crate_changes_on_purpose() {
    for name in [
        "kubectl-config",
        "kubectl-manifest",
        "sts-controller",
        "sts-plan",
    ] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source: PathBuf = root.join("crates").join(name).join("src");
        let lines = Listing::of(&source).lines();
        assert!(lines.lines().count() > 50, "{name}: {lines}");
        golden::check(
            &golden::root().join(format!("golden/api/{name}.txt")),
            &lines,
        );
    }
}

#[test]
fn a_change_of_the_api_is_detected() {
    let folder = program::folder("public-api");
    let listed = |code: &str| {
        fs::write(folder.join("lib.rs"), code).unwrap();
        Listing::of(&folder).lines()
    };
    let sound = "mod inner { pub struct S { pub a: u8, b: u8 } impl S { pub fn f(&self) -> u8 { 1 } fn g() {} } \
                 pub struct Hidden; } pub use inner::S; pub fn h(a: u8) {}";
    let before = listed(sound);
    for (old, new) in [
        ("pub a: u8", "pub a: u16"),
        ("f(&self) -> u8", "f(&self) -> u16"),
        ("fn g() {}", "pub fn g() {}"),
        ("pub use inner::S;", ""),
        ("h(a: u8)", "h(a: u8, b: u8)"),
        ("pub use inner::S;", "pub use inner::{Hidden, S};"),
        (", b: u8 }", " }"),
    ] {
        assert_ne!(
            before,
            listed(&sound.replacen(old, new, 1)),
            "{old} -> {new}"
        );
    }
    for (old, new) in [
        ("{ 1 }", "{ 2 }"),
        ("fn g() {}", "fn g2() {}"),
        ("Hidden", "Unseen"),
    ] {
        assert_eq!(
            before,
            listed(&sound.replacen(old, new, 1)),
            "{old} -> {new}"
        );
    }
}
