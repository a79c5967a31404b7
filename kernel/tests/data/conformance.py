"""Public suites and clients against our kernel: `python conformance.py`, with JUPYTER_PATH naming its kernelspec.

Nothing here checks the protocol by itself: `jupyter_kernel_test` and the validation inside `nbclient` and
`jupyter_client` do. This file gives them samples of Rust and says which answers are right.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from queue import Empty

import jupyter_kernel_test
import nbformat
from jupyter_client.manager import AsyncKernelManager, KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

KERNEL = "workbench"


def frame(mime, content):
    """A cell that shows content of a MIME type, in the frames that cells use, with the session's word."""
    text = f"EVCXR_BEGIN_CONTENT {mime} {{}}\\n{{}}\\nEVCXR_END_CONTENT"
    return f'println!("{text}", std::env::var("WORKBENCH_SEAL").unwrap(), r##"{content}"##);'


class Suite(jupyter_kernel_test.KernelTests):
    """Every test of the suite that applies: there is no pager."""

    kernel_name = KERNEL
    language_name = "rust"
    file_extension = ".rs"

    code_hello_world = 'println!("hello, world");'
    code_stderr = 'eprintln!("oh no");'
    completion_samples = [
        {"text": "let text = String::new();\ntext.split_whi", "matches": ["split_whitespace"]},
        {"text": "std::f64::consts::FRAC_1_SQRT", "matches": ["FRAC_1_SQRT_2"]},
    ]
    complete_code_samples = [
        "1 + 1",
        "let x = 1;",
        'println!("hello");',
        "fn twice(x: f64) -> f64 {\n    2.0 * x\n}",
        "for i in 0..3 {\n    print!(\"{i}\");\n}",
        'let text = "an open { bracket";',
        "// only a comment",
        ":vars",
    ]
    incomplete_code_samples = [
        "fn twice(x: f64) -> f64 {",
        "let v = vec![1,",
        'let text = "two\nlines',
        "/* a comment",
        "let x =",
        "x.",
        "#[derive(Debug)]",
    ]
    invalid_code_samples = ["let x = 1; }", "fn 3() {}", "let 1x = ;"]
    code_generate_error = 'panic!("as asked");'
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": '"a".repeat(3)', "result": '"aaa"'},
        {"code": "vec![1, 2, 3]", "result": "[1, 2, 3]"},
    ]
    code_display_data = [
        {"code": frame("text/html", "<b>bold</b>"), "mime": "text/html"},
        {"code": frame("text/markdown", "**bold**"), "mime": "text/markdown"},
        {"code": frame("text/latex", "$x^2$"), "mime": "text/latex"},
        {"code": frame("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>"), "mime": "image/svg+xml"},
        {"code": frame("application/json", '{"a": 1}'), "mime": "application/json"},
    ]
    code_history_pattern = "6*7"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "String"
    code_clear_output = frame("application/x-workbench-signal", '{"kind":"clear","wait":false}')


class Welcome(jupyter_kernel_test.IopubWelcomeTests):
    """A client that subscribes is welcomed (protocol 5.4)."""

    kernel_name = KERNEL
    support_iopub_welcome = True


def cells(*sources):
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": KERNEL, "display_name": "Rust"}})
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return notebook


