//! A cell's knobs as the front end has them: models of Jupyter's widgets, one comm each, and the view that shows them.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use workbench_base::knobs::{self, Knob, Values};
use workbench_base::text::html;
use workbench_eval::CellName;
use workbench_eval::channel::Output;

/// Name of the comms that models of widgets live on.
pub const TARGET: &str = "jupyter.widget";
/// Version of the widgets' messages, which goes with each comm that is opened.
pub const PROTOCOL: &str = "2.1.0";
/// Type of an output that is a view of a model.
pub const VIEW: &str = "application/vnd.jupyter.widget-view+json";

/// A model that the front end holds: its comm and its state.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Id of the comm, which is the model's.
    pub id: String,
    /// What it is and shows.
    pub state: Map<String, Value>,
}

/// The knobs of one cell that has run.
#[derive(Debug)]
pub struct Widgets {
    /// The cell.
    pub name: CellName,
    /// Its source as the reader wrote it.
    source: String,
    /// Its knobs as they stand.
    knobs: Vec<Knob>,
    /// What the line of each says in the front end, as far as that is known.
    lines: Vec<String>,
    /// The model of each knob, then those that they refer to, then the box around them.
    models: Vec<Model>,
}

fn model(module: &str, name: &str, view_module: &str, view: &str, more: Value) -> Model {
    let mut state = Map::new();
    for (key, value) in [
        ("_model_module", module),
        ("_model_module_version", "2.0.0"),
        ("_model_name", name),
        ("_view_module", view_module),
        ("_view_module_version", "2.0.0"),
        ("_view_name", view),
    ] {
        state.insert(key.to_owned(), value.into());
    }
    if let Value::Object(more) = more {
        state.extend(more);
    }
    Model { id: Uuid::new_v4().simple().to_string(), state }
}

const CONTROLS: &str = "@jupyter-widgets/controls";
const BASE: &str = "@jupyter-widgets/base";

fn refer(model: &Model) -> String {
    format!("IPY_MODEL_{}", model.id)
}

impl Widgets {
    /// The widgets of a cell, if it has knobs.
    pub fn of(source: &str, name: &CellName) -> Option<Widgets> {
        let knobs = knobs::of(source);
        if knobs.is_empty() {
            return None;
        }
        let layout = model(BASE, "LayoutModel", BASE, "LayoutView", json!({}));
        let mut controls = Vec::new();
        let mut others = Vec::new();
        for knob in &knobs {
            let (style_name, kind) = match &knob.values {
                Values::OneOf(_) => ("DescriptionStyleModel", "Dropdown"),
                Values::Whole(..) => ("SliderStyleModel", "IntSlider"),
                Values::Number(..) => ("SliderStyleModel", "FloatSlider"),
            };
            let width = json!({"description_width": "initial"});
            let style = model(CONTROLS, style_name, BASE, "StyleView", width);
            let mut state = json!({
                "description": knob.name, "tooltip": format!("may be {}", knob.allowed()), "disabled": false, "layout": refer(&layout), "style": refer(&style)
            });
            let value = knob.number().unwrap_or_default();
            let more = match &knob.values {
                Values::OneOf(all) => json!({
                    "_options_labels": all.iter().map(|one| one.trim_matches('"')).collect::<Vec<_>>(),
                    "index": all.iter().position(|one| *one == knob.value),
                }),
                Values::Whole(min, max, step) => json!({
                    "min": min, "max": max, "step": step, "value": value as i64, "readout_format": "d"
                }),
                Values::Number(min, max, step) => json!({
                    "min": min, "max": max, "step": step, "value": value, "readout_format": ".4g"
                }),
            };
            for part in [more, json!({"continuous_update": false, "orientation": "horizontal", "readout": true})] {
                let list = matches!(knob.values, Values::OneOf(_)) && part.get("readout").is_some();
                if let (Some(state), Value::Object(part), false) = (state.as_object_mut(), part, list) {
                    state.extend(part);
                }
            }
            controls.push(model(CONTROLS, &format!("{kind}Model"), CONTROLS, &format!("{kind}View"), state));
            others.push(style);
        }
        let children: Vec<String> = controls.iter().map(refer).collect();
        let around = json!({"children": children, "layout": refer(&layout)});
        others.push(layout);
        let whole = model(CONTROLS, "VBoxModel", CONTROLS, "VBoxView", around);
        Some(Widgets {
            name: name.clone(),
            source: source.to_owned(),
            lines: knobs.iter().map(|knob| knob.value.clone()).collect(),
            knobs,
            models: controls.into_iter().chain(others).chain([whole]).collect(),
        })
    }

