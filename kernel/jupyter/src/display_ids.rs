//! The outputs of a cell that can be replaced later: by a knob that is turned, or by a note that they are out of date.
//!
//! A front end replaces what it knows under a display id, and knows one only of what was displayed: such values are sent as
//! displays. Only for a person's own front end; a headless run keeps values as values.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use workbench_eval::channel::{Output, Role};

use super::fallback_display::FallbackDisplay;
use super::stale::can_be_marked;

/// Most bytes of one output that are kept.
const OF_ONE: usize = 2 << 20;

/// Where the outputs of a cell stand, so that it can run by itself.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The ids of its outputs, in their order: all of a cell that may run by itself, of others those that can be marked.
    pub ids: Vec<String>,
    /// The place for everything else; only of a cell that may run by itself.
    pub rest: Option<FallbackDisplay>,
    /// Whether its own run left an error below it, which nothing can replace.
    pub failed: bool,
    /// Whether it has run by itself since, so that other outputs stand there than those of its own run.
    pub again: bool,
}

/// Where displays stand that a cell made when it ran by itself: under the ids of those before, which the front end knows. A later cell
/// that keeps such a display in a variable names it by its own id. One that stands among everything else of its cell ([`FallbackDisplay`]) is not
/// found.
#[derive(Debug, Clone, Default)]
pub struct Moved(Arc<Mutex<HashMap<String, HashMap<String, String>>>>);

impl Moved {
    /// Notes what the last run of a cell moved.
    pub fn by(&self, cell: &str, places: HashMap<String, String>) {
        let mut moved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match places.is_empty() {
            true => moved.remove(cell),
            false => moved.insert(cell.to_owned(), places),
        };
    }

    /// Has an update reach what it means.
    pub fn find(&self, output: &mut Output) {
        let Some(id) = output.id.as_mut().filter(|_| output.role == Role::Update) else {
            return;
        };
        let moved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = moved.values().find_map(|places| places.get(id)) {
            id.clone_from(place);
        }
    }
}

/// What a cell has shown so far.
#[derive(Debug, Default)]
pub struct DisplayIds {
    /// Beginning of the ids; nothing where outputs are not replaced.
    prefix: Option<String>,
    /// Every output is to be replaced, not only those that can be marked.
    all: bool,
    /// How many ids were given. None is given twice, also not for outputs that were removed.
    given: usize,
    /// Where they stand.
    pub places: Places,
    /// The outputs that have a place.
    pub kept: Vec<Output>,
    /// Ids that the cell gave by itself.
    own: HashSet<String>,
}

impl DisplayIds {
    /// Outputs whose ids begin with `prefix`.
    pub fn new(prefix: Option<String>, all: bool) -> DisplayIds {
        let rest = prefix.as_ref().filter(|_| all);
        let places =
            Places { rest: rest.map(|prefix| FallbackDisplay::new(format!("{prefix}-rest"))), ..Places::default() };
        DisplayIds { prefix, all, places, ..DisplayIds::default() }
    }

    /// Outputs that take the places of those before.
    pub fn at(places: Places) -> DisplayIds {
        DisplayIds { places, ..DisplayIds::default() }
    }

    /// Whether the cell has shown an output of this id by itself.
    pub fn has(&self, id: Option<&String>) -> bool {
        id.is_some_and(|id| self.own.contains(id))
    }

    /// Gives an output its id where it can be replaced, and keeps it. One that has an id, such as a bar of progress, keeps that.
    pub fn take(&mut self, output: &mut Output) {
        if output.role != Role::Update {
            self.own.extend(output.id.clone());
        }
        let Some(prefix) = &self.prefix else { return };
        if output.role == Role::Update {
            return self.keep(output);
        }
        if output.id.is_none() && (self.all || can_be_marked(output)) {
            output.id = Some(format!("{prefix}-{}", self.given));
            output.role = Role::Show;
            self.given += 1;
        }
        if let Some(id) = output.id.clone().filter(|_| self.all || can_be_marked(output)) {
            self.places.ids.push(id);
            output.role = Role::Show;
        }
        self.keep(output);
    }

