//! Windows options: users, credentials and host processes.

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::name;
use crate::apiserver::validation::read::{each_container, uses_host_network};
use crate::apiserver::validation::refusals::Refusals;

/// `validateWindowsSecurityContextOptions`.
pub(super) fn check_options(context: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    const MAX_SPEC_LENGTH: usize = 64 * 1024;
    let options = &context["windowsOptions"];
    let at = at.member("windowsOptions");
    if let Some(text) = options["gmsaCredentialSpecName"].as_str() {
        let complaints = name::dns_subdomain(text);
        for complaint in &complaints {
            out.invalid_name(at.member("gmsaCredentialSpecName"), text, complaint);
        }
    }
    if let Some(text) = options["gmsaCredentialSpec"].as_str() {
        let at = at.member("gmsaCredentialSpec");
        if text.is_empty() {
            out.invalid_name(at, text, "gmsaCredentialSpec cannot be an empty string");
        } else if text.len() > MAX_SPEC_LENGTH {
            out.invalid_name(at, text, "gmsaCredentialSpec size must be under 64 KiB");
        }
    }
    if let Some(text) = options["runAsUserName"].as_str() {
        let at = at.member("runAsUserName");
        for complaint in user_name(text) {
            out.invalid_name(at, text, &format!("runAsUserName{complaint}"));
        }
    }
}

/// Returns the errors in `USER` or `DOMAIN\USER`.
fn user_name(text: &str) -> Vec<&'static str> {
    const MAX_DOMAIN_LENGTH: usize = 256;
    const MAX_USER_LENGTH: usize = 104;
    if text.is_empty() {
        return vec![" cannot be an empty string"];
    }
    if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
        return vec![" cannot contain control characters"];
    }
    let parts: Vec<&str> = text.split('\\').collect();
    let (domain, user) = match parts.as_slice() {
        [user] => (None, *user),
        [domain, user] => (Some(*domain), *user),
        _ => return vec![" cannot contain more than one backslash"],
    };
    let mut out = Vec::new();
    if let Some(domain) = domain {
        if domain.len() >= MAX_DOMAIN_LENGTH {
            out.push("'s Domain length must be under 256 characters");
        }
        if !is_net_bios(domain) && !is_domain(domain) {
            out.push("'s Domain doesn't match the NetBios nor the DNS format");
        }
    }
    if user.is_empty() {
        out.push("'s User cannot be empty");
    } else if user.len() > MAX_USER_LENGTH {
        out.push("'s User length must not be longer than 104 characters");
    }
    if !user.is_empty() && user.chars().all(|character| ". ".contains(character)) {
        out.push("'s User cannot contain only periods or spaces");
    }
    if user
        .chars()
        .any(|character| r#""/\:;|=,+*?<>@[]"#.contains(character))
    {
        out.push(r#"'s User cannot contain the following characters: "/\:;|=,+*?<>@[]"#);
    }
    out
}

fn is_net_bios(domain: &str) -> bool {
    const MAX: usize = 15;
    let count = domain.chars().count();
    (1..=MAX).contains(&count)
        && !domain.starts_with('.')
        && !domain
            .chars()
            .any(|character| r#"\/:*?"<>|"#.contains(character))
}

fn is_domain(domain: &str) -> bool {
    let label = |part: &str| {
        part.len() <= name::LABEL_LENGTH
            && name::is_word(part, |byte| byte.is_ascii_alphanumeric(), b"-")
    };
    domain.split('.').all(label)
}

/// `validateWindowsHostProcessPod`.
pub(super) fn check_host_process(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let of = |context: &Value| context["windowsOptions"]["hostProcess"].as_bool();
    let of_pod = of(&spec["securityContext"]);
    let (mut count, mut host) = (0, 0);
    each_container(spec, at, |container, at| {
        count += 1;
        let own = of(&container["securityContext"]);
        if let (Some(of_pod), Some(own)) = (of_pod, own)
            && of_pod != own
        {
            let detail = format!(
                "pod hostProcess value must be identical if both are specified, was {of_pod}"
            );
            let at = at.member("securityContext.windowsOptions.hostProcess");
            out.invalid(at, own, &detail);
        }
        host += i32::from(own.or(of_pod) == Some(true));
    });
    if host == 0 {
        return;
    }
    if host != count {
        let detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        out.invalid(at, "", detail);
    }
    if !uses_host_network(spec) {
        let detail = "hostNetwork must be true if pod contains any hostProcess containers";
        out.invalid(at.member("hostNetwork"), false, detail);
    }
}
