//! A notebook session with the ledger, through the public API.

use std::path::{Path, PathBuf};

use workbench_ground::stats::Estimate;
use workbench_ledger::{
    Committed, Error, Evidence, Finding, Ledger, RecordError, Role, Scale, Settings, Store, Tables, Verdict,
};

struct Project {
    folder: tempfile::TempDir,
    settings: Settings,
}

fn claim(id: &str, notebook: &str) -> String {
    format!(
        "[[claim]]\nid = \"{id}\"\npaper = \"memory\"\nwhere = \"Theorem 2\"\nkind = \"theorem\"\n\
         says = \"The rate is 1/2.\"\nsetup = \"Not given.\"\ncheck = \"Fit it.\"\nreach = \"cpu-seconds\"\n\
         notebook = \"{notebook}\"\n"
    )
}

fn project() -> Project {
    let folder = tempfile::tempdir().unwrap();
    let registry = [
        "[[paper]]\nid = \"memory\"\ntitle = \"A memory\"\n".to_string(),
        claim("memory/rate", "memory-model"),
        claim("memory/energy", "memory-model"),
        claim("memory/tail", "memory-model"),
        claim("memory/lemma-1", "memory-proofs"),
    ]
    .concat();
    std::fs::write(folder.path().join("claims.toml"), registry).unwrap();
    let settings = Settings::new(folder.path());
    Project { folder, settings }
}

impl Project {
    fn ledger(&self) -> Ledger {
        Ledger::with("memory-model", self.settings.clone()).unwrap()
    }

    /// Settings as under our kernel, with the file that names the running cell.
    fn under_kernel(mut self) -> Project {
        self.settings.cell_file = Some(self.folder.path().join("cell.json"));
        self
    }

    fn enter(&self, cell: &str, run: u64) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
        let text =
            format!("{{\"cell_id\": \"{cell}\", \"execution_count\": {run}, \"started_unix_ms\": {}}}", now - 1500);
        std::fs::write(self.settings.cell_file.as_ref().unwrap(), text).unwrap();
    }

    fn file(&self) -> PathBuf {
        Store::new(&self.settings.results).path()
    }
}

fn half() -> Estimate {
    Estimate::new(-0.5, -0.52, -0.48, 20, 0.999).unwrap()
}

fn slope(expected: f64) -> Finding {
    Finding::equals("slope of the tail", expected, 0.05, half())
}

/// A table with wall times and digests, which differ between runs and texts of the registry, blanked.
fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let mut reader = csv::ReaderBuilder::new().from_reader(bytes.as_slice());
    let header = reader.headers().unwrap().clone();
    let mut out = header.iter().collect::<Vec<_>>().join(",") + "\n";
    for record in reader.records() {
        let record = record.unwrap();
        let fields = record.iter().zip(&header).map(|(field, column)| match column {
            "seconds" => "0",
            "statement" => "s",
            _ => field,
        });
        out += &(fields.collect::<Vec<_>>().join(",") + "\n");
    }
    out
}