class Nbclient(unittest.TestCase):
    """The client that nbconvert, jupyter-book and papermill execute notebooks with."""

    def run_notebook(self, *sources, **options):
        notebook = cells(*sources)
        NotebookClient(notebook, timeout=120, kernel_name=KERNEL, **options).execute()
        nbformat.validate(notebook)
        return notebook

    def test_outputs_are_collected_in_order(self):
        shown = 'println!("before");\n' + frame("text/html", "<p>1</p>") + '\nprintln!("between");\n'
        shown += frame("text/html", "<p>2</p>") + '\neprintln!("apart");\n40 + 2'
        notebook = self.run_notebook("let x = 1;", shown)
        outputs = [o for o in notebook.cells[1].outputs if o.get("name") != "stderr"]
        kinds = [o.output_type for o in outputs]
        self.assertEqual(kinds, ["stream", "display_data", "stream", "display_data", "execute_result"])
        self.assertEqual(outputs[1].data["text/html"], "<p>1</p>")
        self.assertEqual(outputs[-1].data["text/plain"], "42")
        self.assertEqual([c.execution_count for c in notebook.cells], [1, 2])

    def test_an_error_stops_the_notebook(self):
        with self.assertRaises(CellExecutionError) as raised:
            self.run_notebook('let n: i32 = "seven".parse()?;', 'println!("not reached");')
        self.assertIn("invalid digit", str(raised.exception))

    def test_a_cell_tagged_raises_exception_may_fail(self):
        notebook = cells('assert_eq!(1 + 1, 3, "arithmetic");', "5")
        notebook.cells[0].metadata["tags"] = ["raises-exception"]
        NotebookClient(notebook, timeout=120, kernel_name=KERNEL).execute()
        self.assertIn("arithmetic", notebook.cells[0].outputs[-1].evalue)
        self.assertEqual(notebook.cells[1].outputs[0].data["text/plain"], "5")

    def test_a_display_is_updated_in_place(self):
        show = '{"data":{"text/plain":"%s"},"metadata":{},"id":"bar","update":%s}'
        mime = "application/x-workbench-display"
        first = frame(mime, show % ("0 %", "false"))
        later = "\n".join(frame(mime, show % (f"{n} %", "true")) for n in range(1, 101))
        notebook = self.run_notebook(first, later)
        self.assertEqual([o.data["text/plain"] for o in notebook.cells[0].outputs], ["100 %"])
        self.assertEqual(notebook.cells[1].outputs, [])

    def test_a_cell_over_its_time_is_interrupted(self):
        notebook = cells("let kept = 3;", "loop { std::hint::black_box(1); }", "1 + 1")
        client = NotebookClient(
            notebook, timeout=3, kernel_name=KERNEL, interrupt_on_timeout=True, allow_errors=True, iopub_timeout=20
        )
        client.execute()
        self.assertEqual(notebook.cells[1].outputs[-1].output_type, "error")
        self.assertEqual(notebook.cells[2].outputs[0].data["text/plain"], "2")

    def test_the_command_line_client_executes_a_file(self):
        path = Path(os.environ["CONFORMANCE_FOLDER"], "cli.ipynb")
        nbformat.write(cells("let a = 20;", "a + 1"), path)
        command = [sys.executable, "-m", "jupyter", "execute", "--inplace", "--timeout=120", str(path)]
        subprocess.run(command, check=True)
        self.assertEqual(nbformat.read(path, 4).cells[1].outputs[0].data["text/plain"], "21")

    def test_jupyter_run_prints_what_the_cell_prints(self):
        path = Path(os.environ["CONFORMANCE_FOLDER"], "program.rs")
        path.write_text('println!("from a file");')
        command = [sys.executable, "-m", "jupyter", "run", f"--kernel={KERNEL}", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        self.assertIn("from a file", done.stdout)


class BlockingClient(unittest.TestCase):
    """jupyter_client's manager and blocking client, as the console and the test tools use them."""

    def setUp(self):
        self.manager = KernelManager(kernel_name=KERNEL)
        self.manager.start_kernel()
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def tearDown(self):
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)

    def run_cell(self, code, **options):
        outputs = []
        reply = self.client.execute_interactive(code, timeout=60, output_hook=outputs.append, **options)
        return reply["content"], [o for o in outputs if o["msg_type"] != "status"]

    def text(self, outputs):
        return "".join(o["content"]["text"] for o in outputs if o["msg_type"] == "stream")

    def test_input_is_asked_for_and_answered(self):
        ask = '{"kind":"input","prompt":"name? ","password":"false"}'
        read = (
            "use std::io::BufRead;\nuse std::os::fd::FromRawFd;\n"
            "let answers = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(204) });\n"
            "let mut line = String::new();\n"
            "std::io::BufReader::new(&*answers).read_line(&mut line)?;\nprint!(\"{line}\");"
        )
        code = frame("application/x-workbench-signal", ask) + "\n" + read
        prompts = []

        def hook(message):
            prompts.append(message["content"]["prompt"])
            self.client.input("Ferris")

        content, outputs = self.run_cell(code, allow_stdin=True, stdin_hook=hook)
        self.assertEqual(content["status"], "ok", content)
        self.assertEqual(prompts, ["name? "])
        self.assertIn('{"value":"Ferris"}', self.text(outputs).replace(" ", ""))

    def test_restart_forgets_and_interrupt_keeps_serving(self):
        self.run_cell("let kept = 7;")
        content, _ = self.run_cell("kept")
        self.assertEqual(content["status"], "ok")
        self.manager.restart_kernel()
        self.client.wait_for_ready(timeout=60)
        content, _ = self.run_cell("kept")
        self.assertEqual(content["status"], "error")
        message_id = self.client.execute("loop { std::hint::black_box(1); }")
        time.sleep(1.5)
        self.manager.interrupt_kernel()
        while True:
            reply = self.client.get_shell_msg(timeout=30)
            if reply["parent_header"].get("msg_id") == message_id:
                break
        self.assertEqual(reply["content"]["status"], "error")
        content, _ = self.run_cell("1")
        self.assertEqual((content["status"], content["execution_count"]), ("ok", 3))

    def test_shutdown_leaves_nothing_behind(self):
        _, outputs = self.run_cell("println!(\"{} {}\", std::process::id(), std::os::unix::process::parent_id());")
        ids = self.text(outputs).split()
        self.assertEqual(len(ids), 2)
        self.manager.shutdown_kernel()
        alive = ids
        for _ in range(100):
            alive = [i for i in ids if Path(f"/proc/{i}").exists()]
            if not alive:
                return
            time.sleep(0.05)
        self.fail(f"still there: {alive}")

    def test_the_heart_beats_while_a_cell_runs(self):
        self.client.hb_channel.unpause()
        self.client.execute("std::thread::sleep(std::time::Duration::from_secs(3));")
        time.sleep(2)
        self.assertTrue(self.client.hb_channel.is_beating())

    def test_expressions_of_the_user_are_evaluated_or_refused_one_by_one(self):
        reply, _ = self.run_cell("let a = 2;", user_expressions={"x": "a + 1"})
        self.assertEqual(reply["status"], "ok")
        self.assertLessEqual(set(reply["user_expressions"]), {"x"})
        for value in reply["user_expressions"].values():
            self.assertIn(value["status"], ("ok", "error"))

    def test_two_clients_hear_the_same_outputs(self):
        other = self.manager.blocking_client()
        other.start_channels()
        other.wait_for_ready(timeout=60)
        self.run_cell('println!("for both");')
        heard = ""
        try:
            while "for both" not in heard:
                message = other.get_iopub_msg(timeout=10)
                if message["msg_type"] == "stream":
                    heard += message["content"]["text"]
        except Empty:
            self.fail("the second client heard nothing")
        finally:
            other.stop_channels()


