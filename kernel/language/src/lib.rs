//! Language support: completion, inspection, and whether a cell is finished.
//!
//! Two designs were weighed. A second rust-analyzer over the dependencies' sources answers everything that a compiler
//! could, but it took 16 s and much memory to load them here, its completion crates would have to be compiled with
//! optimisation (minutes of every cold build) to answer in time, and it needs the toolchain's sources for `std`. What is
//! asked in a notebook is narrower: the names of this project's crate, of polars, ndarray, candle, plotters and `std`, on
//! variables whose types the compiler has already told (`types` of the evaluating crate). So an index of our own is read from the
//! crates' sources with the parser that the kernel already has ([`source`]), kept on disk for each version ([`store`]) and
//! loaded by a background thread of low priority. Of `std` all that is stable is known from a file of declarations, which
//! a script writes from the toolchain's pages ([`standard`]): it needs neither sources nor network, and is read once for a
//! process, by that thread or for the first question, not at a kernel's start. Names ([`world`]), types ([`types`]) and expressions ([`infer`]) are
//! resolved in it when asked. What macros generate is not seen, and generics are followed only as far as a chain of
//! methods needs.
//!
//! A cell that has run comes in as text, with the types that the compiler told of its variables; a question is a text and a place in it. The
//! text loses its command lines, [`context`] says what stands at the place, and [`complete`] or [`inspect`] asks the index; [`completeness`]
//! asks the parser alone. Nothing here waits for the thread that evaluates: the session's variables and items are a snapshot taken
//! after each cell.

#![warn(missing_docs)]

pub mod bindings;
mod calls;
pub mod cfg;
pub mod complete;
pub mod completeness;
pub mod context;
pub mod declare;
pub mod docs;
mod finder;
mod impls;
pub mod infer;
pub mod inspect;
pub mod item;
pub mod members;
#[cfg(test)]
mod properties;
pub mod source;
pub mod standard;
pub mod store;
pub mod ty;
pub mod types;
pub mod world;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;

pub use complete::{Completion, Completions};
pub use completeness::{Completeness, is_complete};
pub use inspect::Inspection;

use source::Collector;
use workbench_base::ending::told;
use workbench_base::names::UNASKED_ENV;
use workbench_setup::project::Project;
use world::{CELLS, Scope, World};

/// The index and what the session has defined so far. Shared by all threads of a kernel.
#[derive(Debug)]
pub struct Language {
    world: RwLock<Arc<World>>,
    session: Mutex<Session>,
    /// How many threads read crates.
    learning: Mutex<usize>,
    learnt: Condvar,
}

/// A thread that reads crates, until it ends.
struct Learner(Weak<Language>);

impl Learner {
    fn new(language: &Arc<Language>) -> Learner {
        *language.learning.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Learner(Arc::downgrade(language))
    }
}

impl Drop for Learner {
    fn drop(&mut self) {
        if let Some(language) = self.0.upgrade() {
            *language.learning.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
            language.learnt.notify_all();
        }
    }
}

#[derive(Debug)]
struct Session {
    variables: Vec<(String, String)>,
    dependencies: BTreeSet<String>,
    items: Collector,
}

impl Default for Language {
    fn default() -> Language {
        Language::new(World::default())
    }
}

impl Language {
    /// A language with these crates and an empty session. The standard library is added when it is first needed.
    pub fn new(world: World) -> Language {
        Language {
            world: RwLock::new(Arc::new(world)),
            session: Mutex::new(Session {
                variables: Vec::new(),
                dependencies: BTreeSet::new(),
                items: Collector::new(CELLS, BTreeSet::new()).with_private(),
            }),
            learning: Mutex::new(0),
            learnt: Condvar::new(),
        }
    }

    /// Waits until what is being read has been read, but not longer than `limit`.
    pub fn settle(&self, limit: Duration) {
        let learning = self.learning.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.learnt.wait_timeout_while(learning, limit, |learning| *learning > 0);
        drop(waited);
    }

    /// Learns the crates of a project in the background, with low priority. Until then only `std` and the
    /// session are known; where [`UNASKED_ENV`] is set, for good.
    pub fn learn(self: &Arc<Language>, project: &Project) {
        if std::env::var_os(UNASKED_ENV).is_some() {
            return;
        }
        let project = project.clone();
        self.beside(move |shared| match store::load(&project, &mut || shared.strong_count() > 0) {
            Ok(world) => {
                if let Some(language) = shared.upgrade() {
                    *language.world.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(world);
                }
            }
            Err(error) => eprintln!("completion knows only std and the session: {}", told(&error)),
        });
    }