#[test]
fn the_files_are_what_they_were() {
    let mut project = project();
    project.settings.run = Some("r1".into());
    let ledger = project.ledger();
    ledger.not_tested("memory/tail", "needs a GPU,\nwhich is \"rare\"").unwrap();
    ledger
        .record(
            "memory/rate",
            Evidence::of(slope(-1.0))
                .misprint("the exponent is 1/2, not 1", vec![slope(-0.5).unit("draws")])
                .twin(Finding::equals("flipped", 0.5, 0.05, half()))
                .note("third; of five")
                .note("fourth"),
        )
        .unwrap();
    ledger.record("memory/energy", Finding::identity("largest difference", 2.5e-16, 1e-12).cases(40)).unwrap();
    let ledger = "\
claim,verdict,expected,measured,low,high,n,seed,scale,seconds,notebook,cell,finding,change,kind,see,settled,note,run,statement,code
memory/rate,holds with stated change,-1 ± 0.05,-0.5,-0.52,-0.48,20,1,quick,0,memory-model,,slope of the tail,\
the exponent is 1/2, not 1,misprint,,,,r1,s,
memory/energy,holds,error at most 1e-12,2.5e-16,2.5e-16,2.5e-16,40,1,quick,0,memory-model,,largest difference,,,,,,r1,s,
memory/tail,not tested,,,,,,1,quick,0,memory-model,,,,,,,needs a GPU, which is \"rare\",r1,s,
";
    assert_eq!(text(&project.file()), ledger);
    let findings = "\
claim,scale,seed,role,what,relation,expected_low,expected_high,measured,low,high,n,unit,outcome
memory/rate,quick,1,printed,slope of the tail,equals,-1.05,-0.95,-0.5,-0.52,-0.48,20,,contradicts
memory/rate,quick,1,corrected,slope of the tail,equals,-0.55,-0.45,-0.5,-0.52,-0.48,20,draws,supports
memory/rate,quick,1,twin,flipped,equals,0.45,0.55,-0.5,-0.52,-0.48,20,,contradicts
memory/energy,quick,1,printed,largest difference,identity,,1e-12,2.5e-16,2.5e-16,2.5e-16,40,,supports
";
    assert_eq!(text(&project.settings.results.join("findings-quick.csv")), findings);
    let notes = "claim,scale,seed,place,text\nmemory/rate,quick,1,1,third; of five\nmemory/rate,quick,1,2,fourth\n";
    assert_eq!(text(&project.settings.results.join("notes.csv")), notes);
}

#[test]
fn what_a_person_records_stays_out_of_the_record() {
    let project = project();
    let ledger = project.ledger();
    ledger.record("memory/rate", slope(-0.5)).unwrap();
    assert!(project.settings.results.ends_with("results/lab"));
    assert!(Tables::read(&project.settings.record()).unwrap().rows.is_empty());
    assert_eq!(ledger.frames().unwrap().verdicts.height(), 1);
    assert_eq!(ledger.frames().unwrap().findings.height(), 1);
    assert_eq!(ledger.record_frames().unwrap().verdicts.height(), 0);
}

#[test]
fn claims_of_ones_own_are_kept_apart() {
    let mut project = project().under_kernel();
    project.settings.scale = Scale::Paper;
    project.settings.seed = 3;
    project.enter("mine", 1);
    let ledger = Ledger::scratch_with("tails", project.settings.clone()).unwrap();
    let card = ledger.claim("slope", "The tail falls as the root.", slope(-0.5)).unwrap();
    assert_eq!(card.verdict(), Verdict::Holds);
    assert!(card.text().contains("tails/slope"), "{}", card.text());
    let tables = Tables::read(&project.settings.results.join("scratch")).unwrap();
    let row = &tables.rows[0];
    assert_eq!((row.claim.as_str(), row.cell.as_str()), ("tails/slope", "mine"));
    assert_eq!((row.scale, row.seed), (Scale::Paper, 3));
    assert_eq!(row.note, "The tail falls as the root.");
    assert_eq!(tables.findings[0].role, Role::Printed);
    assert!(!project.file().exists(), "the ledger has no such row");

    let refused = |ledger: &Ledger, id: &str, says: &str| ledger.claim(id, says, slope(-0.5)).unwrap_err().to_string();
    assert!(refused(&ledger, "", "says").contains("a word without blanks"));
    assert!(refused(&ledger, "a b", "says").contains("a word without blanks"));
    assert!(refused(&ledger, "b", " ").contains("statement is empty"));
    assert!(ledger.record("memory/rate", slope(-0.5)).is_err(), "it has no registry");

    // A ledger of a notebook takes claims of one's own too, under the notebook's name.
    let ledger = project.ledger();
    assert!(refused(&ledger, "b", "").contains("statement is empty"));
    let card = ledger.claim("b", "It falls.", slope(0.5)).unwrap();
    assert_eq!((card.row().claim.as_str(), card.verdict()), ("memory-model/b", Verdict::Fails));
}

