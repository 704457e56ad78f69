//! Access to the cluster of a request.

use kubectl_config::Access;

use crate::request::World;

/// Returns the access to the cluster. Reads the environment.
pub fn access(world: &World) -> Access {
    Access {
        namespace: world.namespace.clone(),
        ..Access::of_environment(world.connection.clone())
    }
}
