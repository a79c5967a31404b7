//! Turning a knob: the cell runs with another value, and its outputs are replaced where they stand.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use jupyter_protocol::{
    CommClose, CommId, CommMsg, CommOpen, ExecutionCount, JupyterMessage, JupyterMessageContent, StreamContent,
};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

use super::display_ids::{DisplayIds, Places};
use super::execute::publish;
use super::fallback_display::{self, FallbackDisplay};
use super::info;
use super::shell::Shell;
use super::stale::{Rerun, can_be_marked};
use super::widgets::{PROTOCOL, TARGET, Widgets};
use workbench_base::knobs;
use workbench_eval::channel::{Output, Role};
use workbench_eval::dataflow::Dataflow;
use workbench_eval::{CellName, Event, Failure};

/// The knobs of a cell that has run, and where its outputs stand.
#[derive(Debug)]
pub struct Played {
    pub(super) widgets: Widgets,
    places: Places,
}

/// A cell that is to run with another value of a knob.
#[derive(Debug)]
pub struct Turned {
    name: CellName,
    source: String,
    places: Places,
}

impl From<Rerun> for Turned {
    fn from(Rerun { name, source, places, .. }: Rerun) -> Turned {
        Turned { name, source, places }
    }
}

/// What stands in the place of an output that the cell does not have this time.
const NOTHING: &str = "(nothing is shown here with these values)";
/// What is said where the error of the cell's own run stands below it.
const ERROR_IS_OLD: &str = "(the error below is of the cell's own run; with these values the cell ran)";
/// What is said where the cell did not run.
const OUTPUTS_ARE_OLD: &str = "(so the cell did not run, and its other outputs are those of the run before)";

/// Failures of cells that did not run, so that nothing was made again.
const NOT_RUN: [&str; 3] = ["compile error", "restart needed", "kernel"];

impl Shell {
    /// Shows the knobs of a cell, if it has any: as widgets to a person, as a table to everybody else.
    pub(super) fn show_knobs(
        &mut self,
        code: &str,
        name: &CellName,
        interactive: bool,
        parent: &JupyterMessage,
    ) -> bool {
        if let Some(old) = self.knob_cells.remove(&name.id) {
            for model in old.widgets.models() {
                let close = CommClose { comm_id: CommId(model.id.clone()), data: Map::new() };
                self.publisher.publish(close, parent);
            }
        }
        for line in knobs::refused(code) {
            self.publisher.publish(StreamContent::stdout(&format!("{line}\n")), parent);
        }
        let Some(widgets) = Widgets::of(code, name) else {
            return false;
        };
        let mut view = widgets.view(interactive);
        if interactive {
            // Nothing replaces it. It tells a page that is loaded again which run its outputs are of.
            view.id = Some(format!("{}-knobs", self.run_id(name)));
            for model in widgets.models() {
                let data = json!({"state": model.state, "buffer_paths": []});
                let open = CommOpen {
                    comm_id: CommId(model.id.clone()),
                    target_name: TARGET.to_owned(),
                    data: data.as_object().cloned().unwrap_or_default(),
                    target_module: None,
                };
                self.publisher.publish_with(open, json!({"version": PROTOCOL}), parent);
            }
            let places = Places::default();
            self.knob_cells.insert(name.id.clone(), Played { widgets, places });
        }
        publish(view, ExecutionCount::new(name.count), &self.publisher, parent);
        interactive
    }

    /// Notes what a cell has shown and was computed with, and marks what rested on what it made before.
    pub(super) fn has_run(
        &mut self,
        name: &CellName,
        code: &str,
        shown: DisplayIds,
        failure: Option<&Failure>,
        seconds: f64,
        parent: &JupyterMessage,
    ) {
        if let Some(played) = self.knob_cells.get_mut(&name.id) {
            played.places.clone_from(&shown.places);
        }
        let (run, by_itself) = (self.run_id(name), shown.places.rest.is_some());
        let rerun = Rerun { name: name.clone(), source: code.to_owned(), places: shown.places, seconds };
        if failure.is_some_and(did_not_run) {
            self.stale.was_refused(&name.id, rerun);
            self.notes.make_place(name, &run, by_itself);
            return self.tell_notes(parent);
        }
        let dataflow = Dataflow::of(code);
        for marked in self.stale.ran(&name.id, name.count, &dataflow, shown.kept, rerun) {
            publish(marked, ExecutionCount::new(name.count), &self.publisher, parent);
        }
        let own = knobs::of(code).into_iter().map(|knob| (knob.name, knob.value));
        self.notes.ran(&name.id, own.collect(), &self.stale.rests_on(&name.id));
        self.notes.make_place(name, &run, by_itself);
        self.tell_notes(parent);
    }

