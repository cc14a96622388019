"""An editor of one text that counts what `dplc lsp` needs from a change to the messages about it."""
import itertools
import json
import re
import subprocess
import sys

URI = "untitled:edited"


class Editor:
    """Changes a text, and waits for the messages about each version."""

    def __init__(self, command, text):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.version = 1
        self.send("initialize", {"capabilities": {}}, id=1)
        self.send("initialized", {})
        self.send("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "dpl", "version": 1, "text": text}})
        self.messages = self.published()

    def send(self, method, params, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def read(self):
        header = self.process.stdout.readline()
        if not header:
            sys.exit(f"the server has ended: {self.process.stderr.read().decode()[-2000:]}")
        self.process.stdout.readline()
        return json.loads(self.process.stdout.read(int(header.split(b":")[1])))

    def published(self):
        while True:
            message = self.read()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"].get("version") == self.version:
                return message["params"]["diagnostics"]

    def replace(self, begin, end, text):
        """Replaces a part of the text, and returns the messages about the new text. A place is a line and a character."""
        self.version += 1
        where = {name: {"line": line, "character": character} for name, (line, character) in (("start", begin), ("end", end))}
        self.send("textDocument/didChange", {"textDocument": {"uri": URI, "version": self.version},
                                             "contentChanges": [{"range": where, "text": text}]})
        return self.published()

    def end(self):
        """Ends the server, and returns what it wrote to standard error."""
        self.send("shutdown", None, id=2)
        self.send("exit", None)
        return self.process.communicate()[1].decode()


def comments(text):
    """Edits that move all of the text but its first line: a line before it comes and goes."""
    while True:
        yield (0, 0), (0, 0), "//\n"
        yield (0, 0), (1, 0), ""


def batches(text):
    """Edits that change one plan: other batch sizes of the layout in the middle of the text."""
    lines = text.split("\n")
    written = [number for number, line in enumerate(lines) if line.startswith("  batch = ")]
    line = written[len(written) // 2]
    begin, end = len("  batch = "), len(lines[line].split("  //")[0])
    for batch in itertools.count(640, 128):
        new = f"{batch}seq"
        yield (line, begin), (line, end), new
        end = begin + len(new)


def instructions(dplc, text, edits, count=4):
    """Instructions of an edit, the mean of `count` after a first one."""
    totals = []
    for number in (1, 1 + count):
        editor = Editor(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", dplc, "lsp"], text)
        for _, edit in zip(range(number), edits(text)):
            if any(message["severity"] == 1 for message in editor.replace(*edit)):
                sys.exit(f"an edit has errors: {edit}")
        counted = re.search(r"Collected : (\d+)", editor.end())
        totals.append(int(counted.group(1)))
    return (totals[1] - totals[0]) / count


def of_completion(dplc, text):
    """Instructions of a completion at the end of a text, without those of opening the text."""
    totals = []
    for asks in (False, True):
        editor = Editor(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", dplc, "lsp"], text)
        if asks:
            end = {"line": text.count("\n"), "character": len(text.rpartition("\n")[2])}
            editor.send("textDocument/completion", {"textDocument": {"uri": URI}, "position": end}, id=3)
            while editor.read().get("id") != 3:
                pass
        totals.append(int(re.search(r"Collected : (\d+)", editor.end()).group(1)))
    return totals[1] - totals[0]


def growth(dplc, text, edits, count):
    """Bytes of memory that the server has more at some time than after the first hundredth of the edits."""
    editor = Editor([dplc, "lsp"], text)
    sizes = []
    for _, edit in zip(range(count), edits(text)):
        editor.replace(*edit)
        with open(f"/proc/{editor.process.pid}/status") as status:
            sizes.append(next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon")))
    editor.end()
    return max(sizes) - sizes[count // 100]
