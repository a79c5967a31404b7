use super::*;

const CLAIMS: &str = "[[paper]]\nid = \"a-b\"\ntitle = \"A\"\n\n[[paper]]\nid = \"c\"\ntitle = \"C\"\n\n# ---- a-b\n\n\
    [[claim]]\nid = \"a-b/one\"\npaper = \"a-b\"\nwhere = \"Eq. 1\"\nkind = \"identity\"\nsays = \"s\"\nsetup = \"s\"\ncheck = \"c\"\n\
    reach = \"cpu-seconds\"\nnotebook = \"first\"\n\n# ---- c\n\n\
    [[claim]]\nid = \"c/one\"\npaper = \"c\"\nwhere = \"Eq. 1\"\nkind = \"identity\"\nsays = \"s\"\nsetup = \"s\"\ncheck = \"c\"\n\
    reach = \"cpu-seconds\"\nnotebook = \"third\"\n";

fn project() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for inside in ["notebooks", "kernel", "workbench", "workbench/checks/a_b/src", "workbench/checks/c/src"] {
        std::fs::create_dir_all(root.join(inside)).unwrap();
    }
    for (file, text) in [
        ("Cargo.toml", "[workspace]\nmembers = []\n"),
        ("kernel/Cargo.toml", ""),
        ("workbench/Cargo.toml", ""),
        ("notebooks/claims.toml", CLAIMS),
        ("workbench/checks/a_b/src/lib.rs", "//! Page.\n\n// First.\npub mod one;\n\nuse x;\n"),
        ("workbench/checks/a_b/src/one.rs", ""),
    ] {
        std::fs::write(root.join(file), text).unwrap();
    }
    let workspace = Workspace::at(root).unwrap();
    (folder, workspace)
}

fn claim(id: &str) -> ClaimArgs {
    ClaimArgs {
        id: id.into(),
        given: ClaimText { place: Some("Eq. \"2\"".into()), ..ClaimText::default() },
        notebook: None,
    }
}

fn plan(claim: &ClaimArgs, workspace: &Workspace) -> Result<Plan> {
    Plan::of(claim, &Registry::read(&workspace.notebooks().join("claims.toml")).unwrap(), workspace, &[])
}

#[test]
fn every_place_has_the_claim_and_nothing_else_has_changed() {
    let (_folder, workspace) = project();
    let made = plan(&claim("a-b/two-more"), &workspace).unwrap();
    for (path, text) in &made.files {
        std::fs::write(path, text).unwrap();
    }
    let registry = Registry::read(&workspace.notebooks().join("claims.toml")).unwrap();
    let ids: Vec<&str> = registry.claims().iter().map(|claim| claim.id.as_str()).collect();
    assert_eq!(ids, ["a-b/one", "a-b/two-more", "c/one"], "after the last of its paper");
    let new = registry.get("a-b/two-more").unwrap();
    assert_eq!((new.place.as_str(), new.notebook.as_str()), ("Eq. \"2\"", "first"));
    let found = registry.checks().of("a-b/two-more").unwrap();
    assert_eq!(found.name, "a_b::two_more::CHECK");
    let lib = std::fs::read_to_string(workspace.root().join("workbench/checks/a_b/src/lib.rs")).unwrap();
    assert_eq!(lib, "//! Page.\n\n// First.\npub mod one;\npub mod two_more;\n\nuse x;\n");
    let cells = workbench_record::Cells::read(&workspace.notebooks().join("first.ipynb")).unwrap();
    let recorded: Vec<String> =
        cells.code().iter().flat_map(|(_, source)| registry.recorded_in("first", source)).collect();
    assert_eq!(recorded, ["a-b/two-more"]);
    assert!(
        made.next.contains("verify a-b/two-more") && made.next.contains("To take it back: delete"),
        "{}",
        made.next
    );
    assert!(made.next.contains("its section of first.ipynb, a new notebook; then"), "{}", made.next);
    let again = plan(&claim("a-b/three"), &workspace).unwrap();
    let (path, text) = &again.files[3];
    std::fs::write(path, text).unwrap();
    assert_eq!(Notebook::read_ours(path).unwrap().cells().len(), 3, "a notebook that is there gets a section");
    assert!(again.next.contains("its section of first.ipynb; then"), "{}", again.next);
}

