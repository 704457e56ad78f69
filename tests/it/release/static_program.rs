//! Programs that `.ci/static` accepts as static.

use std::fs;

use super::run;

use crate::program;

/// A segment: its type, and its content.
type Segment<'a> = (u32, &'a [u8]);

/// The smallest ELF file with these segments, loaded unchanged.
fn elf(segments: &[Segment<'_>]) -> Vec<u8> {
    const LOAD: u32 = 1;
    let headers = 64 + 56 * (segments.len() + 1);
    let length = headers + segments.iter().map(|(_, it)| it.len()).sum::<usize>();
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(32, 0);
    file.extend(64_u64.to_le_bytes());
    file.resize(54, 0);
    let count = u16::try_from(segments.len() + 1).unwrap();
    file.extend([56_u16.to_le_bytes(), count.to_le_bytes()].concat());
    file.resize(64, 0);
    let mut at = headers;
    let mut header = |kind: u32, offset: usize, length: usize| {
        file.extend(kind.to_le_bytes());
        file.extend(4_u32.to_le_bytes());
        for value in [offset, offset, offset, length, length, 8] {
            file.extend((value as u64).to_le_bytes());
        }
    };
    header(LOAD, 0, length);
    for (kind, content) in segments {
        header(*kind, at, content.len());
        at += content.len();
    }
    for (_, content) in segments {
        file.extend(*content);
    }
    file
}

/// A dynamic section with these entries.
fn dynamic(entries: &[(u64, u64)]) -> Vec<u8> {
    let words = entries.iter().flat_map(|(tag, value)| [*tag, *value]);
    words.flat_map(u64::to_le_bytes).collect()
}

#[test]
fn the_headers_tell_whether_a_program_is_static() {
    const DYNAMIC: u32 = 2;
    const INTERPRETER: u32 = 3;
    let folder = program::folder("static");
    let check = |content: &[u8]| {
        let path = folder.join("program");
        fs::write(&path, content).unwrap();
        run(".ci/static", &[path.to_str().unwrap()])
    };
    assert!(check(&elf(&[])).unwrap().ends_with("is static\n"));
    // A static-pie has a dynamic section and still needs no library.
    let pie = dynamic(&[(5, 0), (0, 0), (1, 1)]);
    assert!(check(&elf(&[(DYNAMIC, &pie)])).is_ok());
    // The names of libraries begin after the headers and the previous section.
    let names = b"\0libc.so.6\0";
    let at = 64 + 56 * 3 + 48;
    let needs = dynamic(&[(1, 1), (5, at), (0, 0)]);
    let error = check(&elf(&[(DYNAMIC, &needs), (0, names)])).unwrap_err();
    assert!(
        error.ends_with("is not static: it needs libc.so.6\n"),
        "{error}"
    );
    let error = check(&elf(&[(INTERPRETER, b"/lib/ld.so\0")])).unwrap_err();
    assert!(
        error.contains("needs the interpreter /lib/ld.so"),
        "{error}"
    );
    for (content, problem) in [
        (&b"#!/bin/sh\n"[..], "is not an ELF program"),
        (&elf(&[])[..70], "is cut off"),
        (
            &[&b"\x7fELF\x01\x01"[..], &[0; 64]].concat(),
            "is not 64-bit",
        ),
    ] {
        let error = check(content).unwrap_err();
        assert!(error.contains(problem), "{error}");
    }
}

/// A test program is linked as usual, so it is not static.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn the_program_of_the_tests_is_not_static() {
    let error = run(".ci/static", &[env!("CARGO_BIN_EXE_kubectl-sts_plan")]).unwrap_err();
    assert!(error.contains("libc.so.6"), "{error}");
}