    /// The models in an order in which each comes after those that it refers to.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        let (controls, others) = self.models.split_at(self.knobs.len());
        let (referred, whole) = others.split_at(others.len() - 1);
        referred.iter().chain(controls).chain(whole)
    }

    /// The model with this id.
    pub fn model(&self, id: &str) -> Option<&Model> {
        self.models.iter().find(|model| model.id == id)
    }

    /// A table of the knobs. Where a front end shows them, the view for it, and a table without values for files and other front ends:
    /// the line of each tells the value, and nothing replaces this output when that is turned.
    pub fn view(&self, interactive: bool) -> Output {
        let row = |tag: &str, name: &str, value: &str, allowed: &str| {
            let cells = [Some(name), Some(value).filter(|_| !interactive), Some(allowed)];
            let cells: String =
                cells.into_iter().flatten().map(|text| format!("<{tag}>{}</{tag}>", html(text))).collect();
            format!("<tr>{cells}</tr>")
        };
        let rows: String = self.knobs.iter().map(|knob| row("td", &knob.name, &knob.value, &knob.allowed())).collect();
        let head = format!("<thead>{}</thead>", row("th", "knob", "value", "may be"));
        let plain = self.knobs.iter().map(|knob| {
            let value = if interactive { String::new() } else { format!(" = {}", knob.value) };
            format!("{}{value} ({})", knob.name, knob.allowed())
        });
        let mut data = Map::new();
        data.insert("text/plain".to_owned(), plain.collect::<Vec<_>>().join("\n").into());
        let table = format!("<table aria-label=\"knobs of this cell\">{head}<tbody>{rows}</tbody></table>");
        data.insert("text/html".to_owned(), table.into());
        if let Some(whole) = self.models.last().filter(|_| interactive) {
            let view = json!({"version_major": 2, "version_minor": 0, "model_id": whole.id});
            data.insert(VIEW.to_owned(), view);
        }
        Output::show(data)
    }

    /// The knob with this name, and what its line says; of several the one whose line says `value`.
    pub fn line(&self, name: &str, value: &str) -> Option<(&Knob, &str)> {
        let lines = self.knobs.iter().zip(self.lines.iter().map(String::as_str));
        let mut named = lines.filter(|(knob, _)| knob.name == name).collect::<Vec<_>>();
        let says = named.iter().position(|(_, line)| *line == value).unwrap_or_default();
        (says < named.len()).then(|| named.swap_remove(says))
    }

    /// Notes what the line of a knob says now in the front end; without a value, what it said when the cell was run.
    pub fn heard(&mut self, name: &str, value: Option<&str>) {
        for (knob, line) in self.knobs.iter().zip(&mut self.lines) {
            if knob.name == name {
                value.unwrap_or(&knob.ran).clone_into(line);
            }
        }
    }

    /// Takes what the front end changed in a model's state. The cell's source with the new value, if it is a knob's and another one.
    pub fn update(&mut self, id: &str, state: &Map<String, Value>) -> Option<String> {
        let index = self.models.iter().position(|model| model.id == id)?;
        let model = &mut self.models[index];
        for (key, value) in state {
            // The front end reports its own additions too; what it is stays what it is.
            if !key.starts_with('_') && model.state.contains_key(key) {
                model.state.insert(key.clone(), value.clone());
            }
        }
        let knob = self.knobs.get_mut(index)?;
        let before = knob.value.clone();
        let to = state.get("value").or_else(|| state.get("index"))?;
        (knob.turn(to) && knob.value != before).then(|| knobs::turned(&self.source, &self.knobs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: &str = "let n = 5; // knob 1..=9\nlet law = \"a\"; // knob \"a\" | \"b\"\nn";

    #[test]
    fn a_board_has_a_model_for_each_knob_and_what_it_refers_to_comes_first() {
        assert!(Widgets::of("let n = 5;", &CellName::default()).is_none());
        let widgets = Widgets::of(CELL, &CellName::default()).unwrap();
        let mut known: Vec<String> = Vec::new();
        for model in widgets.models() {
            let text = serde_json::to_string(&model.state).unwrap();
            for part in text.split("IPY_MODEL_").skip(1) {
                assert!(known.contains(&part[..32].to_owned()), "{text}");
            }
            known.push(model.id.clone());
        }
        assert_eq!(widgets.models[0].state["tooltip"], "may be 1 to 9", "front ends show what has none as null");
        let names: Vec<&str> = widgets.models().map(|m| m.state["_model_name"].as_str().unwrap()).collect();
        for name in ["IntSliderModel", "DropdownModel", "LayoutModel", "VBoxModel", "SliderStyleModel"] {
            assert!(names.contains(&name), "{names:?}");
        }
        let view = widgets.view(true);
        assert_eq!(view.data[VIEW]["model_id"], known.last().unwrap().as_str());
        // What stays as it is when a knob is turned tells no value.
        assert_eq!(view.data["text/plain"], "n (1 to 9)\nlaw (\"a\", \"b\")");
        assert!(!view.data["text/html"].as_str().unwrap().contains("<td>5</td>"));
        let table = widgets.view(false);
        assert!(!table.data.contains_key(VIEW));
        assert_eq!(table.data["text/plain"], "n = 5 (1 to 9)\nlaw = \"a\" (\"a\", \"b\")");
        assert!(table.data["text/html"].as_str().unwrap().contains("<td>n</td><td>5</td><td>1 to 9</td>"));
    }

    #[test]
    fn the_line_of_a_knob_is_what_the_front_end_last_said() {
        let mut widgets = Widgets::of(CELL, &CellName::default()).unwrap();
        let says = |widgets: &Widgets| widgets.line("n", "7").map(|(knob, line)| (knob.ran.clone(), line.to_owned()));
        assert_eq!(says(&widgets), Some(("5".to_owned(), "5".to_owned())));
        widgets.heard("n", Some("7"));
        assert_eq!(says(&widgets), Some(("5".to_owned(), "7".to_owned())));
        widgets.heard("n", None);
        assert_eq!(says(&widgets).unwrap().1, "5");
        assert!(widgets.line("m", "5").is_none());
        // Of two knobs with one name each has its line.
        let widgets = Widgets::of("let n = 5; // knob 1..=9\nlet n = 6; // knob 1..=9", &CellName::default()).unwrap();
        assert_eq!([widgets.line("n", "6").unwrap().1, widgets.line("n", "5").unwrap().1], ["6", "5"]);
    }

    #[test]
    fn turning_gives_the_cell_with_the_new_value_once() {
        let mut widgets = Widgets::of(CELL, &CellName::default()).unwrap();
        let (slider, list) = (widgets.models[0].id.clone(), widgets.models[1].id.clone());
        let state = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        assert_eq!(widgets.update(&slider, &state("{\"value\":7}")).unwrap(), CELL.replace("n = 5", "n = 7"));
        assert_eq!(widgets.update(&slider, &state("{\"value\":7}")), None);
        assert_eq!(widgets.update(&slider, &state("{\"value\":70}")), None);
        let both = CELL.replace("n = 5", "n = 7").replace("= \"a\"", "= \"b\"");
        assert_eq!(widgets.update(&list, &state("{\"index\":1,\"_model_name\":\"x\"}")).unwrap(), both);
        assert_eq!(widgets.model(&list).unwrap().state["_model_name"], "DropdownModel");
        assert_eq!(widgets.model(&list).unwrap().state["index"], 1);
        assert_eq!(widgets.update("no", &state("{}")), None);
    }
}
