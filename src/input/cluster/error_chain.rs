//! Causes of a client error.

use std::error::Error as _;
use std::io;

/// Returns the messages of a chain of errors, outermost first.
pub(super) fn chain(error: &(dyn std::error::Error + 'static)) -> Vec<String> {
    let mut texts = vec![error.to_string()];
    let mut next = error.source();
    while let Some(error) = next {
        texts.push(error.to_string());
        next = error.source();
    }
    texts
}

/// Finds the error of a type in a chain, including the causes of I/O errors.
pub(super) fn find<E: std::error::Error + 'static>(error: &kube::Error) -> Option<&E> {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An I/O error hides its inner error from `source`.
        next = match error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
        {
            Some(within) => Some(within),
            None => error.source(),
        };
    }
    None
}

/// Returns the kinds of the I/O errors in a chain.
pub(super) fn io_kinds(error: &kube::Error) -> Vec<io::ErrorKind> {
    let mut kinds = Vec::new();
    let mut next = error.source();
    while let Some(error) = next {
        kinds.extend(error.downcast_ref::<io::Error>().map(io::Error::kind));
        next = error.source();
    }
    kinds
}

pub(super) fn innermost(error: &kube::Error) -> String {
    chain(error).pop().unwrap_or_default()
}
