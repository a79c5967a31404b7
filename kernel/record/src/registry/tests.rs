//! The registry: what is refused, and that ours is sound.

use super::*;

const TWO: &str = r#"
[[paper]]
id = "memory"
title = "A memory"
[[claim]]
id = "memory/energy-falls"
paper = "memory"
where = "Lemma 1"
kind = "lemma"
says = "The energy falls."
setup = "Not given."
check = "Run it."
reach = "cpu-seconds"
notebook = "memory-model"
[[claim]]
id = "memory/rate"
paper = "memory"
where = "Theorem 2"
kind = "theorem"
says = "The rate is 1/2."
setup = "Not given."
check = "Fit it."
reach = "cpu-seconds"
notebook = "memory-model"
"#;

fn parse(text: &str) -> Result<Registry, Error> {
    Registry::parse(text, Path::new("claims.toml"))
}

#[test]
fn keeps_the_order_of_the_file() {
    let registry = parse(TWO).unwrap();
    assert_eq!(registry.claims().len(), 2);
    assert_eq!(registry.position("memory/rate"), Some(1));
    assert_eq!(registry.get("memory/rate").unwrap().place, "Theorem 2");
    assert_eq!(registry.of_notebook("memory-model").len(), 2);
    assert_eq!(registry.notebooks()["memory-model"], 2);
}

#[test]
fn refuses_what_is_not_toml_with_its_line() {
    let error = parse("[[claim]\nid = 3").unwrap_err();
    assert!(matches!(error, Error::NotToml { .. }));
    assert!(error.to_string().contains("line 1"), "{error}");
    assert!(matches!(parse(&TWO.replace("where", "wher")).unwrap_err(), Error::NotToml { .. }));
}

#[test]
fn refuses_a_repeated_id() {
    let text = TWO.replace("memory/rate", "memory/energy-falls");
    let error = parse(&text).unwrap_err();
    assert!(matches!(&error, Error::DuplicateId { id, .. } if id == "memory/energy-falls"));
    let text = format!("[[paper]]\nid = \"memory\"\ntitle = \"again\"\n{TWO}");
    assert!(matches!(parse(&text).unwrap_err(), Error::DuplicateId { kind: "paper", .. }));
}

#[test]
fn refuses_an_empty_field_and_names_it() {
    let error = parse(&TWO.replace("Fit it.", "  ")).unwrap_err();
    assert!(matches!(&error, Error::EmptyField { id, field: "check", .. } if id == "memory/rate"));
    let error = parse(&TWO.replace("\"memory/rate\"", "\"\"")).unwrap_err();
    assert!(error.to_string().contains("claim row 2"), "{error}");
}

#[test]
fn refuses_a_kind_and_a_reach_that_no_list_has() {
    let told = |from: &str, to: &str| parse(&TWO.replace(from, to)).unwrap_err().to_string();
    let kind = told("\"theorem\"", "\"theorme\"");
    assert!(
        kind.contains("`kind` of `memory/rate` is `theorme`") && kind.contains("table, theorem; did you"),
        "{kind}"
    );
    let reach = told("cpu-seconds", "cpu-hours");
    assert!(reach.contains("cpu-seconds, cpu-minutes, gpu, scaled-down"), "{reach}");
}

#[test]
fn refuses_an_unknown_paper_and_a_foreign_id() {
    let error = parse(&TWO.replace("paper = \"memory\"", "paper = \"mem\"")).unwrap_err();
    assert!(matches!(&error, Error::UnknownPaper { paper, .. } if paper == "mem"));
    for id in ["rate", "memory/", "memory/a/b", "memory/a b", "memoryrate", "memory/<b>", "memory/.."] {
        let error = parse(&TWO.replace("memory/rate", id)).unwrap_err();
        assert!(matches!(error, Error::MalformedId { .. }), "{id}");
    }
    for id in ["..", "a/../b", "<script>", "it's"] {
        let error = parse(&format!("[[paper]]\nid = \"{id}\"\ntitle = \"T\"\n")).unwrap_err();
        assert!(matches!(error, Error::MalformedPaper { .. }), "{id}");
    }
}

