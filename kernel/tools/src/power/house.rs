//! Where faults are planted, and which program judges them: the rooms of the checkout, or the methods of a reader's own package.

use std::path::Path;

use workbench_setup::paths::{own_package, paper_rooms};

/// The program of the checkout.
const VERIFY: &str = "workbench-verify";

/// A project as `power` sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct House {
    /// The rooms with methods, by name, and their sources below the root.
    pub rooms: Vec<(String, String)>,
    /// What else the answers depend on: sources below the root.
    pub judges: Vec<String>,
    /// The room that all others stand on: the front page of its sources declares the module that plants faults.
    pub ground: String,
    /// The program that runs a check.
    pub program: String,
    /// What it is told before the words of `verify`.
    pub command: Option<&'static str>,
    /// What names of the project's own packages begin with, in a build folder.
    pub own: String,
}

impl House {
    /// The house at a root.
    pub fn of(root: &Path) -> House {
        let sources = |room: &str| format!("workbench/{room}/src");
        match own_package(root) {
            Some(package) => House {
                rooms: vec![("src".into(), "src".into())],
                judges: Vec::new(),
                ground: "src".into(),
                own: package.replace('-', "_"),
                program: package,
                command: Some("verify"),
            },
            None => House {
                rooms: [vec!["ground".to_string()], paper_rooms(root)]
                    .concat()
                    .into_iter()
                    .map(|room| (room.clone(), sources(&room)))
                    .collect(),
                judges: vec![sources("ledger"), "kernel/record/src".into()],
                ground: "ground".into(),
                program: VERIFY.into(),
                command: None,
                own: "workbench".into(),
            },
        }
    }

    /// The sources of the ground.
    pub fn ground_sources(&self) -> &str {
        self.rooms.iter().find(|(room, _)| *room == self.ground).map_or("", |(_, sources)| sources)
    }

    /// How a room names the module that plants faults.
    pub fn faults_for(&self, room: &str) -> String {
        format!("{}::faults", if room == self.ground { "crate" } else { "::workbench_ground" })
    }

    /// What cargo builds, beside its command.
    pub fn build(&self) -> Vec<&str> {
        let scope: &[&str] = if self.command.is_some() { &[] } else { &["--workspace", "--locked"] };
        [scope, &["--bin", &self.program, "--message-format=json"]].concat()
    }
}
