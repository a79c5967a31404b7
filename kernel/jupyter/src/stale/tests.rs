//! What is marked as out of date, what follows, and in which order.

use super::*;

fn figure(id: &str) -> Vec<Output> {
    let data = [("image/svg+xml", "<svg/>"), ("text/plain", "a figure")];
    let data = data.map(|(mime, text)| (mime.to_owned(), Value::String(text.into())));
    vec![Output { id: Some(id.to_owned()), ..Output::show(data.into_iter().collect()) }]
}

fn rerun(id: &str, count: usize, source: &str, seconds: f64) -> Rerun {
    let name = CellName { id: id.to_owned(), count };
    Rerun { name, source: source.to_owned(), places: Places::default(), seconds }
}

#[test]
fn quick_cells_follow_if_asked_and_each_once() {
    let mut stale = Stale::default();
    let run = |stale: &mut Stale, id: &str, number, source: &str, seconds| {
        stale.ran(id, number, &Dataflow::of(source), figure(id), rerun(id, number, source, seconds));
    };
    let cells = [
        ("a", "let x = 1;", 0.1),
        ("b", "// follow\nlet y = x + 1;", 0.1),
        ("c", "// follow\nlet x2 = 2 * x; // slow", 3.0),
        ("d", "plot(y)", 0.1),
        ("e", "  // follow\nplot(y)", 0.1),
    ];
    for (number, (id, source, seconds)) in cells.into_iter().enumerate() {
        run(&mut stale, id, number, source, seconds);
    }
    let mut done = HashSet::new();
    assert!(stale.due(&done).is_none());
    run(&mut stale, "a", 9, "let x = 2;", 0.1);
    let mut order = Vec::new();
    while let Some(again) = stale.due(&done) {
        let id = again.name.id.clone();
        order.push(id.clone());
        run(&mut stale, &id, again.name.count, &again.source, again.seconds);
        done.insert(id);
    }
    assert_eq!(order, ["b", "e"]);
    // What cannot be run is tried again when what it rests on was made once more, and not before; what rests on it waits.
    let given = |stale: &mut Stale| stale.due(&HashSet::new()).map(|again| again.name.id);
    run(&mut stale, "a", 10, "let x = true;", 0.1);
    assert_eq!(given(&mut stale).as_deref(), Some("b"));
    run(&mut stale, "f", 11, "let other = 1;", 0.1);
    assert_eq!(given(&mut stale), None);
    run(&mut stale, "a", 12, "let x = 2;", 0.1);
    assert_eq!(given(&mut stale).as_deref(), Some("b"));
    run(&mut stale, "b", 1, "// follow\nlet y = x + 1;", 0.1);
    assert_eq!(given(&mut stale).as_deref(), Some("e"));
}

#[test]
fn what_asks_to_follow_and_does_not_says_why() {
    let mut stale = Stale::default();
    let mut number = 0;
    let mut run = |stale: &mut Stale, id: &str, source: &str, seconds| {
        number += 1;
        let shown = stale.ran(id, number, &Dataflow::of(source), figure(id), rerun(id, number, source, seconds));
        shown.iter().map(|output| output.data["text/plain"].to_string()).collect::<Vec<_>>()
    };
    run(&mut stale, "a", "let x = 1;", 0.1);
    run(&mut stale, "slow", "// follow\nlet y = x + 1;", 1.44);
    run(&mut stale, "waits", "// follow\nplot(y)", 0.1);
    run(&mut stale, "plain", "plot(y)", 0.1);
    let told = run(&mut stale, "a", "let x = 2;", 0.1);
    let says = |words: &str| told.iter().filter(|told| told.contains(words)).count();
    assert_eq!((told.len(), says("It took 1.4 s when it ran last"), says("`// follow` waits for cell [2]")), (3, 1, 1));
    assert!(stale.due(&HashSet::new()).is_none());
    // One who comes later hears the same.
    let later: Vec<Output> = stale.standing().collect();
    assert!(later.iter().all(|output| told.contains(&output.data["text/plain"].to_string())) && later.len() == 3);
    run(&mut stale, "slow", "// follow\nlet y = x + 1;", 0.2);
    assert_eq!(stale.due(&HashSet::new()).map(|again| again.name.id).as_deref(), Some("waits"));
}

