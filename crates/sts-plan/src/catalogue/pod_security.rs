//! The fields that a refusal of Pod Security asks for.

/// Returns what the containers have to set, as the server says it: `container "db" must set
/// securityContext.allowPrivilegeEscalation=false; pod or container "db" must set securityContext.runAsNonRoot=true`.
/// `None` if the message names no field.
pub(crate) fn demanded(message: &str) -> Option<String> {
    let (_, violations) = message.split_once("violates PodSecurity ")?;
    let demands: Vec<&str> = groups(violations)
        .filter(|it| it.contains(" must "))
        .collect();
    (!demands.is_empty()).then(|| demands.join("; "))
}

/// Returns the texts in the outermost brackets of a message.
fn groups(message: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let mut start = 0;
    message.char_indices().filter_map(move |(at, c)| {
        match c {
            '(' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return message.get(start..at);
                }
            }
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::demanded;

    #[test]
    fn the_demands_are_those_of_the_server() {
        let message = "pods \"db-0\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces \
            (hostNetwork=true), privileged (container \"db\" must not set securityContext.privileged=true), \
            unrestricted capabilities (containers \"db\", \"log\" must set securityContext.capabilities.drop=[\"ALL\"])";
        let told = demanded(message).unwrap();
        assert_eq!(
            told,
            "container \"db\" must not set securityContext.privileged=true; containers \"db\", \"log\" must set \
             securityContext.capabilities.drop=[\"ALL\"]"
        );
        assert_eq!(
            demanded("violates PodSecurity \"restricted:latest\": runAsNonRoot"),
            None
        );
    }
}
