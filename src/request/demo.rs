//! The situations that the program carries: dumps that are planned without a cluster and without a file.

/// A situation.
#[derive(Debug, PartialEq, Eq)]
pub struct Demo {
    /// The name on the command line.
    pub name: &'static str,
    /// The situation, in a line.
    pub situation: &'static str,
    /// The objects, as `dump` writes them: they carry the moment and the version of their plan.
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

/// All demos, as they are listed.
pub static DEMOS: [Demo; 6] = [
    Demo {
        name: "healthy",
        situation: "A new image for three pods, one after the other",
        dump: dump!("healthy"),
    },
    Demo {
        name: "blocked",
        situation: "A broken image: the first new pod crash-loops",
        dump: dump!("blocked"),
    },
    Demo {
        name: "canary",
        situation: "A partition gives two of five pods the image",
        dump: dump!("canary"),
    },
    Demo {
        name: "on-delete",
        situation: "Outdated pods that wait to be deleted by hand",
        dump: dump!("on-delete"),
    },
    Demo {
        name: "data-loss",
        situation: "A scale-down that deletes volumes with data",
        dump: dump!("data-loss"),
    },
    Demo {
        name: "many",
        situation: "Eight sets of a cluster, the stuck ones first",
        dump: dump!("many"),
    },
];

impl Demo {
    /// Returns the demo of that name.
    #[must_use]
    pub fn called(name: &str) -> Option<&'static Demo> {
        DEMOS.iter().find(|demo| demo.name == name)
    }
}