    /// Runs the cells that want to follow what was made again.
    pub(super) async fn follow(&mut self, parent: &JupyterMessage) {
        let mut done = HashSet::new();
        while let Some(due) = self.stale.due(&done) {
            done.insert(due.name.id.clone());
            // Its own place says why it failed.
            let _ = self.turn(due.into(), parent).await;
        }
    }

    /// Runs all cells that are out of date, each after those that it rests on; stops at the first that fails.
    ///
    /// # Errors
    /// That of the cell, with its number.
    pub(super) async fn run_stale(&mut self, parent: &JupyterMessage) -> Result<(), Failure> {
        let mut done = HashSet::new();
        while let Some(stale) = self.stale.next(&done) {
            let count = stale.name.count;
            done.insert(stale.name.id.clone());
            self.publisher.publish(StreamContent::stdout(&format!("[{count}] runs again\n")), parent);
            let of_cell = |mut failure: Failure| {
                failure.message = format!("cell [{count}]: {}", failure.message);
                failure
            };
            self.turn(stale.into(), parent).await.map_err(of_cell)?;
        }
        if done.is_empty() {
            self.publisher.publish(StreamContent::stdout("nothing is out of date\n"), parent);
        }
        Ok(())
    }

    /// The models that front ends may ask for.
    pub(super) fn comm_info(&self, target: Option<&str>) -> JupyterMessageContent {
        let asked = target.is_none_or(|target| target == TARGET);
        let models = self.knob_cells.values().flat_map(|played| played.widgets.models());
        info::comm_info(models.filter(|_| asked).map(|model| model.id.as_str()), TARGET)
    }

    /// Answers a message of a front end's model; what comes back is to be run.
    pub(super) fn comm(&mut self, request: &CommMsg, parent: &JupyterMessage) -> Option<Turned> {
        let id = &request.comm_id.0;
        let played = self.knob_cells.values_mut().find(|played| played.widgets.model(id).is_some())?;
        match request.data.get("method").and_then(Value::as_str) {
            Some("request_state") => {
                let state = &played.widgets.model(id)?.state;
                let data = json!({"method": "update", "state": state, "buffer_paths": []});
                let answer =
                    CommMsg { comm_id: request.comm_id.clone(), data: data.as_object().cloned().unwrap_or_default() };
                self.publisher.publish_with(answer, json!({"version": PROTOCOL}), parent);
                None
            }
            Some("update") => {
                let source = played.widgets.update(id, request.data.get("state")?.as_object()?)?;
                Some(Turned { name: played.widgets.name.clone(), source, places: played.places.clone() })
            }
            _ => None,
        }
    }

