//! Tests of drawings.

use super::draw::WIDEST;
use super::*;
use crate::figure::well_formed;

fn memory() -> Sketch {
    Sketch::new("A <memory> & \"its\" masks")
        .block("q <1>", "16 numbers\nof one query", 0, 0)
        .grid("mask", "8 × 8", 4.5, 0.5, (8, 8), |i, j| if j <= i { 1.0 } else { f64::NAN })
        .grid("signs", "", 8, 0.5, (1, 3), |_, j| j as f64 - 1.0)
        .labels(&["−", "", "+"])
        .copies(3)
        .arrow("q <1>", "mask", "φ")
        .arrow("mask", "mask", "× e^{−τ}")
        .arrow("mask", (4.5, 4), "down")
        .around(&["mask", "signs"], "layer")
        .note("far to the right", 12, 3)
}

#[test]
fn nothing_is_cut_off_and_the_page_is_no_wider_than_a_page() {
    for sketch in
        [memory(), Sketch::chain("a → b: 2 ← c"), Sketch::new("a title wider than its box").block("x", "", 0, 0)]
    {
        let (shapes, (width, height)) = sketch.scene().unwrap();
        assert!(f64::from(width) <= WIDEST + 1.0);
        for shape in &shapes {
            let (l, t, r, b) = shape.bounds();
            assert!(l >= 0.0 && t >= 0.0 && r <= f64::from(width) && b <= f64::from(height), "{shape:?}");
        }
    }
}

#[test]
fn text_is_escaped_and_what_is_drawn_is_listed() {
    let svg = memory().svg().unwrap();
    well_formed(&svg);
    assert!(svg.contains("<title>A &lt;memory&gt; &amp; &quot;its&quot; masks</title>"), "{svg}");
    assert!(svg.contains("role=\"img\"") && svg.contains("fill=\"#fff\" d=\"M0 0h"));
    let text = memory().text().unwrap();
    for line in [
        "box q <1>: 16 numbers of one query",
        "grid mask: 8 × 8, 8 rows × 8 columns of cells, 36 shaded",
        "grid signs, 3 copies, 1 rows × 3 columns of cells, 2 shaded, in its cells: − +",
        "arrow from mask to mask: × e^(−τ)",
        "arrow from mask to the point (4.5, 4): down",
        "frame \"layer\" around mask, signs",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(memory().png().unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_chain_points_both_ways_and_its_boxes_do_not_touch() {
    let chain = Sketch::chain("query: 2 numbers → map ← key: 2");
    let text = chain.text().unwrap();
    assert!(text.contains("arrow from query to map") && text.contains("arrow from key to map"), "{text}");
    for pair in chain.parts.windows(2) {
        assert!(pair[0].centre().0 + pair[0].half().0 + 30.0 < pair[1].centre().0 - pair[1].half().0);
    }
}

#[test]
fn bad_input_is_a_message_that_says_what_to_do() {
    let one = || Sketch::new("t").block("a", "", 0, 0);
    for (sketch, says) in [
        (Sketch::new("t"), "nothing is drawn"),
        (Sketch::new("t").colour(1), "nothing yet whose colour"),
        (one().arrow("a", "b", ""), "there is no \"b\" yet; placed are: a"),
        (one().block("b", "", 0.5, 0).arrow("a", "b", "x"), "has no length"),
        (one().block("b", "", f64::NAN, 0), "(NaN, 0)"),
        (one().size(-1, 1), "-1 x 1 units"),
        (one().grid("g", "", 0, 0, (0, 3), |_, _| 0.0), "0 x 3"),
        (one().grid("g", "", 0, 0, (2, 2), |i, j| 1.0 / (i + j) as f64), "cell (0, 0) of \"g\" is inf"),
        (one().block("b", "", 40, 0), "units wide"),
        (one().around(&["c"], "f"), "there is no \"c\""),
    ] {
        let error = sketch.svg().unwrap_err().to_string();
        assert!(error.starts_with("sketch \"t\": ") && error.contains(says), "{error}");
    }
    assert!(matches!(one().save("a.txt"), Err(Error::Format { .. })));
}
