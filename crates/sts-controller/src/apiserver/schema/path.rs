//! The path of a value in an object.

use std::fmt;

/// A path such as `spec.containers[0].name`, as a chain from the innermost part outwards. It costs nothing until it is
/// printed.
#[derive(Clone, Copy)]
pub(in crate::apiserver) enum Path<'a> {
    Root,
    Member(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
    /// An element of a list that is a member.
    Element(&'a Path<'a>, &'a str, usize),
    Key(&'a Path<'a>, &'a str),
}

impl<'a> Path<'a> {
    /// Returns the path of a member. `name` may be several members, separated by dots.
    pub(in crate::apiserver) const fn member(&'a self, name: &'a str) -> Path<'a> {
        Path::Member(self, name)
    }

    pub(in crate::apiserver) const fn index(&'a self, index: usize) -> Path<'a> {
        Path::Index(self, index)
    }

    /// Returns the elements of a list, each with its path.
    pub(in crate::apiserver) fn items<'v, T>(
        &'a self,
        list: &'v [T],
    ) -> impl Iterator<Item = (Path<'a>, &'v T)> {
        let items = list.iter().enumerate();
        items.map(|(index, item)| (self.index(index), item))
    }

    /// Returns the path of an entry of a map: `limits[cpu]`.
    pub(in crate::apiserver) const fn key(&'a self, key: &'a str) -> Path<'a> {
        Path::Key(self, key)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => write!(f, "{name}"),
            Self::Member(outer, name) => write!(f, "{outer}.{name}"),
            Self::Index(outer, index) => write!(f, "{outer}[{index}]"),
            Self::Element(outer, name, index) => write!(f, "{}[{index}]", outer.member(name)),
            Self::Key(outer, key) => write!(f, "{outer}[{key}]"),
        }
    }
}