#[test]
fn what_cannot_be_begun_is_refused_with_the_next_thing_to_try() {
    let (_folder, workspace) = project();
    for (id, hint) in [
        ("eq-6", "a paper of a-b, c"),
        ("d/eq-6", "one of a-b, c, or begin it"),
        ("c/Eq 6", "as in a-b/eq-6"),
        ("c/6", "as in a-b/eq-6"),
        ("c/one", "never used again"),
        ("a-b/load", "first has a cell `load`; choose another name, as in load-1"),
    ] {
        let error = plan(&claim(id), &workspace).unwrap_err().to_string();
        assert!(error.contains(hint) && error.contains(id), "{error}");
    }
    for name in ["../outside", "two words", ""] {
        let elsewhere = ClaimArgs { notebook: Some(name.into()), ..claim("a-b/two") };
        let error = plan(&elsewhere, &workspace).unwrap_err().to_string();
        assert!(error.contains("--notebook: ") && error.contains("as in --notebook a-b"), "{error}");
    }
    std::fs::write(workspace.root().join("workbench/checks/a_b/src/two.rs"), "").unwrap();
    assert!(plan(&claim("a-b/two"), &workspace).unwrap_err().to_string().contains("exists"));
}

#[test]
fn where_one_file_cannot_be_written_none_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("old"), "before").unwrap();
    std::fs::write(path("in the way"), "").unwrap();
    let files = [("old", "after"), ("new", "text"), ("a/b/new", "text"), ("in the way/inside", "text")];
    write(&files.map(|(name, text)| (path(name), text.to_string()))).unwrap_err();
    assert_eq!((std::fs::read_to_string(path("old")).unwrap().as_str(), path("new").exists()), ("before", false));
    assert!(!path("a").exists(), "no folder that was made for one stays");
}

/// The files of this project that a paper adds to, elsewhere.
fn copied() -> (tempfile::TempDir, Workspace) {
    let (folder, here) = (tempfile::tempdir().unwrap(), Workspace::find().unwrap());
    for file in [
        "Cargo.toml",
        "kernel/Cargo.toml",
        "notebooks/claims.toml",
        "workbench/Cargo.toml",
        "workbench/src/lib.rs",
        "workbench/checks/Cargo.toml",
        "workbench/checks/src/lib.rs",
    ] {
        let to = folder.path().join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(here.root().join(file), to).unwrap();
    }
    let workspace = Workspace::at(folder.path()).unwrap();
    (folder, workspace)
}

fn records(name: &str) -> PaperArgs {
    paper_of(name, "Records in \"random\" sequences")
}

fn paper_of(name: &str, title: &str) -> PaperArgs {
    PaperArgs { name: name.into(), title: title.into(), claim: "eq-1".into(), given: ClaimText::default(), own: false }
}

