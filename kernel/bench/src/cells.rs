//! Cells that the benchmark runs in each kernel.

/// Cell that loads the crate, in our kernel and in stock evcxr.
pub const LOAD: &str = ":dep workbench = { path = \"../workbench\" }";

/// A first `let` whose type has to be inferred.
pub const FIRST_LET: &str = "let bench_values = (0..1000).map(|i| f64::from(i) * 0.5).collect::<Vec<_>>();";

/// Times the routine of the crate from a cell; prints seconds.
pub const ROUTINE: &str = "println!(\"{}\", workbench::timing::best_time(100));";

/// The kinds of cells that a tour has, in Python with polars and matplotlib: load, values, frame, table, query, figure.
pub const PYTHON: [&str; 12] = [
    "%matplotlib inline\nimport math\nimport polars as pl\nimport matplotlib.pyplot as plt",
    "values = [i * 0.5 for i in range(1000)]",
    "frame = pl.DataFrame({'d': list(range(1, 1001)), 'error': [1 / i for i in range(1, 1001)]})",
    "frame",
    "frame.filter(pl.col('d') > 10).with_columns((pl.col('error') * pl.col('d')).alias('product')).head(20)",
    "frame.lazy().group_by(pl.col('d') % 10).agg(pl.col('error').mean()).collect()",
    "frame.describe()",
    "sum(values) / len(values)",
    "slope = (math.log(frame['error'][-1]) - math.log(frame['error'][9])) / (math.log(1000) - math.log(10))",
    "print(f'slope {slope:.4f}')",
    "figure, axes = plt.subplots()\naxes.loglog(frame['d'], frame['error'])\naxes.set_xlabel('d')\nplt.show()",
    "figure, axes = plt.subplots(1, 2)\naxes[0].loglog(frame['d'], frame['error'])\naxes[1].semilogy(frame['d'], frame['error'])\nplt.show()",
];

/// The first `let`, in Python.
pub const PYTHON_LET: &str = "bench_values = [i * 0.5 for i in range(1000)]";
