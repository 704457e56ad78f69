//! Token shapes, recognized by their prefix.
//!
//! Issuers give tokens these prefixes so that scanners find them. Prefixes, alphabets and lengths were checked against
//! the rules of gitleaks (config/gitleaks.toml of <https://github.com/gitleaks/gitleaks> at b58d3f102cf3, 2026-07-22,
//! MIT). Entries marked "documented" come from the issuer's documentation instead. Messages may be truncated anywhere,
//! so less than a whole token is enough if no word has the prefix. Not listed are rules that match a name next to the
//! token, as [`super::message`] does, prefixes that also occur in words and digests, and public keys.

/// Characters after the prefix of a token.
#[derive(Debug, Clone, Copy)]
enum Alphabet {
    /// Letters and digits.
    Alphanumeric,
    /// Digits and the upper-case letters of base 32.
    Base32,
    /// Digits and letters of base 16.
    Hex,
    /// Letters, digits, dashes and underscores.
    Url,
    /// Letters, digits, dashes, underscores, dots, slashes, plus and equal signs.
    Any,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Alphanumeric => byte.is_ascii_alphanumeric(),
            Alphabet::Hex => byte.is_ascii_hexdigit(),
            Alphabet::Base32 => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Url => byte.is_ascii_alphanumeric() || b"-_".contains(&byte),
            Alphabet::Any => byte.is_ascii_alphanumeric() || b"-_./+=".contains(&byte),
        }
    }
}

