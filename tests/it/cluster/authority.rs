//! Certificate authorities for servers and clients, created for every test.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, SanType, date_time_ymd,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

/// Expiry of a certificate.
#[derive(Clone, Copy, PartialEq)]
pub enum End {
    Far,
    Past,
}

/// A certificate and its key, in PEM.
#[derive(Clone)]
pub struct Pair {
    pub certificate: String,
    pub key: String,
}

impl Pair {
    /// Writes both into a folder, as `NAME.crt` and `NAME.key`.
    pub fn write(&self, folder: &Path, name: &str) -> (PathBuf, PathBuf) {
        let (certificate, key) = (
            folder.join(format!("{name}.crt")),
            folder.join(format!("{name}.key")),
        );
        std::fs::write(&certificate, &self.certificate).unwrap();
        std::fs::write(&key, &self.key).unwrap();
        (certificate, key)
    }

    fn chain(&self) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let chain = CertificateDer::pem_slice_iter(self.certificate.as_bytes());
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes());
        (chain.map(Result::unwrap).collect(), key.unwrap())
    }
}

/// A certificate authority.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its own certificate, in PEM.
    pub certificate: String,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = params("authority", &[], End::Far);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap().pem();
        Authority {
            issuer: Issuer::new(params, key),
            certificate,
        }
    }

    /// The certificate of a user.
    pub fn client(&self, user: &str, end: End) -> Pair {
        self.sign(&params(user, &[], end))
    }

    /// The certificate of a server with these names and addresses.
    pub fn vouch(&self, names: &[&str], end: End) -> Pair {
        self.sign(&params("server", names, end))
    }

    fn sign(&self, params: &CertificateParams) -> Pair {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer);
        Pair {
            certificate: certificate.unwrap().pem(),
            key: key.serialize_pem(),
        }
    }

    /// A server with a certificate for these names.
    pub fn server(&self, names: &[&str]) -> ServerConfig {
        configuration(&self.vouch(names, End::Far))
    }

    /// A server that requires a client certificate of this authority.
    pub fn strict_server(&self) -> ServerConfig {
        let mut roots = RootCertStore::empty();
        let own = CertificateDer::from_pem_slice(self.certificate.as_bytes());
        roots.add(own.unwrap()).unwrap();
        let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build();
        let (chain, key) = self.vouch(&["127.0.0.1"], End::Far).chain();
        ServerConfig::builder()
            .with_client_cert_verifier(verifier.unwrap())
            .with_single_cert(chain, key)
            .unwrap()
    }
}

/// A server with this certificate.
pub fn configuration(pair: &Pair) -> ServerConfig {
    let (chain, key) = pair.chain();
    ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap()
}

/// A certificate as `openssl req -x509` makes it: an authority that is also a server.
pub fn self_signed(names: &[&str]) -> Pair {
    let mut params = params("self", names, End::Far);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    Pair {
        certificate: params.self_signed(&key).unwrap().pem(),
        key: key.serialize_pem(),
    }
}

fn params(name: &str, names: &[&str], end: End) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.subject_alt_names = names
        .iter()
        .map(|name| match name.parse::<IpAddr>() {
            Ok(ip) => SanType::IpAddress(ip),
            Err(_) => SanType::DnsName((*name).try_into().unwrap()),
        })
        .collect();
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = match end {
        End::Far => date_time_ymd(2999, 1, 1),
        End::Past => date_time_ymd(2021, 2, 3),
    };
    params
}