#[test]
fn an_unknown_id_is_answered_with_the_nearest() {
    let registry = parse(TWO).unwrap();
    let error = registry.get("memory/energy-fals").unwrap_err();
    assert_eq!(
        error.to_string(),
        "claim `memory/energy-fals` is not in the registry; did you mean `memory/energy-falls`?"
    );
    let error = registry.get("quite-something-else-altogether").unwrap_err();
    assert!(error.to_string().ends_with(" list` shows all"), "{error}");
    let error = registry.get("memory/quux").unwrap_err();
    assert!(error.to_string().ends_with(" list` shows all"), "a paper in common is no likeness: {error}");
}

#[test]
fn what_a_claim_rests_on_exists_and_is_no_circle() {
    let uses = |of: &str, used: &str| {
        let says = format!("says = \"{of}\"");
        TWO.replace(&says, &format!("{says}\nuses = [\"{used}\"]"))
    };
    let sound = parse(&uses("The rate is 1/2.", "memory/energy-falls")).unwrap();
    assert_eq!(sound.users_of("memory/energy-falls")[0].id, "memory/rate");
    let error = parse(&uses("The rate is 1/2.", "memory/energy-fals")).unwrap_err();
    assert!(error.to_string().contains("did you mean `memory/energy-falls`"), "{error}");
    let error = parse(&uses("The rate is 1/2.", "memory/quux")).unwrap_err();
    assert!(error.to_string().ends_with("; write the id of one of its rows"), "{error}");
    let error = parse(&uses("The rate is 1/2.", "memory/rate")).unwrap_err();
    assert!(matches!(&error, Error::Circle { circle, .. } if circle == "memory/rate -> memory/rate"));
    let both = uses("The rate is 1/2.", "memory/energy-falls")
        .replace("says = \"The energy falls.\"", "says = \"x\"\nuses = [\"memory/rate\"]");
    let error = parse(&both).unwrap_err();
    let circle = "memory/energy-falls -> memory/rate -> memory/energy-falls";
    assert!(error.to_string().contains(circle), "{error}");
}

#[test]
fn copies_share_the_checks_that_one_of_them_has_read() {
    let registry = parse(TWO).unwrap();
    let copy = registry.clone();
    assert!(std::ptr::eq(copy.checks(), registry.checks()));
}

#[test]
fn patterns_match_whole_ids() {
    let registry = parse(TWO).unwrap();
    let ids = |pattern: &str| -> Vec<String> {
        let found = registry.matching(pattern).unwrap();
        found.iter().map(|claim| claim.id.clone()).collect()
    };
    assert_eq!(ids("memory/rate"), ["memory/rate"]);
    assert_eq!(ids("*/energy*"), ["memory/energy-falls"]);
    assert_eq!(ids("mem*"), ["memory/energy-falls", "memory/rate"]);
    let told = |pattern: &str| registry.matching(pattern).unwrap_err().to_string();
    assert!(told("rate").contains("did you mean `memory/rate`"), "{}", told("rate"));
    assert!(told("[").contains("pattern `[`"), "{}", told("["));
}

#[test]
fn our_own_registry_reads_and_every_open_claim_says_why() {
    let notebooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notebooks");
    let registry = Registry::read(&notebooks.join("claims.toml")).unwrap();
    for ours in ["gradient-memory", "heavy-tailed", "memformer", "mnemosyne"] {
        assert!(registry.papers().iter().any(|paper| paper.id == ours), "{ours}");
        let mut own = registry.claims().iter().filter(|claim| claim.paper == ours);
        assert!(own.any(|claim| !claim.uses.is_empty()), "{ours}: what rests on what");
    }
    let expected = std::fs::read_to_string(notebooks.join("results/expected.csv")).unwrap();
    let judged = |id: &str| expected.lines().any(|line| line.split(',').next() == Some(id));
    for claim in registry.claims() {
        let told = notebooks.join(format!("{}.ipynb", claim.notebook)).is_file();
        assert!(told || !claim.open.is_empty(), "{}: a notebook or a reason", claim.id);
        assert!(claim.open.is_empty() || !judged(&claim.id), "{}: open and judged", claim.id);
    }
}
