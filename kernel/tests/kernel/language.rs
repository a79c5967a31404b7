//! Completion and inspection: of the real project's crates, and over the protocol while a cell runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::talk::{Channel, Process, Talk};
use crate::common::{DEP, Project};
use serde_json::{Value, json};
use workbench_language::Language;
use workbench_setup::project::Project as Served;

/// A question that takes longer has waited for something; answers take milliseconds, which `bench features` measures.
const LIMIT: Duration = Duration::from_secs(2);

/// The cursor is at `§`.
fn split(cell: &str) -> (String, usize) {
    let cursor = cell.chars().position(|c| c == '§').unwrap();
    (cell.replacen('§', "", 1), cursor)
}

#[test]
fn the_projects_own_crates_are_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let before = resident();
    let start = Instant::now();
    let language = Arc::new(Language::default());
    eprintln!("std: {:?}", start.elapsed());
    language.learn(&Served::checkout(root));
    while !language.is_ready() {
        assert!(start.elapsed() < Duration::from_secs(240), "no index");
        std::thread::sleep(Duration::from_millis(5));
    }
    eprintln!("first index: {:?}, {} MB more", start.elapsed(), (resident() - before) >> 20);
    let before = resident();
    let start = Instant::now();
    let language = Arc::new(Language::default());
    language.learn(&Served::checkout(root));
    while !language.is_ready() {
        std::thread::sleep(Duration::from_millis(1));
    }
    eprintln!("index from disk: {:?}, {} MB more", start.elapsed(), (resident() - before) >> 20);

    let variables = [
        ("zipf", "workbench::memory::Zipf"),
        ("df", "workbench::polars::prelude::DataFrame"),
        ("a", "workbench::ndarray::ArrayBase<workbench::ndarray::OwnedRepr<f64>, workbench::ndarray::Dim<[usize; 2]>>"),
        ("v", "std::vec::Vec<f64>"),
        ("curves", "std::vec::Vec<workbench::memory::ErrorCurve>"),
    ];
    let variables = variables.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
    let start = format!("{DEP}\nuse workbench::prelude::*;\nuse workbench::memory::{{self, *}};");
    language.ran(&start, variables);

    let mut slowest = Duration::ZERO;
    let mut missing = Vec::new();
    let mut complete = |cell: &str, wanted: &[&str]| {
        let (code, cursor) = split(cell);
        let start = Instant::now();
        let found = language.complete(&code, cursor);
        slowest = slowest.max(start.elapsed());
        eprintln!("{:?} {cell}: {} found", start.elapsed(), found.items.len());
        for name in wanted {
            if !found.items.iter().any(|c| c.text == *name) {
                missing.push(format!("{name} at {cell}"));
            }
        }
    };
    complete("zipf.§", &["clone"]);
    complete("Zipf::§", &["new", "infinite"]);
    complete("memory::§", &["Zipf", "Scheme"]);
    complete("stats::§", &["mean", "power_fit", "Streams"]);
    complete("workbench::display::§", &["Figure", "Table", "emit"]);
    complete("workbench::§", &["memory", "stats", "polars", "ndarray"]);
    complete("Figure::new(\"x\").pan§", &["panel"]);
    complete("Figure::new(\"x\").panel(Panel::new(\"y\").x_la§", &["x_label"]);
    complete("df.§", &["column", "height", "lazy", "clone", "head", "filter"]);
    complete("df.clone().lazy().§", &["filter", "select", "with_column", "group_by", "collect"]);
    complete("df.clone().lazy().filter(col(\"a\").§", &["gt", "lt_eq", "alias", "sum", "mean"]);
    complete("df.column(\"x\")?.§", &["len", "name"]);
    complete("a.§", &["row", "column", "dot", "shape", "mapv", "sum", "t", "iter"]);
    complete("a.row(0).§", &["to_vec", "dot", "len"]);
    complete("Array2::§", &["zeros", "from_shape_vec", "eye"]);
    complete("v.§", &["push", "iter", "len"]);
    complete("v.iter().map(|x| x.sq§", &["sqrt"]);
    complete("let fit = power_fit(&v, &v, (1.0, 2.0))?;\nfit.§", &["slope"]);
    complete("Verdict::§", &["Holds", "Fails"]);
    complete("Threshold::PowerOfDimension { §", &["scale", "exponent"]);
    complete("for c in &curves { c.§ }", &["means", "slope"]);
    complete("let ledger = Ledger::open(\"tour\")?;\nledger.record(\"x\", Evidence::of(Finding::eq§", &["equals"]);
    complete("let f = frame(&[(\"x\", &v)])?;\nf.heig§", &["height"]);
    complete("Led§", &["Ledger"]);
    complete("§", &["zipf", "Figure", "let", "println!", "workbench"]);
    assert!(missing.is_empty(), "{missing:#?}");

    let mut inspect = |cell: &str, wanted: &[&str]| {
        let (code, cursor) = split(cell);
        let start = Instant::now();
        let found = language.inspect(&code, cursor, 0);
        slowest = slowest.max(start.elapsed());
        let text = found.map(|f| f.markdown).unwrap_or_default();
        eprintln!("{:?} {cell}: {} characters", start.elapsed(), text.len());
        for word in wanted {
            assert!(text.contains(word), "{word} is not in what {cell} tells:\n{text}");
        }
    };
    inspect("zi§pf", &["zipf: Zipf", "struct Zipf"]);
    inspect("Zipf::infin§ite(2.0)", &["fn infinite(", "alpha"]);
    inspect("power_fit(§", &["fn power_fit("]);
    inspect("fra§me(&[(\"x\", &v)])", &["fn frame("]);
    inspect("let zi§pf2 = Zipf::infinite(2.0)?;", &["zipf2: Zipf"]);
    inspect("mem§ory::Zipf", &["mod workbench::memory"]);
    inspect("workbe§nch::memory", &["crate workbench"]);
    inspect("df.col§umn(\"x\")", &["fn column(&self, name: &str)"]);
    inspect("a.ma§pv(|x| x)", &["fn mapv"]);
    inspect("Stri§ng::new()", &["struct String"]);
    eprintln!("slowest answer: {slowest:?}");
    assert!(slowest < LIMIT, "{slowest:?}");
}

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// What the kernel offers at the cursor: its reply, and the names in it.
fn complete(talk: &mut Talk, cell: &str) -> (Value, Vec<String>) {
    let (code, cursor) = split(cell);
    let start = Instant::now();
    let reply = talk.ask(Channel::Shell, "complete_request", json!({"code": code, "cursor_pos": cursor})).ok().reply;
    let took = start.elapsed();
    assert!(took < 4 * LIMIT, "{cell} took {took:?}");
    let matches = reply["matches"].as_array().unwrap().iter();
    let matches = matches.map(|m| m.as_str().unwrap().to_owned()).collect();
    (reply, matches)
}