#[test]
fn flipping_the_prediction_flips_the_verdict() {
    let project = project();
    let ledger = project.ledger();
    let verdict = |finding: Finding| ledger.record("memory/rate", finding).unwrap().verdict();
    assert_eq!(verdict(slope(-0.5)), Verdict::Holds);
    assert_eq!(verdict(slope(0.5)), Verdict::Fails);
    assert_eq!(verdict(slope(-0.25)), Verdict::Fails);
    assert_eq!(verdict(slope(-0.55)), Verdict::Inconclusive);
    assert_eq!(verdict(Finding::at_most("s", -0.4, half())), Verdict::Holds);
    assert_eq!(verdict(Finding::at_least("s", -0.4, half())), Verdict::Fails);
    assert_eq!(verdict(Finding::at_least("s", -0.5, half())), Verdict::Inconclusive);
    let rows = Store::new(&project.settings.results).read().unwrap();
    assert_eq!(rows.len(), 1, "the last one replaced the others");
    assert_eq!(rows[0].verdict, Verdict::Inconclusive);
}

#[test]
fn ids_are_checked_before_anything_is_written() {
    let project = project();
    let ledger = project.ledger();
    let error = ledger.record("memory/rat", slope(-0.5)).unwrap_err();
    assert!(matches!(error, Error::Record(RecordError::UnknownClaim { .. })));
    assert!(error.to_string().contains("did you mean `memory/rate`?"));
    let error = ledger.not_tested("memory/lemma-1", "why").unwrap_err();
    assert!(matches!(&error, Error::WrongNotebook { right, .. } if right == "memory-proofs"));
    assert!(error.to_string().contains("memory-proofs"), "{error}");
    assert!(!project.file().exists());
}

#[test]
fn evidence_that_decides_nothing_is_refused_with_the_claim_named() {
    let project = project();
    let ledger = project.ledger();
    let nan = Finding::identity("difference", f64::NAN, 1e-12);
    let mut empty = half();
    empty.n = 0;
    let none = Finding::at_most("empty", 1.0, empty);
    for evidence in [Evidence::of(nan), Evidence::of(none)] {
        let error = ledger.record("memory/rate", evidence).unwrap_err();
        assert!(matches!(error, Error::RefusedEvidence { .. }));
        assert!(error.to_string().starts_with("claim `memory/rate`: finding"));
    }
    let error = ledger.not_tested("memory/rate", " ").unwrap_err();
    assert!(error.to_string().contains("reason is empty"), "{error}");
    assert!(!project.file().exists());
}

#[test]
fn a_claim_belongs_to_one_cell() {
    let project = project().under_kernel();
    let ledger = project.ledger();
    project.enter("fit", 3);
    let card = ledger.record("memory/rate", slope(0.5)).unwrap();
    assert_eq!(card.row().cell, "fit");
    assert!((1.5..30.0).contains(&card.row().seconds), "{}", card.row().seconds);

    let error = ledger.record("memory/rate", slope(-0.5)).unwrap_err();
    assert!(matches!(error, Error::RecordedTwice { .. }), "in one run");

    project.enter("other", 4);
    let error = ledger.record("memory/rate", slope(-0.5)).unwrap_err();
    assert!(error.to_string().contains("`fit` (run 3)") && error.to_string().contains("`other` (run 4)"), "{error}");
    assert_eq!(Store::new(&project.settings.results).read().unwrap()[0].verdict, Verdict::Fails);

    project.enter("fit", 5);
    let card = ledger.record("memory/rate", slope(-0.5)).unwrap();
    assert_eq!(card.verdict(), Verdict::Holds);
    let rows = Store::new(&project.settings.results).read().unwrap();
    assert_eq!((rows.len(), rows[0].verdict), (1, Verdict::Holds));
}

