use ndarray::Array2;

use super::super::svg::tests::well_formed;
use super::*;

fn scaling() -> Figure {
    let d: Vec<f64> = (4..=14).map(|k| f64::from(1 << k)).collect();
    let of = |c: f64| -> Vec<f64> { d.iter().map(|d| c * d.powf(-0.5)).collect() };
    let panel = Panel::new("Error against dimension")
        .x_label("dimension d")
        .y_label("relative error")
        .log_x()
        .log_y()
        .band("measured", &d, &of(1.6), &of(2.4))
        .line("measured", &d, &of(2.0))
        .points("measured", &d, &of(2.0))
        .theory("2 d^{−1/2} (Theorem 1)", &d, &of(2.1));
    Figure::new("Scaling").panel(panel).caption("Both axes are logarithmic; a straight line is a power law.")
}

#[test]
fn a_typical_figure_is_small_well_formed_and_has_no_fonts() {
    let svg = scaling().svg().unwrap();
    let names = well_formed(&svg);
    assert!(svg.len() < 60_000, "{} bytes", svg.len());
    assert!(names.iter().all(|n| n != "text" && n != "script" && n != "style"));
    assert!(svg.contains("<title>Scaling</title>") && svg.contains("straight line is a power law"));
    let png = scaling().png().unwrap();
    assert!(png.len() < 120_000, "{} bytes", png.len());
    assert_eq!(&png[..4], b"\x89PNG");
}

#[test]
fn no_text_overlaps_another_or_leaves_the_page() {
    let mut figures = vec![scaling()];
    let x: Vec<f64> = (0..200).map(|i| f64::from(i) * 12345.0).collect();
    let y: Vec<f64> = x.iter().map(|x| x.sin() * 1e-7).collect();
    let panel = || {
        Panel::new("A rather long title of a panel that has to fit")
            .x_label("steps")
            .y_label("a long label of the vertical axis (unit)")
            .line("one", &x, &y)
            .line("two", &x, &y)
    };
    figures.push(Figure::new("Four").panel(panel()).panel(panel()).panel(panel()).panel(panel()));
    let heat = Array2::from_shape_fn((6, 9), |(i, j)| (i * j) as f64 * 1e6);
    figures.push(
        Figure::new("Heat")
            .panel(Panel::new("h").x_label("x").y_label("y").heatmap(&heat, &[0.0; 0], &[0.0; 0], "value")),
    );
    for figure in figures {
        let scene = figure.scene().unwrap();
        let boxes: Vec<_> = scene.shapes.iter().filter_map(|s| s.text_box().map(|b| (b, s))).collect();
        assert!(boxes.len() > 8);
        let (width, height) = (f64::from(scene.size.0), f64::from(scene.size.1));
        for (i, (a, shape)) in boxes.iter().enumerate() {
            assert!(a.0 >= 0.0 && a.1 >= 0.0 && a.2 <= width && a.3 <= height, "{shape:?} leaves the page");
            for (b, other) in &boxes[i + 1..] {
                let apart = a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1;
                assert!(apart, "{shape:?} overlaps {other:?}");
            }
        }
    }
}

#[test]
fn the_summary_names_panels_series_ranges_and_caption() {
    let text = scaling().text().unwrap();
    assert!(text.starts_with("Figure: Scaling\nPanel 1: Error against dimension\n"));
    assert!(text.contains("x: dimension d, ") && text.contains(", log"));
    assert!(text.contains("2 d^(−1/2) (Theorem 1): dashed theory line, 11 points, x 16.00 to 16384"), "{text}");
    assert!(text.contains("from 0.5250 at the left to 0.01641 at the right"), "{text}");
    assert!(text.ends_with("a straight line is a power law."));
}

#[test]
fn a_series_without_a_name_has_none_and_the_description_does_not_repeat_the_title() {
    let bare = Panel::new("").x_label("x_{1}").points("", &[1.0, 2.0], &[3.0, 1.0]);
    let bare = Figure::new("bare").panel(bare);
    let text = bare.text().unwrap();
    assert!(text.contains("  x: x_1, ") && text.contains("\n  separate, 2 points"), "{text}");
    assert!(!bare.svg().unwrap().contains("<desc>Figure: bare"));
}

