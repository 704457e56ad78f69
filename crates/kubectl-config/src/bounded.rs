//! Reads small files with a size limit: an endless device must not fill the memory.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// Size limit in bytes for small files: certificates, keys, tokens and templates.
pub const SMALL: u64 = 16 << 20;

/// Reads a file.
///
/// # Errors
/// When the file cannot be read, or is larger than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let problem = format!("larger than {} MiB", most >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Reads a text file.
///
/// # Errors
/// When the file cannot be read, is larger than `most` bytes, or is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read(path, most)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Describes an error about a file, as kubectl does.
#[must_use]
pub fn problem(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::InvalidData => "not a text file in UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = std::env::temp_dir().join(format!("sts-plan-bounded-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("file");
        for (length, is_read) in [(0, true), (1 << 20, true), ((1 << 20) + 1, false)] {
            std::fs::write(&file, vec![b' '; length]).unwrap();
            let bytes = read(&file, 1 << 20);
            assert_eq!(bytes.is_ok_and(|bytes| bytes.len() == length), is_read);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_end_is_refused() {
        let error = read_text(Path::new("/dev/zero"), SMALL).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }
}