/// What the kernel tells about the place of the cursor.
fn inspect(talk: &mut Talk, cell: &str, detail: u32) -> Value {
    let (code, cursor) = split(cell);
    let content = json!({"code": code, "cursor_pos": cursor, "detail_level": detail});
    talk.ask(Channel::Shell, "inspect_request", content).reply
}

/// Whether the kernel calls code complete.
fn completeness(talk: &mut Talk, code: &str) -> Value {
    talk.ask(Channel::Shell, "is_complete_request", json!({"code": code})).reply["status"].clone()
}

#[test]
fn questions_are_answered_over_the_protocol_and_beside_a_running_cell() {
    let project = Project::new();
    std::fs::write(
        project.root().join("workbench/src/lib.rs"),
        "//! A crate.\n\n/// Sums of outer products.\npub mod memory {\n    /// A memory.\n    ///\n    /// It has $n$ inputs.\n    \
         #[derive(Clone)]\n    pub struct Memory { /// Rows are inputs.\n        pub weights: Vec<f64> }\n    impl Memory {\n        \
         /// An empty memory of a size.\n        pub fn new(size: usize) -> Memory { Memory { weights: vec![0.0; size] } }\n        \
         /// The best output.\n        ///\n        /// **Errors**: none.\n        pub fn retrieve(&self, input: usize) -> f64 { self.weights[input] }\n    }\n}\n",
    )
    .unwrap();
    let mut process = Process::start(&project, &[]);
    let mut talk = Talk::connect(&mut process);
    talk.run(DEP).ok();
    talk.run("use workbench::memory::Memory;\nlet memory = Memory::new(3);\n/// Twice.\nfn double(x: f64) -> f64 { 2.0 * x }")
        .ok();
    let start = Instant::now();
    while !complete(&mut talk, "memory.§").1.contains(&"retrieve".to_owned()) {
        assert!(start.elapsed() < Duration::from_secs(30), "the crate was not indexed");
        std::thread::sleep(Duration::from_millis(50));
    }

    // From every place in a word, the whole word is replaced; positions count characters, not bytes or UTF-16 units.
    let before = "let s = \"größe 𝛼\"; ";
    let word = "memory.retrieve(1)";
    let at = before.chars().count();
    for inside in 0..=8 {
        let cell: String = format!("{before}{word}");
        let cursor = at + 7 + inside;
        let marked: String = cell.chars().take(cursor).chain(['§']).chain(cell.chars().skip(cursor)).collect();
        let (reply, matches) = complete(&mut talk, &marked);
        assert_eq!(reply["cursor_start"], at + 7, "{marked}");
        assert_eq!(reply["cursor_end"], at + 15, "{marked}");
        assert!(matches.contains(&"retrieve".to_owned()), "{marked}: {matches:?}");
        let types = reply["metadata"]["_jupyter_types_experimental"].as_array().unwrap();
        let one = types.iter().find(|t| t["text"] == "retrieve").unwrap();
        assert_eq!(one["type"], "method");
        assert_eq!(one["signature"], "fn retrieve(&self, input: usize) -> f64");
        assert_eq!(one["documentation"], "The best output.");
        let told = inspect(&mut talk, &marked, 0);
        assert_eq!(told["found"], true, "{marked}");
        assert!(told["data"]["text/markdown"].as_str().unwrap().contains("**Errors**: none."), "{told}");
        assert!(!told["data"]["text/plain"].as_str().unwrap().contains("self.weights[input]"));
    }
    assert!(
        inspect(&mut talk, "memory.retr§ieve(1)", 1)["data"]["text/plain"]
            .as_str()
            .unwrap()
            .contains("self.weights[input]")
    );
    assert_eq!(complete(&mut talk, "dou§").1[0], "double");
    assert!(inspect(&mut talk, "dou§ble(1.0)", 0)["data"]["text/plain"].as_str().unwrap().contains("Twice."));
    assert!(inspect(&mut talk, "mem§ory", 0)["data"]["text/plain"].as_str().unwrap().contains("memory: Memory"));
    assert!(
        inspect(&mut talk, "Memory::new(§", 0)["data"]["text/plain"]
            .as_str()
            .unwrap()
            .contains("An empty memory of a size.")
    );
    let nothing = inspect(&mut talk, "unkn§own", 0);
    assert_eq!((&nothing["found"], &nothing["status"]), (&json!(false), &json!("ok")));
    assert_eq!(nothing["data"], json!({}));
    assert_eq!(complete(&mut talk, "unknown_w§").1, [""; 0]);

    for (code, status) in [
        ("let x = 1;", "complete"),
        (":vars", "complete"),
        ("let s = \"two\nlines", "incomplete"),
        ("/* x", "incomplete"),
        ("#[derive(Debug)]", "incomplete"),
        ("x.", "incomplete"),
        ("let x =", "incomplete"),
        ("let s = \"}\";", "complete"),
        ("}", "invalid"),
    ] {
        assert_eq!(completeness(&mut talk, code), status, "{code}");
    }

    // Beside a running cell.
    let cell = talk.cell("std::thread::sleep(std::time::Duration::from_secs(4)); let after = memory.clone();");
    std::thread::sleep(Duration::from_millis(1500));
    let waiting = talk.send(
        Channel::Shell,
        "history_request",
        json!({"hist_access_type": "tail", "n": 1, "output": false, "raw": true}),
    );
    let start = Instant::now();
    assert!(complete(&mut talk, "memory.§").1.contains(&"retrieve".to_owned()));
    assert_eq!(inspect(&mut talk, "mem§ory", 0)["found"], true);
    assert_eq!(completeness(&mut talk, "f("), "incomplete");
    assert!(start.elapsed() < Duration::from_secs(2), "answers waited for the cell: {:?}", start.elapsed());
    let done = talk.finish(&cell).ok();
    talk.finish(&waiting).ok();
    // Told again that it is busy after each answer, and idle once.
    let states: Vec<&Value> = done.all("status").iter().map(|status| &status["execution_state"]).collect();
    assert_eq!(states, ["busy"; 4], "{done:#?}");
    assert!(complete(&mut talk, "after.§").1.contains(&"weights".to_owned()));
}