#[test]
fn both_scales_keep_their_rows_and_the_summary_shows_one() {
    let mut project = project();
    project.ledger().record("memory/rate", slope(-0.5)).unwrap();
    project.settings.scale = Scale::Paper;
    project.settings.seed = 7;
    let ledger = project.ledger();
    ledger.record("memory/rate", slope(0.5)).unwrap();
    let rows = Store::new(&project.settings.results).read().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[1].scale, rows[1].seed), (Scale::Paper, 7));
    let summary = ledger.summary().unwrap();
    assert_eq!(summary.count(Verdict::Fails), 1);
    assert_eq!(summary.open(), ["memory/energy", "memory/tail"]);
    assert_eq!(summary.headline(), "memory-model, scale paper: 1 fails, 2 open");
    assert_eq!(ledger.streams().seed(), 7);
    ledger.streams().stream("noise").unwrap();
    assert!(ledger.streams().stream("noise").is_err());
}

#[test]
fn cards_say_when_the_verdict_is_not_the_committed_one() {
    let project = project();
    std::fs::create_dir(project.settings.record()).unwrap();
    let expected = project.settings.record().join("expected.csv");
    std::fs::write(&expected, "claim,scale,verdict\nmemory/rate,quick,holds\n").unwrap();
    let ledger = project.ledger();
    let card = ledger.record("memory/rate", slope(-0.5)).unwrap();
    assert_eq!(card.committed(), &Committed::Same);
    let card = ledger.record("memory/rate", slope(0.5)).unwrap();
    assert_eq!(card.committed(), &Committed::Differs(Verdict::Holds));
    assert!(card.text().contains("Differs from the committed verdict: holds"));
    assert!(card.html().contains("Differs from the committed verdict: holds"));
    let card = ledger.record("memory/energy", slope(0.5)).unwrap();
    assert_eq!(card.committed(), &Committed::None);
    std::fs::write(&expected, "broken").unwrap();
    let card = ledger.record("memory/rate", slope(-0.5)).unwrap();
    assert!(matches!(card.committed(), Committed::Unreadable(_)));
}

#[test]
fn a_preview_writes_nothing() {
    let project = project();
    let card = project.ledger().preview("memory/lemma-1", slope(-0.5)).unwrap();
    assert_eq!(card.verdict(), Verdict::Holds);
    assert!(card.text().contains("Preview"));
    assert!(!project.file().exists());
}

#[test]
fn names_and_registries_that_cannot_be_used() {
    let project = project();
    for name in ["", "a b", "notebooks/model", "a\\b"] {
        let error = Ledger::with(name, project.settings.clone()).unwrap_err();
        assert!(matches!(error, Error::NotebookName { .. }), "{name}");
    }
    let error = Ledger::with("memory-modle", project.settings.clone()).unwrap_err().to_string();
    assert!(error.contains("did you mean `memory-model`?"), "{error}");
    assert!(error.contains("Ledger::scratch(\"memory-modle\")"), "{error}");
    std::fs::write(project.folder.path().join("of-my-own.ipynb"), "{}").unwrap();
    assert!(Ledger::with("of-my-own", project.settings.clone()).is_ok());
    let ledger = Ledger::with("memory-model.ipynb", project.settings.clone()).unwrap();
    assert_eq!(ledger.notebook(), "memory-model");
    assert_eq!(format!("{ledger:?}"), "ledger of memory-model: 3 claims, scale quick, seed 1");
    std::fs::write(project.folder.path().join("claims.toml"), "[[claim").unwrap();
    let error = Ledger::with("memory-model", project.settings.clone()).unwrap_err();
    assert!(matches!(error, Error::Record(RecordError::NotToml { .. })));
    let nowhere = Settings::new(project.folder.path().join("nowhere"));
    assert!(matches!(Ledger::with("m", nowhere), Err(Error::Record(RecordError::Io { .. }))));
}

#[test]
fn a_ledger_can_live_in_a_notebook_variable() {
    fn owned<T: Send + Sync + 'static>() {}
    owned::<Ledger>();
    owned::<Evidence>();
    owned::<workbench_ledger::VerdictCard>();
    owned::<workbench_ledger::Summary>();
    owned::<Error>();
}