    /// Runs a cell with another value and replaces its outputs one by one. Text, an error, and outputs that are more than before share the
    /// place that the cell has for them; where there are fewer, the old ones go. Where the cell does not even compile, all stay. What a cell
    /// without such a place says stands below the cell that is running.
    ///
    /// # Errors
    /// That of the cell.
    pub(super) async fn turn(&mut self, turned: Turned, parent: &JupyterMessage) -> Result<(), Failure> {
        let Turned { name, source, places } = turned;
        let count = ExecutionCount::new(name.count);
        let again = Arc::new(Mutex::new(Again::at(&places)));
        let sink = {
            let (publisher, parent, shared) = (self.publisher.clone(), parent.clone(), again.clone());
            let moved = self.moved.clone();
            let runtime = Handle::current();
            move |event: Event| {
                let mut again = shared.lock().unwrap_or_else(PoisonError::into_inner);
                let replaced = match event {
                    Event::Show(mut output) => {
                        if output.id.as_ref().is_some_and(|id| !again.own.contains_key(id)) {
                            moved.find(&mut output);
                        }
                        again.show(output)
                    }
                    Event::Text(_, text) if again.rest().is_none() => {
                        publisher.publish(StreamContent::stdout(&text), &parent);
                        None
                    }
                    Event::Text(_, text) => {
                        let replaced = again.rest().and_then(|rest| rest.print(&text));
                        if replaced.is_none() && again.rest().is_some_and(FallbackDisplay::is_late) {
                            let (again, publisher, parent) = (shared.clone(), publisher.clone(), parent.clone());
                            fallback_display::later(&runtime, move || {
                                let mut again = again.lock().unwrap_or_else(PoisonError::into_inner);
                                if let Some(output) = again.rest().and_then(FallbackDisplay::show_late) {
                                    publish(output, count, &publisher, &parent);
                                }
                            });
                        }
                        replaced
                    }
                    Event::Ask(question) => {
                        (question.answer)(Err("a cell that a knob runs asks nothing".to_owned()));
                        None
                    }
                    Event::Clear(_) => {
                        again.clear();
                        None
                    }
                };
                if let Some(output) = replaced {
                    publish(output, count, &publisher, &parent);
                }
            }
        };
        let started = Instant::now();
        let outcome = self.run(source.clone(), name.clone(), false, Box::new(sink)).await;
        let mut again = std::mem::take(&mut *again.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(failure) = outcome.as_ref().err().filter(|failure| did_not_run(failure)) {
            if let Some(output) = refused(places, failure) {
                publish(output, count, &self.publisher, parent);
            }
            return outcome;
        }
        for output in again.end(outcome.as_ref().err()) {
            publish(output, count, &self.publisher, parent);
        }
        self.moved.by(&name.id, again.own);
        let seconds = started.elapsed().as_secs_f64();
        let lines = self.lines_to_write(&name.id, &source);
        self.has_run(&name, &source, again.shown, outcome.as_ref().err(), seconds, parent);
        self.write_lines(&name.id, &lines, parent);
        outcome
    }
}

fn did_not_run(failure: &Failure) -> bool {
    NOT_RUN.contains(&failure.name.as_str())
}

/// What the place for everything else says of a cell that did not run: the reason, below what it held.
fn refused(places: Places, failure: &Failure) -> Option<Output> {
    let mut rest = places.rest?;
    rest.say(&format!("{}: {}\n{OUTPUTS_ARE_OLD}", failure.name, failure.message));
    rest.show()
}

/// A cell that runs by itself, and what it has shown so far.
#[derive(Debug, Default)]
struct Again {
    /// How many of the places are filled.
    next: usize,
    /// Where outputs stand that have an id of their own, which may be another in each run and is not known to the front end.
    own: HashMap<String, String>,
    shown: DisplayIds,
}

impl Again {
    /// A cell that has shown nothing yet.
    fn at(places: &Places) -> Again {
        let rest = places.rest.as_ref().map(FallbackDisplay::again);
        let places = Places { rest, again: true, ..places.clone() };
        Again { shown: DisplayIds::at(places), ..Again::default() }
    }

    fn rest(&mut self) -> Option<&mut FallbackDisplay> {
        self.shown.places.rest.as_mut()
    }

    /// Puts an output where the one before it stood. What comes back is to be published.
    fn show(&mut self, mut output: Output) -> Option<Output> {
        if output.role == Role::Update {
            if let Some(place) = output.id.as_ref().and_then(|own| self.own.get(own)) {
                output.id = Some(place.clone());
            } else if self.rest().is_some_and(|rest| rest.has(&output.id)) {
                return self.rest()?.add(output);
            }
        } else {
            let has_rest = self.rest().is_some();
            let Some(place) = self.shown.places.ids.get(self.next).filter(|_| has_rest || can_be_marked(&output))
            else {
                if let Some(rest) = self.rest() {
                    return rest.add(output);
                }
                output.role = Role::Show;
                return Some(output);
            };
            if let Some(own) = output.id.replace(place.clone()) {
                self.own.insert(own, place.clone());
            }
            output.role = Role::Show;
            self.next += 1;
        }
        self.shown.keep(&output);
        output.role = Role::Update;
        Some(output)
    }

    /// The cell begins anew: what it shows from now on takes the places from the first one on.
    fn clear(&mut self) {
        *self = Again::at(&self.shown.places);
    }

