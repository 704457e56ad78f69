//! The bundled examples: dumps that are planned without a cluster or a file.

/// A bundled example.
#[derive(Debug, PartialEq, Eq)]
pub struct Demo {
    /// Command-line name.
    pub name: &'static str,
    /// One-line description.
    pub situation: &'static str,
    /// The objects as `dump` writes them, with the time and version of their plan.
    pub dump: &'static str,
}

/// The dump of a demo in the folder `demos`.
macro_rules! dump {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/demos/",
            $name,
            ".yaml"
        ))
    };
}

/// All demos, in the order of the list.
pub static DEMOS: [Demo; 6] = [
    Demo {
        name: "healthy",
        situation: "A new image, rolled out to three pods one by one",
        dump: dump!("healthy"),
    },
    Demo {
        name: "blocked",
        situation: "A broken image: the first new pod crash-loops",
        dump: dump!("blocked"),
    },
    Demo {
        name: "canary",
        situation: "A partition limits a new image to two of five pods",
        dump: dump!("canary"),
    },
    Demo {
        name: "on-delete",
        situation: "OnDelete: outdated pods wait for a manual delete",
        dump: dump!("on-delete"),
    },
    Demo {
        name: "data-loss",
        situation: "A scale-down that deletes volumes with data",
        dump: dump!("data-loss"),
    },
    Demo {
        name: "many",
        situation: "Eight sets of a cluster, stuck sets first",
        dump: dump!("many"),
    },
];

impl Demo {
    /// Returns the demo with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Demo> {
        DEMOS.iter().find(|demo| demo.name == name)
    }
}
