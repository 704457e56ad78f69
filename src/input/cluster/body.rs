//! Body of a response, decompressed within limits.
//!
//! A few hundred kilobytes of gzip can expand to a gigabyte. A response that exceeds its limit, or the compression ratio
//! of any list, is abandoned before it fills the memory.

use std::io::{self, Read as _};

use flate2::read::MultiGzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use kube::client::Body;

use super::error_chain::chain;

/// Maximum size of a page of a list, decompressed. A page has 500 objects, and etcd stores none above a few
/// megabytes; 10,000 pods of 50 kB fit.
pub(super) const PAGE_BYTES: usize = 512 << 20;
/// Maximum size of any other response: one object, or the metrics of a server.
pub(super) const OBJECT_BYTES: usize = 64 << 20;
/// Size up to which any compression ratio is accepted.
const UNSUSPECTED: usize = 64 << 20;
/// Maximum compression ratio. Lists of pods that differ only in their names reach 50.
const MAX_RATIO: usize = 200;

/// Error in the body of a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    /// The body is too large.
    TooLarge(String),
    /// The body is not compressed as its header says.
    Malformed(String),
    /// The body or its connection ends early.
    Truncated(String),
}

/// Reads a whole body and decompresses it.
pub(super) async fn collect(
    headers: &HeaderMap,
    body: Body,
    most: usize,
) -> Result<Vec<u8>, BodyError> {
    let is_packed = match headers.get(CONTENT_ENCODING).map(|name| name.as_bytes()) {
        None | Some(b"" | b"identity") => false,
        Some(b"gzip") => true,
        Some(_) => {
            let problem = "unsupported compression, only gzip was requested";
            return Err(BodyError::Malformed(problem.to_owned()));
        }
    };
    let received = Limited::new(body, most).collect().await;
    let received = received.map_err(|error| match error.is::<LengthLimitError>() {
        true => too_large(most),
        false => BodyError::Truncated(chain(&*error).pop().unwrap_or_default()),
    })?;
    let bytes = received.to_bytes();
    match is_packed {
        true => unpacked(&bytes, most),
        false => Ok(bytes.into()),
    }
}

fn too_large(most: usize) -> BodyError {
    BodyError::TooLarge(format!("larger than {} MiB", most >> 20))
}

/// Decompresses at most as many bytes as the limits permit.
fn unpacked(bytes: &[u8], most: usize) -> Result<Vec<u8>, BodyError> {
    let credible = UNSUSPECTED.max(bytes.len().saturating_mul(MAX_RATIO));
    let limit = most.min(credible);
    let mut unpacked = Vec::new();
    let decoder = MultiGzDecoder::new(bytes);
    match decoder.take(limit as u64 + 1).read_to_end(&mut unpacked) {
        Ok(length) if length <= limit => Ok(unpacked),
        Ok(_) if limit == most => Err(too_large(most)),
        Ok(_) => {
            let problem = format!("compression ratio above {MAX_RATIO}");
            Err(BodyError::TooLarge(problem))
        }
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(BodyError::Truncated("truncated response".to_owned()))
        }
        Err(error) => Err(BodyError::Malformed(format!("invalid gzip: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    fn collected(encoding: &str, bytes: Vec<u8>, most: usize) -> Result<usize, BodyError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, encoding.parse().unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let bytes = runtime.block_on(collect(&headers, Body::from(bytes), most))?;
        Ok(bytes.len())
    }

    fn zeros(length: usize) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        let chunk = vec![0; 1 << 20];
        for _ in 0..length >> 20 {
            packed.write_all(&chunk).unwrap();
        }
        packed.finish().unwrap()
    }

    #[test]
    fn an_answer_has_a_bound() {
        assert_eq!(collected("", vec![b' '; 1000], 1000), Ok(1000));
        let large = collected("", vec![b' '; 1001], 1000);
        assert!(matches!(large, Err(BodyError::TooLarge(_))), "{large:?}");
        let packed = collected("gzip", zeros(4 << 20), 3 << 20);
        let too_large = BodyError::TooLarge("larger than 3 MiB".to_owned());
        assert_eq!(packed, Err(too_large));
        assert_eq!(collected("gzip", zeros(4 << 20), PAGE_BYTES), Ok(4 << 20));
    }

    #[test]
    fn an_extreme_compression_ratio_is_refused() {
        let problem = "compression ratio above 200".to_owned();
        let bomb = collected("gzip", zeros(200 << 20), PAGE_BYTES);
        assert_eq!(bomb, Err(BodyError::TooLarge(problem)));
    }

    #[test]
    fn invalid_and_truncated_gzip_differ() {
        let whole = zeros(1 << 20);
        let half = collected("gzip", whole[..whole.len() / 2].to_vec(), PAGE_BYTES);
        assert_eq!(
            half,
            Err(BodyError::Truncated("truncated response".to_owned()))
        );
        let none = collected("gzip", b"no gzip at all, not by far".to_vec(), PAGE_BYTES);
        assert!(matches!(none, Err(BodyError::Malformed(_))), "{none:?}");
        let other = collected("br", Vec::new(), PAGE_BYTES);
        assert!(matches!(other, Err(BodyError::Malformed(_))), "{other:?}");
    }
}
