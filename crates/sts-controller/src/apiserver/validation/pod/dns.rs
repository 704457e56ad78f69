//! DNS configuration of a pod: `validatePodDNSConfig`.

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{each, list, text, texts};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::{address, name, word};

pub(super) fn check(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    /// Maximum number of servers that resolvers support.
    const MAX_SERVERS: usize = 3;
    let limits = out.rules.pod.search_limits;
    let config = &spec["dnsConfig"];
    let at = at.member("dnsConfig");
    let servers = list(config, "nameservers");
    let at_servers = at.member("nameservers");
    if text(spec, "dnsPolicy") == "None" {
        if config.is_null() {
            let detail = "must provide `dnsConfig` when `dnsPolicy` is None";
            out.required(at, detail);
            return;
        }
        if servers.is_empty() {
            let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            out.required(at_servers, detail);
            return;
        }
    }
    if servers.len() > MAX_SERVERS {
        let detail = "must not have more than 3 nameservers";
        out.invalid_texts(at_servers, &config["nameservers"], detail);
    }
    for (index, server) in texts(config, "nameservers").enumerate() {
        address::check(server, &at_servers.index(index), out);
    }
    let at_searches = at.member("searches");
    let count = list(config, "searches").len();
    if count > limits.domains {
        let detail = format!("must not have more than {} search paths", limits.domains);
        out.invalid_texts(at_searches, &config["searches"], &detail);
    }
    let length: usize = texts(config, "searches")
        .map(|search| search.len() + 1)
        .sum();
    if length.saturating_sub(1) > limits.characters {
        let detail = format!(
            "must not have more than {} characters (including spaces) in the search list",
            limits.characters
        );
        out.invalid_texts(at_searches, &config["searches"], &detail);
    }
    for (index, search) in texts(config, "searches").enumerate() {
        let relaxed = out.rules.pod.relaxed_search_domains;
        if relaxed && search == "." {
            continue;
        }
        let search = search.strip_suffix('.').unwrap_or(search);
        let complaints = if relaxed {
            word::search_domain(search)
        } else {
            name::dns_subdomain(search)
        };
        out.invalid_text(at_searches.index(index), search, &complaints);
    }
    for (at, option) in each(config, "options", &at) {
        if text(option, "name").is_empty() {
            out.required(at, "must not be empty");
        }
    }
}
