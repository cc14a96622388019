"""An editor that speaks to `dplc lsp`: what the protocol says, positions of its texts, and messages that no editor sends."""

import json
import os

from client import ROOT, Client, corrupted, framed

CAN = {"textDocument": {"publishDiagnostics": {"relatedInformation": True},
                        "hover": {"contentFormat": ["markdown", "plaintext"]},
                        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                        "completion": {"completionItem": {"snippetSupport": True}}},
       "workspace": {"inlayHint": {"refreshSupport": True}}}
SMALL = """import std.models
import std.clusters
cluster node from clusters.dgx_h100 { nodes = 1 }
layout one for models.gpt2_small on node {
  batch = 64seq
  mesh { data = rest }
}
"""
START = {"line": 0, "character": 0}
EVERYTHING = {"start": START, "end": {"line": 10_000, "character": 0}}


def uri(path):
    return "file://" + path


def place(text, word, number=0, offset=0, unit="utf-16"):
    """The position of the numbered occurrence of a word."""
    at = -1
    for _ in range(number + 1):
        at = text.index(word, at + 1)
    return position(text, at + offset, unit)


def position(text, at, unit="utf-16"):
    line = text[: at].rpartition("\n")[2]
    size = len(line.encode("utf-8")) if unit == "utf-8" else len(line.encode("utf-16-le")) // 2
    return {"line": text.count("\n", 0, at), "character": size}


def applied(text, edits):
    """The text after edits of the protocol, in UTF-16."""
    lines = text.split("\n")

    def byte(where):
        before = "".join(line + "\n" for line in lines[: where["line"]])
        line = lines[where["line"]] if where["line"] < len(lines) else ""
        return len(before) + len(line.encode("utf-16-le")[: 2 * where["character"]].decode("utf-16-le"))
    for edit in sorted(edits, key=lambda one: byte(one["range"]["start"]), reverse=True):
        text = text[: byte(edit["range"]["start"])] + edit["newText"] + text[byte(edit["range"]["end"]) :]
    return text


class Editor(Client):
    """An editor that keeps what the server publishes."""

    def __init__(self, can=CAN, folders=None):
        super().__init__("lsp")
        self.shown, self.versions, self.asked = {}, {}, []
        self.can = self.result("initialize", {"processId": None, "rootUri": None, "capabilities": can, "workspaceFolders": folders})
        self.send("initialized", notify=True)

    def __exit__(self, *rest):
        self.result("shutdown")
        self.send("exit", notify=True)
        super().__exit__(*rest)

    def read(self):
        message = json.loads(self.take())
        if message.get("method") == "textDocument/publishDiagnostics":
            self.shown[message["params"]["uri"]] = message["params"]["diagnostics"]
            self.versions[message["params"]["uri"]] = message["params"].get("version")
        elif "method" in message and "id" in message:
            self.asked.append(message["method"])
            self.put(framed({"jsonrpc": "2.0", "id": message["id"], "result": None}))
        return message

    def answer(self, number):
        while True:
            message = self.read()
            if message.get("id") == number and "method" not in message:
                return message

    def open(self, path, text=None):
        if text is None:
            with open(path, newline="", encoding="utf-8") as file:
                text = file.read()
        where = path if ":" in path else uri(path)
        self.send("textDocument/didOpen", {"textDocument": {"uri": where, "languageId": "dpl", "version": 1, "text": text}}, notify=True)
        return where

    def change(self, where, version, *changes):
        self.send("textDocument/didChange", {"textDocument": {"uri": where, "version": version}, "contentChanges": list(changes)}, notify=True)

    def close(self, where):
        self.send("textDocument/didClose", {"textDocument": {"uri": where}}, notify=True)

    def until(self, true):
        """Reads messages until the condition holds."""
        while not true():
            self.read()

    def published(self, where, version=1):
        self.until(lambda: self.versions.get(where) == version)
        return self.shown[where]

    def about(self, method, where, **params):
        return self.result("textDocument/" + method, {"textDocument": {"uri": where}, **params})

    def hints(self, where):
        return [one["label"] for one in self.about("inlayHint", where, range=EVERYTHING)]

    def failure(self, method, where, **params):
        return self.ask("textDocument/" + method, {"textDocument": {"uri": where}, **params})["error"]