#[test]
fn bad_input_is_an_error_at_draw_time_and_never_a_panic() {
    let none = [0.0; 0];
    let bad = [
        Figure::new("no panel"),
        Figure::new("empty panel").panel(Panel::new("p")),
        Figure::new("empty series").panel(Panel::new("p").line("a", &none, &none)),
        Figure::new("lengths").panel(Panel::new("p").line("a", &[1.0], &[1.0, 2.0])),
        Figure::new("log").panel(Panel::new("p").log_y().line("a", &[1.0], &[-1.0])),
        Figure::new("nan").panel(Panel::new("p").line("a", &[f64::NAN], &[1.0])),
        Figure::new("heat").panel(Panel::new("p").heatmap(&Array2::zeros((0, 0)), &none, &none, "v")),
        Figure::new("heat on log").panel(Panel::new("p").log_x().heatmap(&Array2::zeros((2, 2)), &none, &none, "v")),
        Figure::new("columns").columns(0),
        Figure::new("size").size(10, 10),
        Figure::new("tight").size(130, 130).panel(Panel::new("p").y_label("y").line("a", &[1.0], &[1.0])),
    ];
    for figure in bad {
        let error = figure.svg().expect_err(&figure.title).to_string();
        assert!(error.contains(';') && !error.contains("Error {"), "{error}");
        figure.evcxr_display();
    }
}

#[test]
fn extreme_values_are_drawn_without_a_panic() {
    let cases: [(&[f64], &[f64]); 6] = [
        (&[1.0], &[1.0]),
        (&[0.0, 0.0], &[5.0, 5.0]),
        (&[-1e300, 1e300], &[-1e300, 1e300]),
        (&[1e-300, 1e-299], &[1e300, 1e299]),
        (&[1.0, 1.0 + 1e-15], &[3.0, 3.0 + 1e-15]),
        (&[f64::MAX, f64::MIN], &[f64::MAX, f64::MIN]),
    ];
    for (x, y) in cases {
        for log in [false, true] {
            let mut panel = Panel::new("p").line("a", x, y).points("a", x, y).band("b", x, y, y).bars("c", x, y);
            if log {
                panel = panel.log_x().log_y();
            }
            let figure = Figure::new("extreme").panel(panel);
            match figure.to_bundle() {
                Ok(bundle) => assert!(bundle.get(Mime::Svg).is_some_and(|svg| !svg.contains("NaN"))),
                Err(error) => assert!(log || matches!(error, Error::Limits { .. }), "{error}"),
            }
        }
    }
}

#[test]
fn dropped_points_are_counted_under_the_figure() {
    let panel = Panel::new("p").log_y().points("a", &[1, 2, 3], &[1.0, 0.0, 2.0]);
    let text = Figure::new("f").panel(panel).text().unwrap();
    assert!(text.ends_with("“a”: 1 of 3 points left out (1 not positive on a log axis)."));
}

#[test]
fn both_formats_are_saved_and_others_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.svg", "sub/a.png"] {
        scaling().save(folder.path().join(name)).unwrap();
    }
    assert!(folder.path().join("sub/a.png").metadata().unwrap().len() > 1000);
    assert!(matches!(scaling().save(folder.path().join("a.pdf")), Err(Error::Format { .. })));
}

#[test]
fn the_same_figure_is_drawn_to_the_same_bytes() {
    assert_eq!(scaling().svg().unwrap(), scaling().svg().unwrap());
    assert_eq!(scaling().png().unwrap(), scaling().png().unwrap());
}

#[test]
fn marked_cells_are_framed_and_the_bar_can_be_left_out() {
    let heat = Array2::from_shape_fn((2, 3), |(i, j)| i as f64 - j as f64);
    let map = || Panel::new("h").heatmap(&heat, &[1.0, 2.0, 3.0], &[0.0, 1.0], "value");
    let scene = |panel: Panel| Figure::new("f").panel(panel).scene().unwrap();
    let (plain, marked, bare) = (scene(map()), scene(map().mark_cell(2.2, 1.0)), scene(map().no_colour_bar()));
    assert!(marked.text.contains("framed cell: x = 2.000, y = 1.000"), "{}", marked.text);
    assert_eq!(marked.shapes.len(), plain.shapes.len() + 2);
    assert!(bare.shapes.len() + 64 < plain.shapes.len());
}