class AsyncClient(unittest.IsolatedAsyncioTestCase):
    """jupyter_client's asynchronous client, which Jupyter's server uses."""

    async def test_cells_run_one_after_the_other(self):
        manager = AsyncKernelManager(kernel_name=KERNEL)
        await manager.start_kernel()
        client = manager.client()
        client.start_channels()
        try:
            await client.wait_for_ready(timeout=60)
            sent = [client.execute(f"let v{n} = {n};") for n in range(3)]
            got = []
            while len(got) < len(sent):
                reply = await asyncio.wait_for(client.get_shell_msg(), 60)
                if reply["parent_header"].get("msg_id") in sent:
                    got.append((reply["parent_header"]["msg_id"], reply["content"]["execution_count"]))
            self.assertEqual(got, list(zip(sent, [1, 2, 3])))
        finally:
            client.stop_channels()
            await manager.shutdown_kernel(now=True)


class Result(unittest.TextTestResult):
    """Gives each test a time: a kernel that does not answer fails its test instead of holding up the rest."""

    def startTest(self, test):
        super().startTest(test)
        signal.alarm(60)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)


def too_long(*_):
    raise TimeoutError("no answer within a minute")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, too_long)
    unittest.main(testRunner=unittest.TextTestRunner(verbosity=2, resultclass=Result))