class Texts:
    """Texts of files, to turn the columns of `check` into positions."""

    def __init__(self):
        self.lines = {}

    def position(self, path, at):
        if path not in self.lines:
            with open(path, newline="", encoding="utf-8", errors="replace") as file:
                self.lines[path] = file.read().split("\n")
        lines = self.lines[path]
        line = lines[at["line"] - 1] if at["line"] <= len(lines) else ""
        if at["line"] == 1 and line.startswith("\ufeff"):
            return {"line": 0, "character": len(line[: at["column"]].encode("utf-16-le")) // 2}
        return {"line": at["line"] - 1, "character": len(line[: at["column"] - 1].encode("utf-16-le")) // 2}

    def range(self, found):
        if not found or found["file"].startswith("std."):
            return {"start": START, "end": START}
        return {"start": self.position(found["file"], found["start"]), "end": self.position(found["file"], found["stop"])}

    def expected(self, found, path):
        """The messages of `check --json` by file, as a language server shows them."""
        out = {path: []}
        for one in found:
            text = "\n".join([one["message"], *filter(None, [one.get("label")])])
            text += "".join("\nnote: " + note["message"] for note in one.get("notes", []) if not note["range"])
            text += "\nhelp: " + one["help"] if one.get("help") else ""
            shown = one["range"]["file"] if one["range"] and not one["range"]["file"].startswith("std.") else path
            related = [(os.path.basename(note["range"]["file"]).removesuffix(".dpl"), note["message"]) for note in one.get("notes", []) if note["range"]]
            if one["range"] and shown == path and one["range"]["file"].startswith("std."):
                related.insert(0, (one["range"]["file"], one["message"]))
            row = ({"error": 1, "warning": 2, "note": 3}[one["severity"]], one["code"], text, json.dumps(self.range(one["range"])), related)
            if row not in out.setdefault(shown, []):
                out[shown].append(row)
        return out


def rows(diagnostics):
    return [(one["severity"], one["code"], one["message"], json.dumps(one["range"]),
             [(os.path.basename(note["location"]["uri"]).removesuffix(".dpl"), note["message"]) for note in one.get("relatedInformation", [])])
            for one in diagnostics]


class Noise:
    """Messages of an editor, many of which are wrong: their text, their values, or their bytes."""

    WORDS = ("=", "{", "}", "[", "]", "(", ",", "\n", "//", "///", '"', "é𝄞", "\0", "\r", "auto", "rest", "none", "in", "per gpu", "1_0",
             "80GiB", "let x = ", "assert ", ".", "import std.", " from ", " for ", "0", "-")
    VALUES = (None, -1, 10**18, 2**64, 1e300, 0.5, "", "é𝄞", [], {}, True)
    NAMES = ("hover", "definition", "references", "rename", "prepareRename", "completion", "codeAction", "formatting", "inlayHint",
             "documentSymbol", "foldingRange", "semanticTokens/full", "documentHighlight")

    def __init__(self):
        self.sent, self.texts = 0, [SMALL]
        for name in ("smallest", "llama3_70b_h100"):
            with open(os.path.join(ROOT, "examples", name + ".dpl")) as file:
                self.texts.append(file.read())

    def text(self, noise):
        text = noise.choice(self.texts)
        for _ in range(noise.randrange(4)):
            at = noise.randrange(len(text) + 1)
            text = text[:at] + noise.choice(self.WORDS) + text[at + noise.choice((0, 0, 1, 5, 40)) :]
        return text

    def wrong(self, noise, value):
        """The value with another one in one place."""
        if isinstance(value, dict) and value and noise.random() < 0.9:
            key = noise.choice(list(value))
            return {**value, key: self.wrong(noise, value[key])}
        if isinstance(value, list) and value:
            return [self.wrong(noise, value[0])]
        return noise.choice(self.VALUES)

    def message(self, noise):
        def position():
            return {"line": noise.randrange(50), "character": noise.randrange(60)}
        self.sent += 1
        where = {"uri": noise.choice(("untitled:a", "untitled:a", "file:///no/folder/b.dpl"))}
        span = {"start": position(), "end": position()}
        kind = noise.random()
        if kind < 0.04:
            method, params = "textDocument/didOpen", {"textDocument": {**where, "text": self.text(noise), "version": 1}}
        elif kind < 0.2:
            changes = [{"range": span, "text": noise.choice(self.WORDS)}] * noise.randrange(3)
            method, params = "textDocument/didChange", {"textDocument": {**where, "version": self.sent}, "contentChanges": changes}
        elif kind < 0.21:
            method, params = "textDocument/didClose", {"textDocument": where}
        elif kind < 0.23:
            method, params = "$/cancelRequest", {"id": noise.randrange(self.sent)}
        elif kind < 0.25:
            method, params = noise.choice(("workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders", "initialize", "initialized")), {}
        else:
            method = "textDocument/" + noise.choice(self.NAMES)
            params = {"textDocument": where, "position": position(), "context": {}, "newName": noise.choice(self.WORDS + ("two",)), "range": span}
        message = {"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params}
        if noise.random() < 0.1:
            message = self.wrong(noise, message)
        body = json.dumps(message).encode()
        if noise.random() < 0.1:
            body = bytes(corrupted(noise, body))
        # Lines without a length are skipped up to the next header.
        return (b"\xff: 1\r\n\r\n" if noise.random() < 0.002 else b"") + framed(body)
