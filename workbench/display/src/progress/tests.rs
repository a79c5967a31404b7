use super::*;
use workbench_ground::rehearsal;

#[test]
fn a_whole_loop_ends_as_text() {
    let progress = Progress::new("training");
    let mut sum = 0;
    for step in progress.over(0..1234) {
        sum += step;
        progress.value("loss", 1.0 / f64::from(step + 1));
    }
    assert_eq!((sum, progress.done()), (1233 * 1234 / 2, 1234));
    let text = progress.text();
    assert!(text.starts_with("training: 1,234 of 1,234 steps, ") && text.ends_with(", loss 0.0008104"), "{text}");
    assert!(!progress.stopped());
}

#[test]
fn a_stop_ends_the_loop_before_its_next_step_and_is_said() {
    let progress = Progress::new("training").curve();
    let done = rehearsal::stop_after(6, || {
        let mut done = 0;
        for _ in progress.over(0..10_000) {
            done += 1;
            progress.value("loss", 0.5);
        }
        done
    });
    assert!((1..=6).contains(&done));
    assert!(progress.stopped());
    assert_eq!(progress.done(), done);
    let text = progress.text();
    assert!(text.starts_with(&format!("training: stopped at step {done} of 10,000 as you asked, ")), "{text}");
    // A request from before leaves no room for a first step.
    let progress = Progress::new("late");
    assert_eq!(rehearsal::stop_after(0, || progress.over(0..5).count()), 0);
    assert!(progress.stopped());
}

#[test]
fn a_stop_during_the_last_step_changes_nothing() {
    // Looks: one when the loop begins, one in each step.
    let progress = Progress::new("short");
    let (count, looks) = rehearsal::count(|| progress.over(0..3).count());
    assert_eq!(count, 3);
    let again = Progress::new("short");
    assert_eq!(rehearsal::stop_after(looks - 1, || again.over(0..3).count()), 3);
    assert!(!again.stopped() && again.text().starts_with("short: 3 of 3 steps"));
}

#[test]
fn leaving_a_loop_is_said() {
    let progress = Progress::new("search").unit("epochs");
    for epoch in progress.over(0..100) {
        if epoch == 41 {
            break;
        }
    }
    assert!(progress.text().starts_with("search: left in epoch 42 of 100, "), "{}", progress.text());
    let question = |progress: &Progress| -> Result<(), std::num::ParseIntError> {
        for text in progress.over(["1", "x", "3"]) {
            text.parse::<i32>()?;
        }
        Ok(())
    };
    assert!(question(&progress).is_err());
    assert!(progress.text().starts_with("search: left in epoch 2 of 3, "), "{}", progress.text());
}

#[test]
fn unknown_lengths_and_empty_loops_work() {
    let progress = Progress::new("sieve");
    let found = progress.over((0..100).filter(|n| n % 7 == 0)).count();
    assert_eq!(found, 15);
    assert!(progress.text().starts_with("sieve: 15 of 15 steps, "));
    let running = Progress::new("sieve");
    let mut steps = running.over(std::iter::repeat(()));
    for _ in 0..3 {
        steps.next();
    }
    assert!(running.text().starts_with("sieve: 2 steps, "), "{}", running.text());
    assert!(running.shared.state().html(2, Instant::now()).contains("<progress"));
    drop(steps);
    assert!(running.text().starts_with("sieve: left in step 3"), "{}", running.text());
    let none = Progress::new("none");
    assert_eq!(none.over(0..0).count(), 0);
    assert!(none.text().starts_with("none: 0 of 0 steps"));
    let given = Progress::new("given").of(1);
    assert_eq!(given.over(std::iter::once(7).filter(|_| true)).sum::<i32>(), 7);
    assert!(given.text().starts_with("given: 1 of 1 step,"), "{}", given.text());
}

#[test]
fn running_states_have_a_bar_a_rate_and_the_time_left() {
    let progress = Progress::new("a<b");
    let mut steps = progress.over(0..4);
    steps.next();
    steps.next();
    let later = Instant::now() + std::time::Duration::from_secs(2);
    let state = progress.shared.state();
    let line = state.bar_line(1, later);
    assert!(line.starts_with("a<b: █████░░░░░░░░░░░░░░░ 25 %, 1 of 4 steps, "), "{line}");
    assert!(line.contains(" s per step") && line.contains(" left"), "{line}");
    let html = state.html(1, later);
    assert!(
        html.contains("<label>a&lt;b <progress") && html.contains("max=\"4\" value=\"1\">25 %</progress>"),
        "{html}"
    );
    drop(state);
}

#[test]
fn loops_inside_loops_share_a_screen() {
    let outer = Progress::new("outer");
    let mut most = 0;
    for _ in outer.over(0..3) {
        let inner = Progress::new("inner");
        for _ in inner.over(0..5) {
            let screen = outer.shared.state().screen.clone().unwrap();
            assert!(Arc::ptr_eq(&screen, &inner.shared.state().screen.clone().unwrap()));
            most = most.max(screen.size());
        }
        assert!(inner.text().starts_with("inner: 5 of 5"));
    }
    assert_eq!(most, 2);
    // Afterwards the next loop has a screen of its own.
    assert!(outer.shared.state().screen.is_none());
    let next = Progress::new("next");
    let mut steps = next.over(0..2);
    steps.next();
    assert_eq!(next.shared.state().screen.clone().unwrap().size(), 1);
}

#[test]
fn work_that_is_no_iterator_counts_for_itself() {
    let progress = Progress::new("walk").of(10);
    assert!(progress.advance(4) && progress.advance(6));
    assert!(progress.text().starts_with("walk: 10 of 10 steps"));
    let open = Progress::new("walk");
    assert!(open.advance(3));
    assert!(!rehearsal::stop_after(0, || open.advance(2)));
    assert!(open.stopped() && open.text().starts_with("walk: stopped at step 5 as you asked"), "{}", open.text());
    assert!(!open.advance(1), "a stopped progress stays so");
    // From many threads.
    let shared = Progress::new("threads").of(4000);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|_| assert!(shared.advance(1))));
        }
    });
    assert!(shared.text().starts_with("threads: 4,000 of 4,000 steps"), "{}", shared.text());
}

#[test]
fn it_observes_computations() {
    let mut progress = Progress::new("fit");
    for done in 1..=20 {
        let value = (done > 1).then_some(0.25);
        progress.observe(Step { done, of: 20, value });
    }
    assert!(
        progress.text().starts_with("fit: 20 of 20 steps, ") && progress.text().ends_with("value 0.2500"),
        "{}",
        progress.text()
    );
}

#[test]
fn it_observes_and_names_the_value() {
    fn fit(observer: &mut dyn Observer) {
        observer.value_is("mean loss");
        for done in 1..=2 {
            observer.observe(Step { done, of: 2, value: Some(0.5) });
        }
    }
    let ends = |progress: &Progress, end: &str| assert!(progress.text().ends_with(end), "{}", progress.text());
    let mut progress = Progress::new("fit");
    fit(&mut progress);
    ends(&progress, "mean loss 0.5000");
    let mut named = Progress::new("fit").value_name("loss");
    fit(&mut named);
    ends(&named, ", loss 0.5000");
    fit(&mut workbench_ground::work::Unwatched);
}

#[test]
fn steps_are_cheap() {
    // Counts, not times: a million steps look at the clock a few thousand times and keep a bounded history.
    let progress = Progress::new("cheap").curve();
    for step in progress.over(0..1_000_000usize) {
        progress.value("x", step as f64);
    }
    assert_eq!(progress.done(), 1_000_000);
}
