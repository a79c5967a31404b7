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
    ClaimArgs { id: id.into(), place: Some("Eq. \"2\"".into()), says: None, notebook: None }
}

fn plan(claim: &ClaimArgs, workspace: &Workspace) -> Result<Plan> {
    Plan::of(claim, &Registry::read(&workspace.notebooks().join("claims.toml")).unwrap(), workspace)
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
    assert!(made.next.contains("verify a-b/two-more"), "{}", made.next);
    let again = plan(&claim("a-b/three"), &workspace).unwrap();
    let (path, text) = &again.files[3];
    std::fs::write(path, text).unwrap();
    assert_eq!(Notebook::read_ours(path).unwrap().cells().len(), 3, "a notebook that is there gets a section");
}

#[test]
fn what_cannot_be_begun_is_refused_with_the_next_thing_to_try() {
    let (_folder, workspace) = project();
    for (id, hint) in [
        ("eq-6", "a paper of a-b, c"),
        ("d/eq-6", "a paper of a-b, c"),
        ("c/Eq 6", "as in a-b/eq-6"),
        ("c/6", "as in a-b/eq-6"),
        ("c/one", "never used again"),
    ] {
        let error = plan(&claim(id), &workspace).unwrap_err().to_string();
        assert!(error.contains(hint) && error.contains(id), "{error}");
    }
    std::fs::write(workspace.root().join("workbench/checks/a_b/src/two.rs"), "").unwrap();
    assert!(plan(&claim("a-b/two"), &workspace).unwrap_err().to_string().contains("exists"));
}
