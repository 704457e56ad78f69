//! Shapes of tokens that are told by how they begin: one entry a shape.
//!
//! Issuers give tokens such beginnings so that scanners find them. The shapes are those that the issuers document and that
//! the secret scanning of GitHub and the rules of gitleaks look for.

/// The characters of the rest of a token.
#[derive(Debug, Clone, Copy)]
enum Alphabet {
    /// Letters and digits.
    Alphanumeric,
    /// Digits and the upper-case letters of base 32.
    Base32,
    /// Letters, digits, dashes and underscores.
    Url,
    /// Letters, digits, dashes, underscores, dots, slashes, plus and equal signs.
    Any,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Alphanumeric => byte.is_ascii_alphanumeric(),
            Alphabet::Base32 => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Url => byte.is_ascii_alphanumeric() || b"-_".contains(&byte),
            Alphabet::Any => byte.is_ascii_alphanumeric() || b"-_./+=".contains(&byte),
        }
    }
}

/// How a token begins, what follows, and how much of it at least.
type Shape = (&'static str, Alphabet, usize);

use Alphabet::{Alphanumeric, Any, Base32, Url};

#[rustfmt::skip]
const SHAPES: [Shape; 88] = [
    ("A3T", Base32, 17),                     // AWS access key id
    ("ABIA", Base32, 16),                    // AWS STS bearer token id
    ("ACCA", Base32, 16),                    // AWS context credential
    ("AKIA", Base32, 16),                    // AWS access key id
    ("ASIA", Base32, 16),                    // AWS temporary access key id
    ("bedrock-api-key-", Any, 20),           // AWS Bedrock
    ("AIza", Url, 35),                       // Google API key
    ("GOCSPX-", Url, 20),                    // Google OAuth client secret
    ("ya29.", Url, 20),                      // Google OAuth access token
    ("ghp_", Alphanumeric, 36),              // GitHub personal access token
    ("gho_", Alphanumeric, 36),              // GitHub OAuth token
    ("ghu_", Alphanumeric, 36),              // GitHub user-to-server token
    ("ghs_", Any, 36),                       // GitHub server-to-server token
    ("ghr_", Alphanumeric, 36),              // GitHub refresh token
    ("github_pat_", Url, 36),                // GitHub fine-grained token
    ("glpat-", Any, 20),                     // GitLab personal access token
    ("gldt-", Any, 20),                      // GitLab deploy token
    ("glrt-", Any, 20),                      // GitLab runner token
    ("glrtr-", Any, 20),                     // GitLab runner registration token
    ("glcbt-", Any, 20),                     // GitLab CI job token
    ("glptt-", Any, 20),                     // GitLab pipeline trigger token
    ("glft-", Any, 20),                      // GitLab feed token
    ("glimt-", Any, 20),                     // GitLab incoming mail token
    ("glagent-", Any, 20),                   // GitLab agent token
    ("gloas-", Any, 20),                     // GitLab OAuth secret
    ("glsoat-", Any, 20),                    // GitLab SCIM token
    ("glffct-", Any, 20),                    // GitLab feature flag token
    ("GR1348941", Url, 20),                  // GitLab runner registration token
    ("ATATT3", Any, 20),                     // Atlassian API token
    ("ATCTT3", Any, 20),                     // Atlassian access token
    ("ATBB", Alphanumeric, 24),              // Bitbucket app password
    ("xoxa-", Url, 10),                      // Slack
    ("xoxb-", Url, 10),                      // Slack bot token
    ("xoxe-", Url, 10),                      // Slack refresh token
    ("xoxe.", Any, 10),                      // Slack configuration token
    ("xoxo-", Url, 10),                      // Slack
    ("xoxp-", Url, 10),                      // Slack user token
    ("xoxr-", Url, 10),                      // Slack
    ("xoxs-", Url, 10),                      // Slack
    ("xapp-", Url, 10),                      // Slack app token
    ("hooks.slack.com/services/", Any, 20),  // Slack webhook
    ("discord.com/api/webhooks/", Any, 20),  // Discord webhook
    ("sk_live_", Alphanumeric, 10),          // Stripe secret key
    ("sk_test_", Alphanumeric, 10),          // Stripe secret key
    ("rk_live_", Alphanumeric, 10),          // Stripe restricted key
    ("rk_test_", Alphanumeric, 10),          // Stripe restricted key
    ("whsec_", Any, 20),                     // Stripe webhook secret
    ("sq0csp-", Url, 20),                    // Square OAuth secret
    ("sq0atp-", Url, 20),                    // Square access token
    ("shpat_", Alphanumeric, 32),            // Shopify access token
    ("shpca_", Alphanumeric, 32),            // Shopify custom app token
    ("shppa_", Alphanumeric, 32),            // Shopify private app token
    ("shpss_", Alphanumeric, 32),            // Shopify shared secret
    ("SG.", Any, 40),                        // SendGrid
    ("xkeysib-", Url, 40),                   // Brevo
    ("npm_", Alphanumeric, 36),              // npm
    ("pypi-AgE", Url, 40),                   // PyPI
    ("rubygems_", Alphanumeric, 48),         // RubyGems
    ("dckr_pat_", Url, 20),                  // Docker Hub personal access token
    ("dckr_oat_", Url, 20),                  // Docker Hub organization access token
    ("AKCp", Alphanumeric, 60),              // Artifactory API key
    ("cmVmd", Alphanumeric, 55),             // Artifactory reference token
    ("hvs.", Url, 20),                       // Vault service token
    ("hvb.", Url, 20),                       // Vault batch token
    ("hvr.", Url, 20),                       // Vault recovery token
    ("dop_v1_", Alphanumeric, 64),           // DigitalOcean personal access token
    ("doo_v1_", Alphanumeric, 64),           // DigitalOcean OAuth token
    ("dor_v1_", Alphanumeric, 64),           // DigitalOcean refresh token
    ("dapi", Alphanumeric, 32),              // Databricks
    ("glsa_", Url, 32),                      // Grafana service account
    ("glc_", Any, 32),                       // Grafana Cloud
    ("NRAK-", Alphanumeric, 27),             // New Relic user key
    ("NRII-", Url, 32),                      // New Relic insert key
    ("sntrys_", Any, 40),                    // Sentry organization token
    ("sntryu_", Alphanumeric, 64),           // Sentry user token
    ("PMAK-", Url, 40),                      // Postman
    ("lin_api_", Alphanumeric, 40),          // Linear
    ("dp.pt.", Alphanumeric, 40),            // Doppler
    ("pul-", Alphanumeric, 40),              // Pulumi
    ("pscale_", Any, 32),                    // PlanetScale
    ("tskey-", Url, 20),                     // Tailscale
    ("FlyV1 fm2_", Any, 40),                 // Fly.io
    ("hf_", Alphanumeric, 34),               // Hugging Face
    ("sk-ant-", Url, 32),                    // Anthropic
    ("sk-proj-", Url, 32),                   // OpenAI project key
    ("sk-svcacct-", Url, 32),                // OpenAI service account key
    ("AGE-SECRET-KEY-1", Base32, 50),        // age
    ("ops_eyJ", Any, 40),                    // 1Password service account
];

/// The end of a token that begins here, if one does.
pub(super) fn end_of_token(text: &str, start: usize) -> Option<usize> {
    SHAPES.iter().find_map(|(begins, alphabet, least)| {
        let rest = text[start..].strip_prefix(begins)?;
        let length = rest.bytes().take_while(|byte| alphabet.has(*byte)).count();
        (length >= *least).then_some(start + begins.len() + length)
    })
}

/// Whether any token can begin with this byte.
pub(super) fn may_begin(byte: u8) -> bool {
    SHAPES
        .iter()
        .any(|(begins, ..)| begins.as_bytes().first() == Some(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A character that a shape takes, and one that none does.
    fn sample(alphabet: Alphabet) -> &'static str {
        match alphabet {
            Base32 => "A7",
            Alphanumeric => "a7",
            Url => "-7",
            Any => "/7",
        }
    }

    #[test]
    fn each_shape_is_found_whole_from_its_least_length_on() {
        for (begins, alphabet, least) in SHAPES {
            let rest: String = sample(alphabet).chars().cycle().take(least).collect();
            let text = format!("say {begins}{rest}\" or");
            let end = text.len() - "\" or".len();
            assert_eq!(end_of_token(&text, 4), Some(end), "{text}");
            let short = format!("{begins}{}", &rest[..least - 1]);
            assert_eq!(end_of_token(&short, 0), None, "{short}");
            assert!(may_begin(begins.as_bytes()[0]));
        }
    }

    #[test]
    fn each_shape_has_one_entry() {
        for (index, (begins, ..)) in SHAPES.iter().enumerate() {
            let others = SHAPES[..index].iter();
            assert!(
                others.clone().all(|(other, ..)| other != begins),
                "{begins}"
            );
        }
    }
}
