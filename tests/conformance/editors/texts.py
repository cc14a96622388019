"""The texts that grammars are tried on: every .dpl file of the repository, each case of a golden file on its own."""
import json
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FOLDERS = ("docs", "examples", "stdlib", "tests", "tools")
# Messages about the words and the grammar (support/diagnostics/Parse.def), but for DPL0012: the text of a string.
SYNTAX = re.compile(r"DPL00(?!12)[12]\d$")


def keywords():
    """The keywords of the compiler's lexer."""
    with open(os.path.join(ROOT, "grammar", "DplLexer.g4"), encoding="utf-8") as file:
        return re.findall(r"^[A-Z]+ : '([a-z]+)' ;$", file.read(), re.MULTILINE)


def files():
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders.sort()
            yield from (os.path.join(where, name) for name in sorted(names) if name.endswith(".dpl"))


def cases():
    """Names and bytes. A line `// ---` of a golden file begins another case or another file of the case."""
    for path in files():
        with open(path, "rb") as file:
            parts = re.split(rb"(?m)^// ---(?: .*)?\n", file.read())
        name = os.path.relpath(path, ROOT)
        for number, text in enumerate(parts, 1):
            yield (name if len(parts) == 1 else f"{name} case {number}"), text


def verdicts(dplc, texts):
    """For each text: "good", "refused" for its words or grammar, or "unread" where its bytes are no text of DPL. One
    process of `dplc serve` answers for all."""
    asked = b""
    for number, text in enumerate(texts):
        try:
            asked += framed({"jsonrpc": "2.0", "id": number, "method": "format", "params": {"text": text.decode()}})
        except UnicodeDecodeError:
            continue
    done = subprocess.run([dplc, "serve"], input=asked, capture_output=True, check=True)
    out = ["unread"] * len(texts)
    for message in unframed(done.stdout):
        codes = {each["code"] for each in message["result"]["diagnostics"]}
        if not any(code.startswith("DPL000") for code in codes):
            out[message["id"]] = "refused" if any(SYNTAX.match(code) for code in codes) else "good"
    return out


def framed(message):
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def unframed(stream):
    while stream:
        header, _, stream = stream.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: (\d+)", header)[1])
        yield json.loads(stream[:length])
        stream = stream[length:]
