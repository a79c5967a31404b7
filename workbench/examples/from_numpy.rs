//! NumPy's first lines, and what is written here for them. Each line is computed and compared with NumPy's answer.
//!
//! Run with `cargo run --example from_numpy`.
//!
//! | NumPy | here |
//! | --- | --- |
//! | `a = np.array([[1., 2.], [3., 4.]])` | `let a = array![[1.0, 2.0], [3.0, 4.0]];` |
//! | `np.zeros((2, 3))`, `np.arange(4.)`, `np.linspace(0, 1, 5)` | `Array2::zeros((2, 3))`, `Array1::range(0.0, 4.0, 1.0)`, `Array1::linspace(0.0, 1.0, 5)` |
//! | `a.shape`, `len(a)` | `a.dim()`, `a.nrows()` |
//! | `a + 1`, which leaves `a` as it is | `&a + 1.0`; without `&` the sum takes `a`, which is gone afterwards |
//! | `a * b`, `a / b` by entries | `&a * &b`, `&a / &b` |
//! | `a += 1` | `a += 1.0;` with `let mut a` |
//! | `a @ b` | `a.dot(&b)` |
//! | `a.T` | `a.t()` |
//! | `a[1, 0]`, `a[0]`, `a[:, 1]`, `a[1:, ::-1]` | `a[[1, 0]]`, `a.row(0)`, `a.column(1)`, `a.slice(s![1.., ..;-1])` |
//! | `a.sum()`, `a.mean()` | `a.sum()`, `a.mean()`, which is `None` without entries |
//! | `a.mean(axis=0)` | `a.mean_axis(Axis(0))`, also `None` without rows |
//! | `np.exp(a)`, `np.where(a > 2, a, 0)` | `a.exp()`, `a.mapv(\|x\| if x > 2.0 { x } else { 0.0 })` |
//! | `a[a > 2]` | `a.iter().copied().filter(\|x\| *x > 2.0)` |
//! | `a.astype(np.float32)` | `a.mapv(\|x\| x as f32)` |
//! | `np.linalg.solve(a, b)` | `a.solve(&b)?` with `use ndarray_linalg::Solve;` |
//! | `np.random.default_rng(1).normal(size=(2, 3))` | `normal_array2(&mut Streams::new(1).stream("draws")?, 2, 3)` |
//! | `np.polyfit(np.log(x), np.log(y), 1)` | `power_fit(&x, &y, (low, high))?`, with intervals |
//! | `plt.plot(x, y)`, `plt.loglog(x, y)` | `Figure::line(&x, &y)`, `Figure::loglog(&x, &y)` |
//! | `plt.errorbar(x, mean, yerr)` | `Panel::new("").estimates("measured", &x, &means)` |

use workbench::ndarray_linalg::Solve;
use workbench::prelude::*;

/// All lines of the table.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a = array![[1.0, 2.0], [3.0, 4.0]];
    let b = array![[0.0, 1.0], [1.0, 0.0]];
    assert_eq!(Array2::<f64>::zeros((2, 3)).dim(), (2, 3));
    assert_eq!(Array1::range(0.0, 4.0, 1.0), array![0.0, 1.0, 2.0, 3.0]);
    assert_eq!(Array1::linspace(0.0, 1.0, 5)[1], 0.25);

    // Arithmetic by reference leaves its arguments alone; a clone does as well, at the cost of a copy.
    let sum = &a + 1.0;
    assert_eq!(sum, a.clone() + 1.0);
    assert_eq!(&a * &b, array![[0.0, 2.0], [3.0, 0.0]]);
    assert_eq!(a.dot(&b), array![[2.0, 1.0], [4.0, 3.0]]);
    let mut counted = a.clone();
    counted += 1.0;
    assert_eq!((counted, a.nrows()), (sum, 2));

    // Entries, rows, columns, slices.
    assert_eq!((a[[1, 0]], a.t()[[1, 0]]), (3.0, 2.0));
    assert_eq!((a.row(0), a.column(1)), (array![1.0, 2.0].view(), array![2.0, 4.0].view()));
    assert_eq!(a.slice(s![1.., ..;-1]), array![[4.0, 3.0]]);

    // Over all entries, along an axis, by a function, by a condition.
    assert_eq!((a.sum(), a.mean()), (10.0, Some(2.5)));
    assert_eq!(a.mean_axis(Axis(0)), Some(array![2.0, 3.0]));
    assert_eq!(a.exp()[[0, 0]], 1f64.exp());
    assert_eq!(a.mapv(|x| if x > 2.0 { x } else { 0.0 }), array![[0.0, 0.0], [3.0, 4.0]]);
    assert_eq!(a.iter().copied().filter(|x| *x > 2.0).collect::<Vec<f64>>(), [3.0, 4.0]);
    assert_eq!(a.mapv(|x| x as f32)[[0, 1]], 2f32);

    // Linear algebra; random numbers, from a stream that has a name.
    let solution = a.solve(&array![5.0, 11.0])?;
    assert!((solution - array![1.0, 2.0]).iter().all(|error| error.abs() < 1e-12));
    let draws = normal_array2(&mut Streams::new(1).stream("draws")?, 400, 3);
    let means: Vec<Estimate> = draws.columns().into_iter().map(|c| mean(&c.to_vec())).collect::<Result<_, _>>()?;
    assert!(means.iter().all(|mean| mean.contains(0.0)));

    // A power law: fitted, drawn in one call, and means with their intervals.
    let d = [16.0, 64.0, 256.0, 1024.0];
    let error = d.map(|d: f64| 2.0 / d.sqrt());
    assert!((power_fit(&d, &error, (16.0, 1024.0))?.slope.value + 0.5).abs() < 1e-12);
    let figure = Figure::loglog(&d, &error).labels("dimension d", "error");
    assert!(figure.text()?.contains("x: dimension d, "));
    let panel = Panel::new("").x_label("column").estimates("mean", &[0, 1, 2], &means);
    assert!(Figure::new("Means").panel(panel).text()?.contains("with error bars, 3 points"));
    println!("all lines of the table hold");
    Ok(())
}