#[test]
fn a_paper_has_a_room_checks_and_its_place_in_every_list() {
    let (_folder, workspace) = copied();
    let registry = || Registry::read(&workspace.notebooks().join("claims.toml")).unwrap();
    let before = registry().claims().len();
    write(&paper::files(&records("some-records"), &registry(), &workspace).unwrap()).unwrap();
    write(&plan(&claim("some-records/eq-1"), &workspace).unwrap().files).unwrap();
    let now = registry();
    assert_eq!(now.papers().last().unwrap().title, "Records in \"random\" sequences");
    assert_eq!((now.claims().len(), now.claims().last().unwrap().id.as_str()), (before + 1, "some-records/eq-1"));
    assert_eq!(now.checks().of("some-records/eq-1").unwrap().name, "some_records::eq_1::CHECK");
    let text = |file: &str| std::fs::read_to_string(workspace.root().join(file)).unwrap();
    for file in ["Cargo.toml", "workbench/Cargo.toml", "workbench/checks/Cargo.toml"] {
        text(file).parse::<toml::Table>().unwrap();
    }
    let members: toml::Table = text("Cargo.toml").parse().unwrap();
    let members = members["workspace"]["members"].as_array().unwrap().clone();
    for member in ["workbench/some_records", "workbench/checks/some_records"] {
        assert!(members.iter().any(|one| one.as_str() == Some(member)), "{member}");
        text(&format!("{member}/Cargo.toml")).parse::<toml::Table>().unwrap();
    }
    let all = text("workbench/checks/src/lib.rs");
    assert!(all.contains("::all(), some_records::all()].concat()"), "{all}");
    assert!(all.contains("//! | [`some_records`]"));
    assert!(text("workbench/src/lib.rs").contains("pub use workbench_some_records::*;"));
    let own = text("workbench/checks/some_records/src/lib.rs");
    assert!(own.contains("\n\npub mod eq_1;\n\ninclude!("), "{own}");
    assert_eq!(workbench_setup::paths::paper_rooms(workspace.root()), ["some_records"]);
    assert!(workspace.notebooks().join("some-records.ipynb").is_file());
}

#[test]
fn a_paper_that_cannot_be_begun_changes_nothing() {
    let (_folder, workspace) = copied();
    let registry = Registry::read(&workspace.notebooks().join("claims.toml")).unwrap();
    let untitled = PaperArgs { title: " ".into(), ..records("a") };
    let badly = PaperArgs { claim: "Eq 1".into(), ..records("a") };
    for (args, hint) in [
        (records("Some Records"), "small letters"),
        (records("1st"), "begins with a letter"),
        (records("memformer"), "new claim memformer/NAME"),
        (records("checks"), "choose another name"),
        (untitled, "give the paper's title as printed, on one line: --title"),
        (paper_of("a", "On\nsums"), "--title: a line break is its character 3"),
        (badly, "small letters"),
    ] {
        let error = paper::files(&args, &registry, &workspace).unwrap_err().to_string();
        assert!(error.contains(hint) && error.contains(&args.name), "{error}");
    }
    std::fs::write(workspace.root().join("workbench/checks/src/lib.rs"), "").unwrap();
    let error = paper::files(&records("a"), &registry, &workspace).unwrap_err().to_string();
    assert!(error.contains("checks/src/lib.rs"), "{error}");
}