    /// What is left to say: the error, and which places are empty.
    fn end(&mut self, failure: Option<&Failure>) -> Vec<Output> {
        let mut replaced = Vec::new();
        for id in self.shown.places.ids.clone().into_iter().skip(self.next) {
            let empty = Output { id: Some(id), ..Output::text(NOTHING) };
            self.shown.keep(&empty);
            replaced.push(Output { role: Role::Update, ..empty });
        }
        let old = self.shown.places.failed;
        if let Some(rest) = self.rest() {
            match failure {
                Some(failure) => rest.say(&format!("{}: {}", failure.name, failure.message)),
                None if old => rest.say(ERROR_IS_OLD),
                None => {}
            }
            if let Some(output) = rest.show() {
                replaced.push(output);
            }
            let rest = rest.output();
            self.shown.keep(&rest);
        }
        replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run in which a cell showed two outputs.
    fn again(failed: bool) -> Again {
        let mut rest = FallbackDisplay::new("rest".to_owned());
        rest.show();
        let places = Places { ids: vec!["0".to_owned(), "1".to_owned()], rest: Some(rest), failed, again: false };
        Again::at(&places)
    }

    fn told(output: &Output) -> (&str, &str, Role) {
        let text = output.data["text/plain"].as_str().unwrap();
        (output.id.as_deref().unwrap(), text, output.role)
    }

    #[test]
    fn more_outputs_than_before_and_text_stand_in_the_rest() {
        let mut again = again(false);
        for (at, text) in ["0", "1"].into_iter().zip(["a", "b"]) {
            let output = again.show(Output::text(text)).unwrap();
            assert_eq!(told(&output), (at, text, Role::Update));
        }
        again.rest().unwrap().print("printed\n");
        let third = again.show(Output::text("c")).unwrap();
        assert_eq!(told(&third), ("rest", "printed\nc", Role::Update));
        assert_eq!(again.end(None), []);
    }

    #[test]
    fn fewer_outputs_leave_no_old_one_and_an_error_is_told() {
        let mut again = again(false);
        again.show(Output::text("a"));
        let ended = again.end(Some(&Failure::new("panic", "no such row")));
        let ended: Vec<_> = ended.iter().map(told).collect();
        assert_eq!(ended, [("1", NOTHING, Role::Update), ("rest", "panic: no such row", Role::Update)]);
    }

    #[test]
    fn a_cell_that_failed_first_shows_its_value_when_a_good_one_comes() {
        let mut again = again(true);
        again.shown.places.ids.clear();
        let value = again.show(Output::text("36")).unwrap();
        assert_eq!(told(&value), ("rest", "36", Role::Update));
        let ended = again.end(None);
        assert!(told(&ended[0]).1.contains("36") && told(&ended[0]).1.contains("of the cell's own run"));
    }

    fn with_id(id: &str, text: &str, role: Role) -> Output {
        Output { id: Some(id.to_owned()), role, ..Output::text(text) }
    }

    #[test]
    fn an_output_with_an_id_of_its_own_takes_the_place_of_the_one_before() {
        let mut again = again(false);
        let first = again.show(with_id("new", "0 %", Role::Show)).unwrap();
        assert_eq!(told(&first), ("0", "0 %", Role::Update));
        let second = again.show(Output::text("b")).unwrap();
        assert_eq!(told(&second), ("1", "b", Role::Update));
        let later = again.show(with_id("new", "9 %", Role::Update)).unwrap();
        assert_eq!(told(&later), ("0", "9 %", Role::Update));
        // One more than before stands in the rest, and is replaced there.
        again.show(with_id("more", "c", Role::Show));
        let more = again.show(with_id("more", "d", Role::Update)).unwrap();
        assert_eq!(told(&more), ("rest", "d", Role::Update));
        // What another cell shows keeps its own.
        let other = again.show(with_id("other", "e", Role::Update)).unwrap();
        assert_eq!(told(&other), ("other", "e", Role::Update));
    }

    #[test]
    fn what_comes_after_outputs_were_removed_begins_at_the_first_place() {
        let mut again = again(false);
        for text in ["a", "b", "c"] {
            again.rest().unwrap().print("printed\n");
            again.clear();
            let shown = again.show(Output::text(text)).unwrap();
            assert_eq!(told(&shown), ("0", text, Role::Update));
        }
        let ended = again.end(None);
        let ended: Vec<_> = ended.iter().map(told).collect();
        assert_eq!(ended, [("1", NOTHING, Role::Update), ("rest", "", Role::Update)]);
    }

    #[test]
    fn a_cell_that_did_not_run_says_why_below_what_it_held() {
        let mut places = again(false).shown.places;
        places.rest.as_mut().unwrap().print("printed");
        let told_why = refused(places, &Failure::new("compile error", "no such name")).unwrap();
        let text = format!("printed\ncompile error: no such name\n{OUTPUTS_ARE_OLD}");
        assert_eq!(told(&told_why), ("rest", text.as_str(), Role::Update));
    }
}
