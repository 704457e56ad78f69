//! Built-in examples: dumps that need neither a cluster nor a file.

/// A demo.
#[derive(Debug, PartialEq, Eq)]
pub struct Demo {
    /// Name on the command line.
    pub name: &'static str,
    /// Description on one line.
    pub situation: &'static str,
    /// Objects in the format of `dump`, with the time and version of their plan.
    pub dump: &'static str,
}

/// Includes a dump from the directory `demos`.
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
        situation: "A new image, rolled out one pod at a time",
        dump: dump!("healthy"),
    },
    Demo {
        name: "blocked",
        situation: "A broken image: the first new pod crash-loops",
        dump: dump!("blocked"),
    },
    Demo {
        name: "canary",
        situation: "A partition updates only two of five pods",
        dump: dump!("canary"),
    },
    Demo {
        name: "on-delete",
        situation: "Outdated pods waiting for a manual delete",
        dump: dump!("on-delete"),
    },
    Demo {
        name: "data-loss",
        situation: "A scale-down that deletes volumes with data",
        dump: dump!("data-loss"),
    },
    Demo {
        name: "many",
        situation: "Eight sets of a cluster, stuck ones first",
        dump: dump!("many"),
    },
];

impl Demo {
    /// Looks a demo up.
    pub fn by_name(name: &str) -> Option<&'static Demo> {
        DEMOS.iter().find(|demo| demo.name == name)
    }
}