#[test]
fn a_cell_that_ran_by_itself_is_told_as_it_stands() {
    let mut stale = Stale::default();
    let mut own = rerun("a", 1, "plot(1)", 0.1);
    own.places.ids = vec!["a".to_owned(), "large".to_owned()];
    stale.ran("a", 1, &Dataflow::of("plot(1)"), figure("a"), own.clone());
    assert_eq!(stale.standing().count(), 0);
    own.places.again = true;
    let mut rest = FallbackDisplay::new("rest".to_owned());
    rest.print("printed");
    own.places.rest = Some(rest);
    stale.ran("a", 1, &Dataflow::of("plot(1)"), figure("a"), own);
    let told = stale.standing().map(|output| (output.id.unwrap(), output.data["text/plain"].clone(), output.role));
    let all = [("rest", "printed"), ("large", LOST), ("a", "a figure")];
    assert_eq!(told.collect::<Vec<_>>(), all.map(|(id, text)| (id.to_owned(), text.into(), Role::Update)));
}

fn run(stale: &mut Stale, id: &str, number: usize, source: &str) -> Vec<String> {
    let replaced = stale.ran(id, number, &Dataflow::of(source), figure(id), rerun(id, number, source, 0.1));
    replaced.into_iter().map(|output| format!("{} {}", output.id.unwrap(), output.data["text/html"])).collect()
}

#[test]
fn what_rests_on_a_cell_that_runs_again_is_marked_until_it_runs_itself() {
    let mut stale = Stale::default();
    assert!(run(&mut stale, "a", 1, "let x = 1;").is_empty());
    assert!(run(&mut stale, "b", 2, "let y = x + 1;").is_empty());
    assert!(run(&mut stale, "c", 3, "plot(y)").is_empty());
    assert!(run(&mut stale, "d", 4, "plot(z)").is_empty());
    let marked = run(&mut stale, "a", 5, "let x = 2;");
    assert_eq!(marked.len(), 2, "{marked:?}");
    assert!(
        marked[0].starts_with("b ") && marked[0].contains("<code>x</code> was made again by cell [5]"),
        "{marked:?}"
    );
    assert!(
        marked[1].starts_with("c ") && marked[1].contains("<code>y</code> rests on") && marked[1].contains("<svg/>"),
        "{marked:?}"
    );
    // Once is enough.
    assert!(run(&mut stale, "a", 6, "let x = 3;").is_empty());
    // `b` is right again, `c` still rests on the old `y`, and says so already.
    assert!(run(&mut stale, "b", 7, "let y = x + 1;").is_empty());
    run(&mut stale, "c", 8, "plot(y)");
    assert_eq!(run(&mut stale, "b", 9, "let y = x + 2;").len(), 1);
}

#[test]
fn all_that_is_out_of_date_comes_after_what_it_rests_on() {
    let mut stale = Stale::default();
    for (number, (id, source)) in
        [("a", "let x = 1;"), ("c", "plot(y)"), ("d", "plot(z)"), ("b", "let y = x + 1;")].into_iter().enumerate()
    {
        run(&mut stale, id, number, source);
    }
    run(&mut stale, "c", 5, "plot(y)");
    run(&mut stale, "b", 6, "let y = x + 1;");
    run(&mut stale, "a", 7, "let x = 2;");
    let (mut done, mut order) = (HashSet::new(), Vec::new());
    while let Some(again) = stale.next(&done) {
        order.push(again.name.id.clone());
        run(&mut stale, &again.name.id, again.name.count, &again.source);
        done.insert(again.name.id);
    }
    // `c` ran before `b` did last.
    assert_eq!(order, ["b", "c"]);
}