/// Prefix of a token, the characters that follow it, and their minimum number.
type Shape = (&'static str, Alphabet, usize);

use Alphabet::{Alphanumeric, Any, Base32, Hex, Url};

#[rustfmt::skip]
const SHAPES: [Shape; 144] = [
    ("A3T", Base32, 17),                     // AWS access key id
    ("ABIA", Base32, 16),                    // AWS STS bearer token id
    ("ACCA", Base32, 16),                    // AWS context credential
    ("AKIA", Base32, 16),                    // AWS access key id
    ("ASIA", Base32, 16),                    // AWS temporary access key id
    ("ABSK", Any, 109),                      // AWS Bedrock, long-lived
    ("bedrock-api-key-", Any, 20),           // AWS Bedrock, short-lived
    ("LTAI", Alphanumeric, 20),              // Alibaba access key id
    ("AIza", Url, 35),                       // Google API key
    ("GOCSPX-", Url, 20),                    // Google OAuth client secret, documented
    ("ya29.", Url, 20),                      // Google OAuth access token, documented
    ("sha256~", Url, 43),                    // OpenShift user token
    ("ghp_", Alphanumeric, 36),              // GitHub personal access token
    ("gho_", Alphanumeric, 36),              // GitHub OAuth token
    ("ghu_", Alphanumeric, 36),              // GitHub user-to-server token
    ("ghs_", Any, 36),                       // GitHub server-to-server token
    ("ghr_", Alphanumeric, 36),              // GitHub refresh token
    ("github_pat_", Url, 36),                // GitHub fine-grained token
    ("glpat-", Any, 20),                     // GitLab personal access token
    ("gldt-", Any, 20),                      // GitLab deploy token
    ("glrt-", Any, 20),                      // GitLab runner token
    ("glrtr-", Any, 20),                     // GitLab runner registration token, documented
    ("glcbt-", Any, 20),                     // GitLab CI job token
    ("glptt-", Any, 20),                     // GitLab pipeline trigger token
    ("glft-", Any, 20),                      // GitLab feed token
    ("glimt-", Any, 20),                     // GitLab incoming mail token
    ("glagent-", Any, 20),                   // GitLab agent token
    ("gloas-", Any, 20),                     // GitLab OAuth secret
    ("glsoat-", Any, 20),                    // GitLab SCIM token
    ("glffct-", Any, 20),                    // GitLab feature flag token
    ("GR1348941", Url, 20),                  // GitLab runner registration token
    ("_gitlab_session=", Alphanumeric, 32),  // GitLab session cookie
    ("ATATT3", Any, 20),                     // Atlassian API token
    ("ATCTT3", Any, 20),                     // Atlassian access token, documented
    ("ATBB", Alphanumeric, 24),              // Bitbucket app password, documented
    ("xoxa-", Url, 8),                       // Slack
    ("xoxb-", Url, 10),                      // Slack bot token
    ("xoxe-", Url, 10),                      // Slack refresh token
    ("xoxe.", Any, 10),                      // Slack configuration token
    ("xoxo-", Url, 10),                      // Slack
    ("xoxp-", Url, 10),                      // Slack user token
    ("xoxr-", Url, 8),                       // Slack
    ("xoxs-", Url, 10),                      // Slack
    ("xapp-", Url, 10),                      // Slack app token
    ("hooks.slack.com/services/", Any, 20),  // Slack webhook
    ("hooks.slack.com/triggers/", Any, 20),  // Slack webhook
    ("hooks.slack.com/workflows/", Any, 20), // Slack webhook
    ("IncomingWebhook/", Any, 32),           // Microsoft Teams webhook
    ("discord.com/api/webhooks/", Any, 20),  // Discord webhook, documented
    ("sk_live_", Alphanumeric, 10),          // Stripe secret key
    ("sk_prod_", Alphanumeric, 10),          // Stripe secret key
    ("sk_test_", Alphanumeric, 10),          // Stripe secret key
    ("rk_live_", Alphanumeric, 10),          // Stripe restricted key
    ("rk_prod_", Alphanumeric, 10),          // Stripe restricted key
    ("rk_test_", Alphanumeric, 10),          // Stripe restricted key
    ("whsec_", Any, 20),                     // Stripe webhook secret, documented
    ("EAAA", Url, 22),                       // Square access token
    ("sq0atp-", Url, 20),                    // Square access token
    ("sq0csp-", Url, 20),                    // Square OAuth secret, documented
    ("EAAC", Alphanumeric, 100),             // Facebook page access token
    ("EAAM", Alphanumeric, 100),             // Facebook page access token
    ("FLWSECK_TEST-", Alphanumeric, 12),     // Flutterwave
    ("duffel_live_", Any, 43),               // Duffel
    ("duffel_test_", Any, 43),               // Duffel
    ("EZAK", Alphanumeric, 54),              // EasyPost
    ("EZTK", Alphanumeric, 54),              // EasyPost
    ("shippo_live_", Alphanumeric, 40),      // Shippo
    ("shippo_test_", Alphanumeric, 40),      // Shippo
    ("shpat_", Alphanumeric, 32),            // Shopify access token
    ("shpca_", Alphanumeric, 32),            // Shopify custom app token
    ("shppa_", Alphanumeric, 32),            // Shopify private app token
    ("shpss_", Alphanumeric, 32),            // Shopify shared secret
    ("SG.", Any, 40),                        // SendGrid
    ("xkeysib-", Url, 40),                   // Brevo
    ("tfp_", Any, 59),                       // Typeform
    ("SK", Hex, 32),                         // Twilio API key
    ("npm_", Alphanumeric, 36),              // npm
    ("pypi-AgE", Url, 40),                   // PyPI
    ("rubygems_", Alphanumeric, 48),         // RubyGems
    ("CLOJARS_", Alphanumeric, 60),          // Clojars
    ("dckr_pat_", Url, 20),                  // Docker Hub personal access token, documented
    ("dckr_oat_", Url, 20),                  // Docker Hub organization access token, documented
    ("AKCp", Alphanumeric, 69),              // Artifactory API key
    ("cmVmd", Alphanumeric, 59),             // Artifactory reference token
    ("API-", Base32, 26),                    // Octopus Deploy
    ("sqa_", Alphanumeric, 40),              // SonarQube global analysis token
    ("sqp_", Alphanumeric, 40),              // SonarQube project token
    ("squ_", Alphanumeric, 40),              // SonarQube user token
    ("sgp_", Url, 40),                       // Sourcegraph
    ("pat.", Any, 68),                       // Harness personal access token
    ("sat.", Any, 68),                       // Harness service account token
    ("pnu_", Alphanumeric, 36),              // Prefect
    ("ico-", Alphanumeric, 32),              // Infracost
    ("hvs.", Url, 20),                       // Vault service token
    ("hvb.", Url, 20),                       // Vault batch token
    ("hvr.", Url, 20),                       // Vault recovery token, documented
    ("s.", Alphanumeric, 24),                // Vault service token before 1.10
    ("dop_v1_", Alphanumeric, 64),           // DigitalOcean personal access token
    ("doo_v1_", Alphanumeric, 64),           // DigitalOcean OAuth token
    ("dor_v1_", Alphanumeric, 64),           // DigitalOcean refresh token
    ("HRKU-AA", Url, 58),                    // Heroku
    ("tk-us-", Url, 48),                     // Scalingo
    ("v1.0-", Url, 171),                     // Cloudflare origin CA key
    ("dnkey-", Any, 79),                     // Defined Networking
    ("dapi", Hex, 32),                       // Databricks
    ("dt0c01.", Any, 89),                    // Dynatrace
    ("glsa_", Url, 32),                      // Grafana service account
    ("glc_", Any, 32),                       // Grafana Cloud
    ("eyJrIjoi", Any, 70),                   // Grafana API key
    ("NRAK-", Alphanumeric, 27),             // New Relic user key
    ("NRII-", Url, 32),                      // New Relic insert key
    ("NRJS-", Hex, 19),                      // New Relic browser key
    ("sntrys_", Any, 40),                    // Sentry organization token
    ("sntryu_", Alphanumeric, 64),           // Sentry user token
    ("PMAK-", Url, 40),                      // Postman
    ("rdme_", Alphanumeric, 70),             // ReadMe
    ("lin_api_", Alphanumeric, 40),          // Linear
    ("ntn_", Alphanumeric, 46),              // Notion
    ("fio-u-", Any, 64),                     // Frame.io
    ("dp.pt.", Alphanumeric, 40),            // Doppler
    ("pul-", Alphanumeric, 40),              // Pulumi
    ("pscale_", Any, 32),                    // PlanetScale
    ("tskey-", Url, 20),                     // Tailscale, documented
    ("fo1_", Url, 43),                       // Fly.io
    ("fm1a_", Any, 40),                      // Fly.io
    ("fm1r_", Any, 40),                      // Fly.io
    ("fm2_", Any, 40),                       // Fly.io
    ("hf_", Alphanumeric, 34),               // Hugging Face
    ("api_org_", Alphanumeric, 34),          // Hugging Face organization
    ("pplx-", Alphanumeric, 48),             // Perplexity
    ("sk-ant-", Url, 32),                    // Anthropic
    ("sk-admin-", Url, 32),                  // OpenAI admin key
    ("sk-proj-", Url, 32),                   // OpenAI project key
    ("sk-svcacct-", Url, 32),                // OpenAI service account key
    ("sk-", Alphanumeric, 48),               // OpenAI key
    ("sm_aat_", Alphanumeric, 16),           // SettleMint application
    ("sm_pat_", Alphanumeric, 16),           // SettleMint personal
    ("sm_sat_", Alphanumeric, 16),           // SettleMint service
    ("s-s4t2af-", Hex, 64),                  // 42 client secret
    ("s-s4t2ud-", Hex, 64),                  // 42 client secret
    ("p8e-", Alphanumeric, 32),              // Adobe client secret
    ("AGE-SECRET-KEY-1", Base32, 50),        // age
    ("ops_eyJ", Any, 40),                    // 1Password service account
    ("A3-", Url, 34),                        // 1Password secret key
];

/// Returns the end of the token that starts at this position, if there is one.
pub(super) fn end_of_token(text: &str, start: usize) -> Option<usize> {
    SHAPES.iter().find_map(|(begins, alphabet, least)| {
        let rest = text[start..].strip_prefix(begins)?;
        let length = rest.bytes().take_while(|byte| alphabet.has(*byte)).count();
        (length >= *least).then_some(start + begins.len() + length)
    })
}

/// Reports whether any token can begin with this byte.
pub(super) fn may_begin(byte: u8) -> bool {
    SHAPES
        .iter()
        .any(|(begins, ..)| begins.as_bytes().first() == Some(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A character in the alphabet, and one outside.
    fn sample(alphabet: Alphabet) -> &'static str {
        match alphabet {
            Base32 => "A7",
            Alphanumeric => "a7",
            Hex => "f7",
            Url => "-7",
            Any => "/7",
        }
    }

    #[test]
    fn each_shape_is_found_from_its_minimum_length_on() {
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

    /// Whole tokens from the rules, of issuers that were missing from the table or had other values.
    #[test]
    fn known_tokens_are_found() {
        for (begins, rest) in [
            ("sha256~", 43),
            ("ABSK", 109),
            ("LTAI", 20),
            ("EAAA", 60),
            ("fm2_", 100),
            ("hooks.slack.com/workflows/", 44),
            ("sk_prod_", 24),
            ("SK", 32),
            ("s.", 24),
            ("ntn_", 46),
        ] {
            let token = format!("{begins}{}", "7".repeat(rest));
            assert_eq!(end_of_token(&token, 0), Some(token.len()), "{token}");
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