    /// Learns the crates of the reader's own choice in the background: those that the crate in `folder` depends on, without those
    /// that it calls by names that begin with `known`.
    pub fn learn_others(self: &Arc<Language>, folder: &Path, known: &'static str) {
        let folder = folder.to_path_buf();
        self.beside(move |shared| match store::others(&folder, known) {
            Ok(crates) => {
                if let Some(language) = shared.upgrade() {
                    // With the standard library in it, which comes first.
                    drop(language.world());
                    let mut world = language.world.write().unwrap_or_else(PoisonError::into_inner);
                    let mut with = (**world).clone();
                    crates.into_iter().for_each(|krate| _ = with.replace(krate));
                    *world = Arc::new(with);
                }
            }
            Err(error) => eprintln!("completion knows nothing of the crates that were loaded: {}", told(&error)),
        });
    }

    /// Reads crates on a thread that lets everything else go first.
    fn beside(self: &Arc<Language>, read: impl FnOnce(&Weak<Language>) + Send + 'static) {
        let learner = Learner::new(self);
        let spawned = std::thread::Builder::new().name("index".to_owned()).stack_size(64 << 20).spawn(move || {
            // A question may wait for this.
            standard::standard();
            store::lower_priority();
            read(&learner.0);
        });
        if let Err(error) = spawned {
            eprintln!("completion knows only std and the session: {error}");
        }
    }

    /// Whether more than `std` is known.
    pub fn is_ready(&self) -> bool {
        self.world().crates().count() > 1
    }

    fn world(&self) -> Arc<World> {
        let known = self.world.read().unwrap_or_else(PoisonError::into_inner).clone();
        if known.crates().next().is_some() {
            return known;
        }
        let standard = standard::standard();
        let mut world = self.world.write().unwrap_or_else(PoisonError::into_inner);
        if world.crates().next().is_none() {
            *world = Arc::new(World::new(standard));
        }
        world.clone()
    }

    /// Takes note of a cell that ran: what it imports and defines, and the session's variables and their types after it.
    pub fn ran(&self, source: &str, variables: Vec<(String, String)>) {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if source.lines().any(|line| matches!(line.trim(), ":clear" | ":restart")) {
            session.items = Collector::new(CELLS, BTreeSet::new()).with_private();
        }
        session.dependencies.extend(context::dependencies(source));
        session.items.cell(&context::without_commands(source), 0);
        session.variables = variables;
    }

    /// Candidates for the word around a position, counted in characters.
    pub fn complete(&self, source: &str, cursor: usize) -> Completions {
        complete::complete(&self.view(source), source, cursor)
    }

    /// What the word around a position, or the call around it, is. `detail` 1 adds the source.
    pub fn inspect(&self, source: &str, cursor: usize, detail: u32) -> Option<Inspection> {
        inspect::inspect(&self.view(source), source, cursor, detail)
    }

    fn view(&self, source: &str) -> View {
        let mut world = (*self.world()).clone();
        let (mut items, variables, mut dependencies) = {
            let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
            (session.items.clone(), session.variables.clone(), session.dependencies.clone())
        };
        dependencies.extend(context::dependencies(source));
        let current = items.module(0, "current");
        items.cell(&context::without_commands(source), current);
        let krate = world.add(items.finish());
        View { world, scope: (krate, current), variables, dependencies }
    }
}

/// All that one question is answered from.
#[derive(Debug)]
pub struct View {
    /// The crates, the session's cells last.
    pub world: World,
    /// The cell being written.
    pub scope: Scope,
    /// Variables of earlier cells.
    pub variables: Vec<(String, String)>,
    /// Crates that were loaded.
    pub dependencies: BTreeSet<String>,
}

#[cfg(test)]
pub(crate) mod testing {
    use super::infer::Infer;
    use super::*;
    use ra_ap_syntax::ast::{self, AstNode, HasName};
    use ra_ap_syntax::{Edition, SourceFile, SyntaxNode};