    /// Forgets what was shown: the front end removes it.
    pub fn clear(&mut self) {
        self.places.ids.clear();
        self.places.rest.iter_mut().for_each(FallbackDisplay::clear);
        self.kept.clear();
    }

    /// Keeps an output in its last state, if it has a place.
    pub fn keep(&mut self, output: &Output) {
        let place = self.kept.iter_mut().find(|kept| kept.id.is_some() && kept.id == output.id);
        match place {
            Some(kept) => *kept = output.clone(),
            None if output.role != Role::Update && output.id.is_some() && output.size() <= OF_ONE => {
                self.kept.push(output.clone());
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn output(mime: &str, role: Role) -> Output {
        let data = [(mime.to_owned(), Value::String("x".into()))];
        Output { role, ..Output::show(data.into_iter().collect()) }
    }

    #[test]
    fn figures_get_ids_and_plain_values_stay_values() {
        let mut shown = DisplayIds::new(Some("c-3".into()), false);
        let (mut figure, mut value) = (output("image/svg+xml", Role::Value), output("text/plain", Role::Value));
        shown.take(&mut value);
        shown.take(&mut figure);
        assert_eq!((value.id, value.role), (None, Role::Value));
        assert_eq!((figure.id.as_deref(), figure.role), (Some("c-3-0"), Role::Show));
        assert_eq!(shown.kept.len(), 1);
        // Under a knob everything can be replaced; without a front end nothing is touched.
        let mut all = DisplayIds::new(Some("c-3".into()), true);
        let mut value = output("text/plain", Role::Value);
        all.take(&mut value);
        assert_eq!(value.id.as_deref(), Some("c-3-0"));
        let mut live = output("text/html", Role::Show);
        live.id = Some("own".into());
        all.take(&mut live);
        assert_eq!(all.places.ids, ["c-3-0", "own"]);
        let mut figure = output("text/html", Role::Value);
        DisplayIds::new(None, true).take(&mut figure);
        assert_eq!((figure.id, figure.role), (None, Role::Value));
    }

    #[test]
    fn what_was_removed_has_no_place_and_its_id_is_not_given_again() {
        let mut shown = DisplayIds::new(Some("c".into()), true);
        shown.take(&mut output("text/html", Role::Show));
        shown.clear();
        shown.take(&mut output("text/html", Role::Show));
        assert_eq!((shown.places.ids, shown.kept.len()), (vec!["c-1".to_owned()], 1));
        assert_eq!(shown.kept[0].id.as_deref(), Some("c-1"));
    }

    #[test]
    fn a_display_of_a_cell_that_ran_by_itself_is_found_until_it_runs_again() {
        let moved = Moved::default();
        moved.by("a", [("new".to_owned(), "a-1-0".to_owned())].into());
        let found = |role: Role| {
            let mut later = output("text/html", role);
            later.id = Some("new".into());
            moved.find(&mut later);
            later.id.unwrap()
        };
        assert_eq!((found(Role::Update), found(Role::Show)), ("a-1-0".into(), "new".into()));
        moved.by("a", HashMap::new());
        assert_eq!(found(Role::Update), "new");
    }

    #[test]
    fn the_last_state_of_a_display_is_kept() {
        let mut shown = DisplayIds::new(Some("c".into()), false);
        let mut live = output("text/html", Role::Show);
        live.id = Some("own".into());
        shown.take(&mut live);
        let mut later = output("text/html", Role::Update);
        later.id = Some("own".into());
        later.data.insert("text/html".into(), "later".into());
        shown.take(&mut later);
        assert_eq!(shown.places.ids, ["own"]);
        assert_eq!(shown.kept[0].data["text/html"], "later");
    }
}
