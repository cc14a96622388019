"""The sessions of the package `dpl`: threads, forks, interrupts, progress, and the end of the process.

DPLC=build/release/dplc python3 tests/python/session_test.py; DPL_LONG=1 starts 10,000 sessions.
"""

import concurrent.futures
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

from client import EXAMPLE, ROOT, children, within
from package_test import LONG, SMALL

import dpl
from dpl import _session


def child_processes():
    return children(os.getpid())


class Sessions(unittest.TestCase):
    def test_threads_share_a_session(self):
        expected = dpl.report(EXAMPLE).step_time
        before = list(_session._sessions)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(set(pool.map(lambda _: dpl.report(EXAMPLE).step_time, range(24))), {expected})
        self.assertEqual(_session._sessions, before)

    def test_a_fork_gets_a_session_of_its_own(self):
        session = _session.default()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map(forked, [0, 1]), [dpl.report(EXAMPLE).step_time] * 2)
            with self.assertRaisesRegex(RuntimeError, "which forked"):
                pool.apply(use_after_fork)
        self.assertIs(_session.default(), session)

    def test_what_json_cannot_hold_is_an_error_at_once(self):
        for value in (float("inf"), float("-inf"), float("nan")):
            self.assertRaises(ValueError, dpl.check, SMALL, set={"node.nodes": value})
            self.assertRaises(ValueError, dpl.figures, SMALL, ["mfu"], [{"node.nodes": value}], layout="one")
        self.assertRaises(TypeError, dpl.check, SMALL, set={"node.nodes": object()})
        self.assertEqual(_session.default()._pending, {})
        self.assertEqual(dpl.format("let a = 1\n"), "let a = 1\n")

    def test_what_the_process_cannot_read_is_not_sent(self):
        # A path with the byte 0xff, a text with half a character, and a message of more than 64 MiB.
        for wrong in (lambda: dpl.check(os.fsdecode(b"plan\xff.dpl")), lambda: dpl.format("\ud800"), lambda: dpl.check("//" + "x" * (64 << 20) + "\n")):
            with self.assertRaisesRegex(ValueError, "are UTF-8, found|has at most 67108864 bytes"):
                wrong()
        self.assertEqual(_session.default()._pending, {})
        self.assertEqual(dpl.format("// \u03bb \U0001f600\n"), "// \u03bb \U0001f600\n")

    def test_progress_is_heard_in_the_thread_that_asks(self):
        points = [{"node.nodes": n} for n in range(1, 40)]
        heard = []

        def listen(done, total, unit):
            heard.append((done, total, unit, threading.current_thread(), dpl.format("let a  = 1\n")))

        answer = dpl.figures(SMALL, ["step_time"], points, layout="one", progress=listen)
        self.assertEqual(len(answer.values), len(points))
        self.assertTrue(heard)
        self.assertEqual({one[1:] for one in heard}, {(len(points), "points", threading.current_thread(), "let a = 1\n")})

        def fail(*_):
            raise KeyError("mine")

        session = _session.default()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            other = pool.submit(dpl.study, SMALL, "sizes")
            with self.assertRaisesRegex(KeyError, "mine"):
                dpl.figures(SMALL, ["step_time"], points * 1000, layout="one", progress=fail)
            self.assertEqual(len(other.result().rows), 5)
        self.assertTrue(within(10, lambda: not children(session._process.pid)))
        self.assertIs(_session.default(), session)

    def test_an_answer_to_nobody_ends_what_waits(self):
        with dpl.Session() as session, concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(session.request, "simulate", {"file": "-", "text": SMALL, "layout": "one", "level": "message",
                                                                "set": {"node.nodes": 8}, "steps": 500_000, "limits": {"seconds": None}})
            self.assertTrue(within(30, lambda: children(session._process.pid)))
            os.write(session._to, b"Content-Length: 1\r\n\r\n{")
            with self.assertRaisesRegex(dpl.RequestError, "not JSON"):
                waiting.result(30)
            self.assertEqual(json.loads(json.dumps(session.request("initialize", {})))["schema"], "dplc.serve.1")

    def test_an_interrupt_cancels_the_request(self):
        session = _session.default()
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            dpl.simulate(SMALL, layout="one", level="message", set={"node.nodes": 8}, steps=500_000)
        self.assertTrue(within(10, lambda: not children(session._process.pid)))
        self.assertEqual(dpl.format("let a = 1\n"), "let a = 1\n")

    def test_no_process_is_left(self):
        for ending in ("", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 2)", "os._exit(0)"):
            with self.subTest(ending):
                code = f"""
                    import os, sys
                    sys.path.insert(0, {os.path.join(ROOT, "python")!r})
                    import dpl, threading, time
                    session = dpl.Session()
                    threading.Thread(target=lambda: dpl.simulate({SMALL!r}, layout="one", level="message", set={{"node.nodes": 8}}, steps=500_000), daemon=True).start()
                    time.sleep(0.5)
                    print(session._process.pid, dpl._session.default()._process.pid, flush=True)
                    {ending}
                """
                run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60)
                left = [int(pid) for pid in run.stdout.split()]
                self.assertEqual(len(left), 2)
                self.assertTrue(within(10, lambda: not any(os.path.exists(f"/proc/{pid}") for pid in left)))

    def test_sessions_come_and_go(self):
        before = child_processes()
        for _ in range(10_000 if LONG else 50):
            with dpl.Session() as session:
                session.request("initialize", {})
        self.assertEqual(child_processes(), before)
        self.assertRaises(dpl.SessionEnded, session.request, "initialize", {})
        self.assertRaises(dpl.SessionEnded, session.notify, "close", {"file": "plan.dpl"})

    def test_another_version_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            for schema, version in (("dplc.serve.1", "9.9.9"), ("dplc.serve.2", "9.9.9")):
                fake = os.path.join(folder, "dplc")
                body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"schema": schema, "version": version}})
                with open(fake, "w") as script:
                    script.write(f"#!/bin/sh\nhead -c 1 > /dev/null\nprintf 'Content-Length: {len(body)}\\r\\n\\r\\n%s' '{body}'\ncat > /dev/null\n")
                os.chmod(fake, 0o755)
                said = "install the same version" if schema == "dplc.serve.1" else "install dpl 9.9.9"
                with self.assertRaisesRegex((dpl.SessionEnded, RuntimeWarning), said):
                    import warnings
                    with warnings.catch_warnings():
                        warnings.simplefilter("error")
                        dpl.Session(fake)


INHERITED = None


def forked(_):
    return dpl.report(EXAMPLE).step_time


def use_after_fork():
    return INHERITED.request("initialize", {})


if __name__ == "__main__":
    INHERITED = _session.default()
    unittest.main()
