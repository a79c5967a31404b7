//! Types of expressions that completion tells: bindings of every kind, fields, calls, chains, closures. One line for each way in which
//! a name gets its type, with a method that only the right type has.

use workbench_language::Language;

const ITEMS: &str = "#[derive(Debug, Clone)]\nstruct Point { x: f64, name: String, all: Vec<u8> }\n\
    struct Pair<A, B>(A, B);\nenum Shape { Dot(Point), Line { from: Point, to: Point }, Nothing }\n\
    impl Point { fn moved(&self, by: f64) -> Point { self.clone() } fn parts(&self) -> (f64, String) { todo!() } \
    fn maybe(&self) -> Option<String> { None } fn zero() -> Self { todo!() } }\n\
    impl<A, B> Pair<A, B> { fn first(self) -> A { self.0 } fn swap(self) -> Pair<B, A> { todo!() } }\n\
    fn id<T>(x: T) -> T { x }\nfn both(a: f64, b: &str) -> Result<Point, String> { todo!() }\n\
    trait Warm { fn warmth(&self) -> Vec<String>; }\nimpl Warm for Point { fn warmth(&self) -> Vec<String> { vec![] } }";

/// A cell that ends at the cursor, and a name that has to be offered there.
const CASES: [(&str, &str); 34] = [
    ("p.", "moved"),
    ("p.x.", "sqrt"),
    ("p.name.", "push_str"),
    ("p.all.iter().", "map"),
    ("p.moved(1.0).moved(2.0).name.", "to_uppercase"),
    ("p.parts().1.", "push_str"),
    ("p.maybe().unwrap().", "push_str"),
    ("p.maybe().", "unwrap_or"),
    ("p.warmth().", "push"),
    ("Point::zero().x.", "abs"),
    ("let q = p.moved(1.0);\nq.", "parts"),
    ("let (a, b) = p.parts();\nb.", "push_str"),
    ("let Point { x, name, .. } = p;\nname.", "push_str"),
    ("let Point { x: across, .. } = p;\nacross.", "sqrt"),
    ("let q: Vec<f32> = todo();\nq.", "push"),
    ("let q = &p;\nq.", "moved"),
    ("let q = id(p);\nq.", "moved"),
    ("let q = both(1.0, \"x\")?;\nq.", "moved"),
    ("let q = Pair(1.0, String::new());\nq.1.", "push_str"),
    ("let q = Pair(p, 1).first();\nq.", "moved"),
    ("let q = Pair(1, String::new()).swap().0;\nq.", "push_str"),
    ("let v = vec![p];\nv[0].", "moved"),
    ("let v = vec![p];\nfor q in v.iter() { q.", "moved"),
    ("for q in &many { q.", "push_str"),
    ("if let Some(q) = p.maybe() { q.", "push_str"),
    ("let Some(q) = p.maybe() else { return };\nq.", "push_str"),
    ("match shape { Shape::Dot(q) => q.", "moved"),
    ("match shape { Shape::Line { from, .. } => from.", "moved"),
    ("let f = |q: &Point| q.", "moved"),
    ("many.iter().map(|q| q.", "to_uppercase"),
    ("let n = many.iter().map(|q| q.len()).sum::<usize>();\nn.", "pow"),
    ("let q = if true { p } else { todo!() };\nq.", "moved"),
    ("let q = { let inner = p; inner };\nq.", "moved"),
    ("let q = [1.5, 2.5];\nq[1].", "sqrt"),
];

#[test]
fn a_name_has_the_type_that_it_was_given() {
    let language = Language::default();
    let variables = [("p", "Point"), ("shape", "Shape"), ("many", "std::vec::Vec<std::string::String>")];
    language.ran(ITEMS, variables.map(|(name, of)| (name.to_owned(), of.to_owned())).to_vec());
    let mut wrong = Vec::new();
    for (cell, wanted) in CASES {
        let found = language.complete(cell, cell.chars().count());
        let offers = |name: &str| found.items.iter().any(|item| item.text == name);
        // Of numbers only; where no type is known, everything might be offered.
        let too_much = !["sqrt", "abs"].contains(&wanted) && offers("sqrt");
        if !offers(wanted) || too_much {
            let names: Vec<&str> = found.items.iter().take(5).map(|item| item.text.as_str()).collect();
            wrong.push(format!("{cell:?}: no {wanted}, but {names:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
