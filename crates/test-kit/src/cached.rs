//! The controller's cache in the tests: on, unless `STS_CONTROLLER_CACHE=off`, which one run of `.ci/run` sets.

use sts_controller::controller::Cache;
use sts_controller::simulate::World;

fn is_off() -> bool {
    std::env::var_os("STS_CONTROLLER_CACHE").is_some_and(|value| value == "off")
}

/// Returns an empty cache.
pub fn cache() -> Cache {
    if is_off() {
        Cache::off()
    } else {
        Cache::default()
    }
}

/// Returns the world with its cache on or off.
pub fn world(world: World) -> World {
    if is_off() {
        world.without_cache()
    } else {
        world
    }
}
