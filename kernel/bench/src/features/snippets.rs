//! Snippets that each kernel runs: the same small programs, in Rust and in Python.

/// Programs of one language. A kernel that has no way to do a thing gets the program that its users would try.
#[derive(Clone, Copy, Debug)]
pub struct Snippets {
    /// Loads what the others use.
    pub load: &'static str,
    /// Prints the process id of the process that runs cells.
    pub process_id: &'static str,
    /// Defines `kept_number` as 41.
    pub keep: &'static str,
    /// Its value is `kept_number + 1`.
    pub kept: &'static str,
    /// Sets `kept_number` to 0.
    pub spoil: &'static str,
    /// Runs only where [`Snippets::load`] has run.
    pub loaded: &'static str,
    /// Shows the HTML outputs `<b>1</b>`, `<b>2</b>`, `<b>3</b>`.
    pub three_outputs: &'static str,
    /// Prints `one`, shows `<b>1</b>`, prints `two`, shows `<b>2</b>`, prints `three`, has the value 3.
    pub interleaved: &'static str,
    /// Shows a figure.
    pub figure: &'static str,
    /// Shows `state 0` and updates it in place to `state 3`.
    pub update: &'static str,
    /// Updates one output 10,000 times, to `state 10000`; prints the milliseconds that one took.
    pub many_updates: &'static str,
    /// Shows 20 states, each the time in seconds since 1970, a twentieth of a second apart.
    pub timed_updates: &'static str,
    /// Prints `50 %`, waits a second, prints ` 100 %` and a newline.
    pub partial_line: &'static str,
    /// Prints `10 %`, goes back to the start of the line, prints `20 %`.
    pub carriage_return: &'static str,
    /// Writes 2000 lines to each of both streams.
    pub both_streams: &'static str,
    /// Prints a line, then clears the outputs, then prints another.
    pub clear: &'static str,
    /// A loop of 200 steps with a progress display and a falling loss.
    pub progress: &'static str,
    /// Prints 50 MB in one piece.
    pub flood: &'static str,
    /// A long computation as the language's users write it; interrupting it is meant to work. Prints `started`,
    /// counts in `reached`.
    pub long_work: &'static str,
    /// Its value is how far [`Snippets::long_work`] came.
    pub reached: &'static str,
    /// Prints `started`, then never looks up.
    pub deaf_work: &'static str,
    /// A cell that prints and fails.
    pub fails: &'static str,
    /// A panic or its like on line 2, with the message `as asked`.
    pub panics: &'static str,
    /// A failed assertion on line 2, with the message `not equal`.
    pub asserts: &'static str,
    /// An error that leaves the cell on line 2: a text that is no number.
    pub returns_error: &'static str,
    /// Waits a second, then prints `done`.
    pub waits: &'static str,
    /// A variable with a method to complete: (set-up, code, name expected).
    pub method: (&'static str, &'static str, &'static str),
    /// An item of the library to complete: (code, name expected, words of its documentation).
    pub item: (&'static str, &'static str, &'static str),
    /// An item to inspect: (code, cursor in characters, words of its documentation).
    pub inspect: (&'static str, usize, &'static str),
    /// Samples for `is_complete`: complete, incomplete, invalid.
    pub complete: [&'static [&'static str]; 3],
    /// Asks `name? ` and prints `hello ` and the answer.
    pub input: &'static str,
    /// The process ends itself with signal 9.
    pub kill_self: &'static str,
    /// Its value is 2.
    pub nothing: &'static str,
}

/// Rust, in our kernel and in stock evcxr.
pub const RUST: Snippets = Snippets {
    load: ":dep workbench = { path = \"../workbench\" }\n\
        use workbench::prelude::*;\nuse workbench::display::Mime;\n\
        fn html(text: &str) { emit(&Bundle::new(text).with(Mime::Html, &format!(\"<b>{text}</b>\"))); }\n\
        fn state(text: &str) -> Bundle { Bundle::new(text).with(Mime::Html, &format!(\"<i>{text}</i>\")) }",
    process_id: "println!(\"{}\", std::process::id());",
    keep: "let kept_number = 41;",
    kept: "kept_number + 1",
    spoil: "let kept_number = 0;",
    loaded: "html(\"ready\");",
    three_outputs: "for text in [\"1\", \"2\", \"3\"] { html(text); }",
    interleaved: "println!(\"one\");\nhtml(\"1\");\nprintln!(\"two\");\nhtml(\"2\");\nprintln!(\"three\");\n1 + 2",
    figure: "Figure::new(\"f\").panel(Panel::new(\"\").x_label(\"x\").y_label(\"y\").line(\"a\", &[1.0, 2.0], &[1.0, 4.0]))",
    update: "let mut live = Live::new();\nfor n in 0..4 { live.show(&state(&format!(\"state {n}\")))?; \
        std::thread::sleep(std::time::Duration::from_millis(120)); }\nlive.finish();",
    many_updates: "let mut many = Live::new();\nlet start = std::time::Instant::now();\n\
        for n in 1..=10000 { many.show(&state(&format!(\"state {n}\")))?; }\n\
        let each = start.elapsed().as_secs_f64() * 0.1;\nmany.finish();\nprintln!(\"each {each}\");",
    timed_updates: "let mut timed = Live::new();\nfor _ in 0..20 {\n\
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_secs_f64();\n\
        timed.show(&Bundle::new(&format!(\"{now:.6}\")))?;\n\
        std::thread::sleep(std::time::Duration::from_millis(150));\n}\ntimed.finish();",
    partial_line: "use std::io::Write;\nprint!(\"50 %\");\nstd::io::stdout().flush()?;\n\
        std::thread::sleep(std::time::Duration::from_secs(1));\nprintln!(\" 100 %\");",
    carriage_return: "print!(\"10 %\\r20 %\");\nprintln!();",
    both_streams: "for n in 0..2000 { println!(\"out {n}\"); eprintln!(\"err {n}\"); }",
    clear: "println!(\"old\");\nworkbench::display::clear(false);\nprintln!(\"new\");",
    progress: "let progress = Progress::new(\"training\");\nlet mut loss = 1.0_f64;\n\
        for _ in progress.over(0..200) { loss *= 0.98; progress.value(\"loss\", loss); \
        std::thread::sleep(std::time::Duration::from_millis(5)); }",
    flood: "println!(\"{}\", \"0123456789\".repeat(5_000_000));",
    long_work: "println!(\"started\");\nlet long = Progress::new(\"long work\");\nlet mut reached = 0_u64;\n\
        for n in long.over(0..u64::MAX) { reached = n; std::thread::sleep(std::time::Duration::from_millis(1)); }",
    reached: "reached",
    deaf_work: "println!(\"started\");\nloop { std::hint::black_box(1); }",
    fails: "std::thread::sleep(std::time::Duration::from_millis(500));\npanic!(\"first of three\");",
    panics: "let fine = 1;\npanic!(\"as asked\");",
    asserts: "let fine = 1;\nassert_eq!(fine, 2, \"not equal\");",
    returns_error: "let fine = 1;\nlet number: i32 = \"seven\".parse()?;",
    waits: "std::thread::sleep(std::time::Duration::from_secs(2));\nprintln!(\"done\");",
    method: ("let drawing = Figure::new(\"a\");", "drawing.capt", "caption"),
    item: ("workbench::stats::power_", "power_fit", "power law"),
    inspect: ("workbench::stats::power_fit", 23, "power law"),
    complete: [
        &["1 + 1", "let x = 1;", "fn f() {\n}"],
        &["fn f() {", "let x = vec![1,", "let s = \"open"],
        &["let 1x = ;", "let x = 1; }"],
    ],
    input: "let name = workbench::display::input(\"name? \")?;\nprintln!(\"hello {name}\");",
    kill_self: "let _ = std::process::Command::new(\"kill\").args([\"-9\", &std::process::id().to_string()]).status();\n\
        std::thread::sleep(std::time::Duration::from_secs(20));",
    nothing: "1 + 1",
};

/// Python, in ipykernel.
pub const PYTHON: Snippets = Snippets {
    load: "%matplotlib inline\nimport os, sys, time\nfrom IPython.display import display, HTML, clear_output\n\
        import polars\ndef html(text):\n    display(HTML(f'<b>{text}</b>'))",
    process_id: "print(os.getpid())",
    keep: "kept_number = 41",
    kept: "kept_number + 1",
    spoil: "kept_number = 0",
    loaded: "html('ready')",
    three_outputs: "for text in '123':\n    html(text)",
    interleaved: "print('one')\nhtml('1')\nprint('two')\nhtml('2')\nprint('three')\n1 + 2",
    figure: "import matplotlib.pyplot as plt\nplt.plot([1, 2], [1, 4])\nplt.show()",
    update: "live = display(HTML('<i>state 0</i>'), display_id=True)\nfor n in range(1, 4):\n    time.sleep(0.12)\n    \
        live.update(HTML(f'<i>state {n}</i>'))",
    many_updates: "many = display(HTML('<i>state 0</i>'), display_id=True)\nstart = time.time()\n\
        for n in range(1, 10001):\n    many.update(HTML(f'<i>state {n}</i>'))\nprint('each', (time.time() - start) * 0.1)",
    timed_updates: "timed = display({'text/plain': '0'}, raw=True, display_id=True)\nfor n in range(20):\n    \
        timed.update({'text/plain': f'{time.time():.6f}'}, raw=True)\n    time.sleep(0.15)",
    partial_line: "print('50 %', end='', flush=True)\ntime.sleep(1)\nprint(' 100 %')",
    carriage_return: "print('10 %\\r20 %')",
    both_streams: "for n in range(2000):\n    print('out', n)\n    print('err', n, file=sys.stderr)",
    clear: "print('old')\nclear_output()\nprint('new')",
    progress: "from tqdm.auto import tqdm\nbar = tqdm(range(200))\nfor n in bar:\n    time.sleep(0.005)\n    \
        bar.set_postfix(loss=1 / (n + 1))",
    flood: "print('0123456789' * 5_000_000)",
    long_work: "print('started', flush=True)\nreached = 0\nwhile True:\n    reached += 1\n    time.sleep(0.001)",
    reached: "reached",
    deaf_work: "print('started', flush=True)\nimport hashlib\nhashlib.pbkdf2_hmac('sha256', b'x', b'y', 10**9)",
    fails: "time.sleep(0.5)\nraise ValueError('first of three')",
    panics: "fine = 1\nraise RuntimeError('as asked')",
    asserts: "fine = 1\nassert fine == 2, 'not equal'",
    returns_error: "fine = 1\nnumber = int('seven')",
    waits: "time.sleep(2)\nprint('done')",
    method: ("drawing = polars.DataFrame({'a': [1]})", "drawing.heig", "height"),
    item: ("polars.read_pa", "read_parquet", "parquet"),
    inspect: ("polars.read_parquet", 10, "parquet"),
    complete: [
        &["1 + 1", "x = 1", "def f():\n    pass\n"],
        &["def f():", "x = [1,", "s = '''open"],
        &["x = = 1", "x = 1 }"],
    ],
    input: "print('hello ' + input('name? '))",
    kill_self: "import signal\nos.kill(os.getpid(), signal.SIGKILL)",
    nothing: "1 + 1",
};