#[test]
fn a_project_of_ones_own_has_what_a_package_and_a_registry_need() {
    let here = tempfile::tempdir().unwrap();
    let given = ClaimText {
        place: Some("Eq. 1".into()),
        says: Some("Records are\n rare.".into()),
        setup: Some("n = 100.".into()),
        check: Some("Counts beside the sum of 1/k; the twin leaves out the first.".into()),
        kind: Some("lemma".into()),
    };
    let project = PaperArgs { given, ..paper_of("random-records", "Records in \"random\" {title} {name} sequences") };
    let folder = project.folder(here.path()).unwrap();
    write(&project.files(&folder).unwrap()).unwrap();
    let workspace = Workspace::at(&folder).unwrap();
    assert!(workspace.is_own());
    let registry = Registry::read(&workspace.notebooks().join("claims.toml")).unwrap();
    assert_eq!(registry.papers()[0].title, "Records in \"random\" {title} {name} sequences");
    let manifest: toml::Table = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
    assert_eq!(manifest["package"]["rust-version"].as_str(), Some(env!("CARGO_PKG_RUST_VERSION")));
    let made = plan(&first(&project), &workspace).unwrap();
    write(&made.files).unwrap();
    let library = std::fs::read_to_string(folder.join("src/lib.rs")).unwrap();
    assert!(library.contains("prelude;\n\npub mod methods;\npub mod eq_1;\n\ninclude!("), "{library}");
    assert!(
        made.next.starts_with("write src/eq_1.rs, with its methods in src/methods.rs, and its section of"),
        "{}",
        made.next
    );
    assert!(made.next.contains("  workbench verify random-records/eq-1 --full"), "{}", made.next);
    let registry = Registry::read(&workspace.notebooks().join("claims.toml")).unwrap();
    assert_eq!(registry.checks().of("random-records/eq-1").unwrap().file, Path::new("src/eq_1.rs"));
    let notebook = std::fs::read_to_string(folder.join("notebooks/random-records.ipynb")).unwrap();
    assert!(notebook.contains("use random_records::prelude::*;"), "{notebook}");
    for (name, title, hint) in [
        ("random-records", "T", "exists; choose another name"),
        ("Records", "T", "small letters"),
        ("records", " ", "--title"),
        ("core", "T", "choose another"),
        ("methods", "T", "choose another"),
        ("workbench-x", "T", "choose another"),
    ] {
        let said = paper_of(name, title).folder(here.path()).unwrap_err().to_string();
        assert!(said.contains(hint), "{said}");
    }
    let said = paper_of("inner", "T").folder(&folder.join("src")).unwrap_err().to_string();
    assert!(said.contains("is inside of the project") && said.contains("new paper inner"), "{said}");
    let first = registry.get("random-records/eq-1").unwrap();
    assert_eq!((first.place.as_str(), first.says.as_str()), ("Eq. 1", "Records are rare."));
    assert_eq!((first.kind.as_str(), first.setup.as_str()), ("lemma", "n = 100."));
    assert!(!std::fs::read_to_string(registry.path()).unwrap().contains("WHAT"), "nothing is left to write there");
    let named = PaperArgs { claim: "prelude".into(), ..paper_of("other", "T") };
    let said = named.files(&here.path().join("other")).unwrap_err().to_string();
    assert!(said.contains("--claim prelude: the library has `prelude` already"), "{said}");
    let (begun, plan) = with_first(&paper_of("second-one", "Two"), &registry, &workspace).unwrap();
    assert_eq!(Registry::read(registry.path()).unwrap().papers().len(), 1, "nothing is written before all is known");
    write(&begun).unwrap();
    write(&plan.files).unwrap();
    let both = Registry::read(registry.path()).unwrap();
    assert_eq!((both.papers().len(), both.claims().len()), (2, 2), "a paper more, with a first claim of the same name");
    assert_eq!(both.checks().of("second-one/eq-1").unwrap().file, Path::new("src/second_one_eq_1.rs"));
    let cells = std::fs::read_to_string(folder.join("notebooks/second-one.ipynb")).unwrap();
    assert!(cells.contains("ledger.check(second_one_eq_1::CHECK)?"), "{cells}");
    for (name, hint) in [("prelude", "the library has"), ("fn", "a word of Rust"), ("two words", "has a blank")] {
        let said = Plan::of(&claim(&format!("second-one/{name}")), &both, &workspace, &[]).unwrap_err().to_string();
        assert!(said.contains(hint), "{said}");
    }
}

