"""A user of Helix at a terminal. Helix has no batch mode, so its keys are typed and its screen and files are read."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

PATIENCE = 20  # seconds
SIZE = 50, 140  # lines and columns
BACK = "\x1b;;"  # from the end of what a search has selected to its begin


class Terminal:
    """Helix with a plan, on a screen that shows all of it."""

    def __init__(self, user):
        self.plan, self.screen = user.plan, b""
        self.process, self.keyboard = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
            os.chdir(user.home)
            os.execvpe("hx", ["hx", user.plan], {**user.variables, "TERM": "xterm-256color"})
        self.wait("screen", lambda: b"model" in self.screen)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.keyboard)

    def wait(self, what, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"no {what} after {PATIENCE} s")
            self.look(0.05)

    def look(self, seconds):
        if select.select([self.keyboard], [], [], seconds)[0]:
            self.screen += os.read(self.keyboard, 65536)

    def type(self, *keys):
        """Each group of keys after the last has been drawn."""
        for each in keys:
            self.screen = b""
            os.write(self.keyboard, each.encode())
            end = time.monotonic() + 0.5
            while time.monotonic() < end:
                self.look(0.05)

    def words(self):
        """The screen as words between spaces, without colours and movements."""
        return " ".join(re.sub(rb"\x1b\[[0-9;:?]*[A-Za-z]", b" ", self.screen).decode(errors="replace").split())

    def saved(self):
        with open(self.plan, encoding="utf-8") as file:
            return file.read()


def use(user):
    """What is done, as lines of a test."""
    with open(user.plan, encoding="utf-8") as file:
        text = file.read()
    out = []

    def edit(step, before, wanted, *keys):
        with open(user.plan, "w", encoding="utf-8") as file:
            file.write(before)
        with Terminal(user) as terminal:
            terminal.wait("figures", lambda: before != text or "MFU" in terminal.words())
            terminal.type(*keys)
            for _ in range(10):  # an answer of the server may be late, so the file is saved until it is as wanted
                terminal.type(":write\r")
                if terminal.saved() == wanted:
                    out.append(step)
                    return
        raise AssertionError(f"{step}: {terminal.saved()}")

    edit("a code action repairs it, and the message goes", text.replace("context = 8192tok", "context = 8192 tok"),
         text, "/8192 tok\r", ";", " a", "\r")
    edit("the document is formatted", text.replace("  heads = 64, kv_heads = 8", "heads=64,kv_heads =8"), text,
         ":format\r")
    edit("rename changes every use", text, re.sub(r"\bpod\b", "machines", text),
         "/pod from\r", BACK, " r", "\x15machines\r")
    indented = text.replace("  mesh {  // outermost", "  mesh {\n    context = 1  // outermost", 1)
    edit("a new line is indented by the grammar", text, indented, "/mesh [{]\r", "a\rcontext = 1\x1b")

    with open(user.plan, "w", encoding="utf-8") as file:
        file.write(text)
    for step, shown, *keys in (
            ("hover says what a field is", "Number of query heads", "/heads = 64\r", BACK, " k"),
            ("definition leads into the library", "clusters.dpl", "/dgx_h100 [{]\r", BACK, "gd")):
        with Terminal(user) as terminal:
            terminal.type(*keys)
            terminal.wait(shown, lambda: shown in terminal.words())
            out.append(step)
    return "".join(f"ok {step}\n" for step in out)