#[test]
fn a_name_that_another_cell_made_since_is_not_this_ones() {
    let mut stale = Stale::default();
    run(&mut stale, "a", 1, "let x = 1;");
    run(&mut stale, "b", 2, "plot(x)");
    run(&mut stale, "c", 3, "let x = 5;");
    run(&mut stale, "d", 4, "plot(x)");
    let marked = run(&mut stale, "c", 5, "let x = 6;");
    assert!(marked.len() == 1 && marked[0].starts_with("d "), "{marked:?}");
}

#[test]
fn a_cell_that_changes_what_it_reads_does_not_mark_itself() {
    let mut stale = Stale::default();
    run(&mut stale, "a", 1, "let mut w = 1;");
    run(&mut stale, "b", 2, "w += 1; plot(w)");
    assert!(run(&mut stale, "b", 3, "w += 1; plot(w)").is_empty());
}

#[test]
fn what_changes_a_variable_anywhere_marks_what_rests_on_it() {
    for change in [
        "for i in 0..3 { list.push(i); }",
        "let last = list.pop();",
        "if c { list.clear(); }",
        "list.iter_mut().for_each(|x| *x += 1.0);",
    ] {
        let mut stale = Stale::default();
        run(&mut stale, "a", 1, "let mut list = vec![0.0];");
        run(&mut stale, "b", 2, change);
        run(&mut stale, "c", 3, "Card(format!(\"{list:?}\"))");
        run(&mut stale, "d", 4, "Card(other.list())");
        let marked = run(&mut stale, "b", 5, change);
        assert!(marked.len() == 1 && marked[0].starts_with("c "), "{change}: {marked:?}");
    }
}

#[test]
fn methods_that_are_written_again_mark_what_uses_their_type() {
    let mut stale = Stale::default();
    run(&mut stale, "a", 1, "struct S;");
    run(&mut stale, "b", 2, "impl S { fn f(&self) -> f64 { 1.0 } }");
    run(&mut stale, "c", 3, "Card(S.f())");
    // A type that no cell has made joins nothing.
    run(&mut stale, "d", 4, "trait T {}");
    run(&mut stale, "e", 5, "impl T for Vec<u8> {}");
    run(&mut stale, "f", 6, "Card(Vec::<f64>::new())");
    let marked = run(&mut stale, "b", 7, "impl S { fn f(&self) -> f64 { 2.0 } }");
    assert!(marked.len() == 1 && marked[0].starts_with("c "), "{marked:?}");
    assert!(run(&mut stale, "e", 8, "impl T for Vec<u8> {}").is_empty());
    run(&mut stale, "b", 9, "impl S { fn f(&self) -> f64 { 2.0 } }");
    run(&mut stale, "c", 10, "Card(S.f())");
    assert_eq!(run(&mut stale, "a", 11, "struct S;").len(), 2);
}

#[test]
fn a_cell_that_takes_a_name_over_marks_who_had_it_from_the_other() {
    let mut stale = Stale::default();
    run(&mut stale, "a", 1, "let x = 1;");
    run(&mut stale, "b", 2, "plot(x)");
    run(&mut stale, "c", 3, "let z = 1;");
    let edited = run(&mut stale, "c", 5, "let x = 2;");
    assert!(edited.len() == 1 && edited[0].starts_with("b "), "{edited:?}");
    run(&mut stale, "b", 6, "plot(x)");
    stale.was_deleted("c");
    let anew = run(&mut stale, "e", 7, "let x = 4;");
    assert!(anew.len() == 1 && anew[0].starts_with("b "), "{anew:?}");
}

#[test]
fn a_cell_that_takes_a_name_over_marks_nobody_who_had_it_from_a_third() {
    let mut stale = Stale::default();
    run(&mut stale, "a", 1, "let x = 1;");
    run(&mut stale, "b", 2, "plot(x)");
    run(&mut stale, "c", 3, "let z = 1;");
    // The next section of a text, which uses a name again.
    assert!(run(&mut stale, "d", 4, "let x = 3;").is_empty());
    run(&mut stale, "e", 5, "plot(x)");
    let edited = run(&mut stale, "c", 6, "let x = 2;");
    assert!(edited.len() == 1 && edited[0].starts_with("e "), "{edited:?}");
}