    /// A cell whose text may be broken, as a function's body.
    pub fn parsed(cell: &str) -> SyntaxNode {
        SourceFile::parse(&format!("fn cell() {{\n{cell}\n}}"), Edition::Edition2024).tree().syntax().clone()
    }

    /// Asks about a cell.
    pub fn ask<T>(cell: &str, question: impl FnOnce(&Infer<'_>, &SyntaxNode) -> T) -> T {
        let view = language().view(cell);
        let infer = Infer::new(&view.world, view.scope, &view.variables);
        question(&infer, &parsed(cell))
    }

    /// The type of the variable that a cell's `let NAME` makes.
    pub fn type_of(cell: &str, name: &str) -> String {
        ask(cell, |infer, root| {
            let mut patterns = root.descendants().filter_map(ast::IdentPat::cast);
            let pattern = patterns.find(|pattern| pattern.name().is_some_and(|found| found.text() == name));
            let ty = pattern.and_then(|pattern| infer.defined(&pattern));
            ty.map_or_else(|| "none".to_owned(), |ty| infer.world.show(&ty))
        })
    }

    /// Pieces of cells, whole and broken.
    pub const PIECES: [&str; 28] = [
        "let ",
        "x",
        " = ",
        "1.5",
        "\"s\"",
        "vec![",
        "]",
        "(",
        ")",
        "{",
        "}",
        ".map(|v| ",
        ".collect::<Vec<_>>()",
        ";\n",
        "fn f<T: ",
        "struct S { a: ",
        "impl S ",
        "match x { ",
        " => ",
        ", ",
        "&",
        "::<",
        ">",
        "for i in 0..",
        "if let Some(y) = ",
        "?",
        "#[derive(",
        "größe",
    ];

    /// A language with a small crate `workbench`, as notebooks know it.
    pub fn language() -> Language {
        let mut world = World::new(standard::standard());
        world.add(Collector::new("workbench", BTreeSet::new()).text(WORKBENCH));
        let language = Language::new(world);
        language.ran(":dep workbench = { path = \"../workbench\" }\nuse workbench::prelude::*;", Vec::new());
        language
    }

    const WORKBENCH: &str = r"
        pub mod prelude { pub use crate::display::{self, Figure, Panel, ShowTable}; pub use crate::stats::{self, mean}; }
        /// Associative memories.
        pub mod memory {
            /// A sum of outer products.
            ///
            /// The whole story, `E[x]`.
            #[derive(Debug, Clone)]
            pub struct AssociativeMemory { /// Rows are inputs.
                pub weights: Vec<f64>, hidden: u8 }
            /// What can go wrong.
            #[derive(Debug)]
            pub enum Error { /// Too small.
                Small { n: u64, limit: u64 }, Other(String) }
            impl AssociativeMemory {
                /// Stores pairs one after the other.
                /// **Errors**: when shapes differ.
                pub fn store(inputs: &[f64], rate: f64) -> Result<AssociativeMemory, Error> { todo!() }
                /// The most likely output of an input.
                pub fn retrieve(&self, input: usize) -> Option<String> { todo!() }
                /// The scores.
                pub fn scores(&self) -> Vec<f64> { todo!() }
                fn secret(&self) {}
            }
            /// Law with power tails.
            pub struct Zipf;
            impl Zipf { /// Infinite support.
                pub fn infinite(alpha: f64) -> Result<Zipf, Error> { Ok(Zipf) } pub const LIMIT: u64 = 1; }
        }
        /// Statistics.
        pub mod stats { /// The mean with its interval.
            pub fn mean(values: &[f64]) -> Result<Estimate, super::memory::Error> { todo!() }
            /// A measured number.
            pub struct Estimate { /// Lower end.
                pub low: f64, pub high: f64 } }
        /// Tables and figures.
        pub mod display {
            /// Panels beside each other.
            pub struct Figure; pub struct Panel;
            impl Figure { /// An empty figure.
                pub fn new(title: impl Into<String>) -> Figure { Figure } /// Adds a panel.
                pub fn panel(self, panel: Panel) -> Figure { self } }
            impl Panel { pub fn new(title: &str) -> Panel { Panel } pub fn line(self, x: &[f64]) -> Panel { self } }
            /// Shows a value as a table.
            pub trait ShowTable { /// The table.
                fn show_table(&self) -> String; }
            impl<T> ShowTable for Vec<T> { }
        }
    ";
}