#[test]
fn the_calls_that_a_projects_page_lists_are_those_of_the_ledger() {
    let ledger = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workbench/ledger/src");
    let text = |file: &str| std::fs::read_to_string(ledger.join(file)).unwrap();
    let sources: String =
        ["check.rs", "margin.rs", "setting.rs", "sheet/cases.rs", "sheet/knobs.rs", "sheet/mod.rs", "sheet/says.rs"]
            .map(text)
            .concat();
    let page = include_str!("../../../assets/project/README.md.in");
    let (_, page) = page.split_once("A check is a file").unwrap();
    let (page, _) = page.split_once("`workbench doc`").unwrap();
    let quoted: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
    let named = |rest: &'static str| rest.split(['(', '<']).next();
    let of = |begin: &'static str| quoted.iter().filter_map(move |code| named(code.split_once(begin)?.1));
    let ends = quoted.iter().filter_map(|code| named(code.strip_prefix('.')?));
    let calls: Vec<&str> = of("s.").chain(of("Margin::")).chain(ends).collect();
    assert!(calls.len() > 15, "{calls:?}");
    for call in calls.into_iter().filter(|call| !["uniform", "normal", "below"].contains(call)) {
        assert!(sources.contains(&format!("fn {call}(")) || sources.contains(&format!("fn {call}<")), "{call}");
    }
    for call in ["s.scale().pick(20, 400)", ".of(\"runs\")"] {
        assert!(quoted.contains(&call), "{call}");
    }
    for field in ["claim", "metric", "against", "protocol", "choices", "departures", "rivals", "settled"] {
        assert!(quoted.contains(&field) && sources.contains(&format!("    pub {field}: ")), "{field}");
    }
}

#[test]
fn the_pages_that_a_projects_page_names_are_those_of_public_items() {
    let page = include_str!("../../../assets/project/README.md.in");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workbench");
    let text = |file: &str| std::fs::read_to_string(crates.join(file)).unwrap();
    for (named, file, item) in [
        ("workbench_ledger/struct.Sheet.html", "ledger/src/lib.rs", "Sheet"),
        ("workbench_ledger/prelude/index.html", "ledger/src/lib.rs", "pub mod prelude;"),
        ("workbench_ground/stats/index.html", "ground/src/lib.rs", "pub mod stats;"),
        ("power_fit_runs", "ground/src/stats/mod.rs", "power_fit_runs"),
        ("workbench_display/struct.Figure.html", "display/src/lib.rs", "Figure"),
        ("struct.Panel.html", "display/src/lib.rs", "Panel"),
    ] {
        assert!(page.contains(named) && text(file).contains(item), "{named}");
    }
    assert!(page.contains("\n$ workbench run --accept "), "quick verdicts are accepted, too");
}

#[test]
fn a_title_is_words_wherever_it_is_written() {
    use crate::inert::tests::{live, page};
    let title = "On <b onclick=alert(1)>the</b> $\\ell_1$ | [norm](javascript:alert(2))";
    let (_folder, workspace) = copied();
    let registry = Registry::read(&workspace.notebooks().join("claims.toml")).unwrap();
    let room = paper::files(&paper_of("some-records", title), &registry, &workspace).unwrap();
    let own = paper_of("some-records", title).files(Path::new("/some-records")).unwrap();
    let mut seen = 0;
    for (path, text) in room.iter().chain(&own).filter(|(path, _)| path.extension().is_some_and(|end| end == "rs")) {
        let comments = text.lines().filter(|line| line.contains("the</b>") || line.contains("the&lt;/b>"));
        let told: Vec<String> =
            comments.map(|line| format!("//! {}\n", line.trim_start_matches(['/', '!', '|', ' ']))).collect();
        seen += told.len();
        let page = page(&format!("{}//! The end.\n", told.join("//!\n")));
        assert_eq!(live(&page), [""; 0], "{}: {page}", path.display());
    }
    assert_eq!(seen, 8, "front pages, modules, rows of tables");
    let table = room.iter().find(|(path, _)| path.ends_with("checks/src/lib.rs")).unwrap();
    assert!(table.1.contains("$\\ell_1$ \\| [norm]\\(javascript"), "{}", table.1);
}

#[test]
fn each_file_is_named_once_and_in_one_spelling() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    let file = |name: &str| (root.join("a").join(name), String::new());
    let files = [file("notebooks/claims.toml"), file("src/lib.rs"), file("notebooks/claims.toml")];
    write(&files).unwrap();
    assert_eq!(listed(files.iter(), &root), ["a/notebooks/claims.toml", "a/src/lib.rs"]);
}
