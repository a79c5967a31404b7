//! Properties of readers of text that a person, a tool or the compiler wrote: cells that are asked about, knobs, the compiler's listing,
//! notebooks, tables of the record, certificates, prose. Shared by the fuzz targets and the ordinary tests, as `properties.rs` is.

use std::path::Path;
use std::sync::LazyLock;

use workbench_base::knobs;
use workbench_base::notebook::Notebook;
use workbench_base::source::is_too_deep;
use workbench_eval::dataflow::Dataflow;
use workbench_eval::shapes::Definitions;
use workbench_eval::spelling::{Spelled, spell};
use workbench_eval::types::{Change, TypeTable};
use workbench_eval::{compiled, listing};
use workbench_language::{Language, is_complete};
use workbench_queries::links::links;
use workbench_queries::numeral::Numeral;
use workbench_queries::seal::Seal;
use workbench_record::{FindingLine, Line, Note, Registry, Row, Run, table};

static LANGUAGE: LazyLock<Language> = LazyLock::new(Language::default);

/// A cell that is asked about at `cursor`: answered without a panic, with places inside the cell. What is nested too deeply is not
/// asked about (`jupyter/introspection.rs`).
pub fn question(text: &str, cursor: usize) {
    if is_too_deep(text) {
        return;
    }
    let _ = is_complete(text);
    let length = text.chars().count();
    let cursor = cursor % (length + 1);
    let found = LANGUAGE.complete(text, cursor);
    assert!(found.start <= found.end && found.end <= length, "{found:?} of {length}");
    let _ = LANGUAGE.inspect(text, cursor, 1);
    let _ = Dataflow::of(text);
}

/// Knobs: as they stand they change nothing, and each is turned in its own place.
pub fn knobs(text: &str) {
    let mut found = knobs::of(text);
    assert_eq!(knobs::turned(text, &found), text, "{found:?}");
    for number in [-1.0, 0.0, 1.0, 2.5, 1e300] {
        for knob in &mut found {
            let before = knob.clone();
            if !knob.turn(&number.into()) {
                assert_eq!(*knob, before, "a refused value changed it");
            }
            assert!(!knob.allowed().is_empty());
        }
        let turned = knobs::turned(text, &found);
        assert_eq!(turned.lines().count(), text.lines().count(), "lines keep their numbers");
        let values = |knobs: &[knobs::Knob]| knobs.iter().map(|knob| knob.value.clone()).collect::<Vec<_>>();
        assert_eq!(values(&knobs::of(&turned)), values(&found), "{turned:?}");
    }
}

/// The compiler's listing: whatever stands there, what is spelled from it is a type that stays as it is.
pub fn listing(text: &str) {
    for found in listing::types_of_probes(text).into_values().chain(text.lines()) {
        if is_too_deep(found) {
            continue;
        }
        if let Spelled::As(written) | Spelled::Pointer(written) = spell(found) {
            assert_eq!(spell(&written), Spelled::As(written.clone()), "of {found:?}");
        }
    }
}

/// What evcxr wrote: brought into the compiler's form line for line.
pub fn written(text: &str) {
    if is_too_deep(text) {
        return;
    }
    let form = compiled::form(text);
    let (code, fresh) = TypeTable::default().resolve(&form);
    assert_eq!(code.matches('\n').count(), form.matches('\n').count(), "lines keep their numbers");
    let definitions = Definitions::read(&code);
    let mut table = TypeTable::default();
    table.learn_shapes(&code, &fresh, &definitions);
    let _ = definitions.refuse_changed(&code, &table.shapes);
    if let Ok(changes) = table.learn(text, &fresh) {
        let _ = Change::apply(&changes, &code);
    }
}

/// A notebook: read or refused, and what is written of it is read again with the same cells.
pub fn notebook(text: &str) {
    let path = Path::new("a.ipynb");
    let Ok(first) = Notebook::parse(path, text) else { return };
    let again = Notebook::parse(path, &first.to_json()).expect("what was written is read");
    let cells = |notebook: &Notebook| format!("{:?}", notebook.cells());
    assert_eq!(cells(&again), cells(&first));
}

/// Tables of the record, and the registry: read or refused with a reason, and what is written is read again as the same.
pub fn record(bytes: &[u8]) {
    same::<Row>(bytes);
    same::<FindingLine>(bytes);
    same::<Note>(bytes);
    same::<Run>(bytes);
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Err(error) = Registry::parse(text, Path::new("claims.toml"))
    {
        assert!(!error.to_string().is_empty());
    }
}

fn same<L: Line>(bytes: &[u8]) {
    let path = Path::new(L::FILE);
    match table::parse::<L>(bytes, path) {
        Ok(lines) => {
            let written = table::to_csv(&lines);
            let again = table::parse::<L>(&written, path).expect("what was written is read");
            assert_eq!(table::to_csv(&again), written);
        }
        Err(error) => assert!(error.to_string().contains(L::FILE), "{error}"),
    }
}

/// Prose and certificates: links lie in their text, and a number that is written as it was read is the same number.
pub fn prose(text: &str) {
    for link in links(text) {
        let (whole, inside) = (&text[link.whole.clone()], &text[link.text.clone()]);
        assert!(whole.contains(inside) && whole.contains(&link.claim), "{link:?}");
    }
    for word in text.split_whitespace() {
        if let Some(number) = Numeral::read(word) {
            assert!(number.is(number.value), "{word:?} is not itself: {number:?}");
            let _ = number.write(number.value);
        }
    }
    if let Err(why) = Seal::parse(text) {
        assert!(!why.is_empty());
    }
}
