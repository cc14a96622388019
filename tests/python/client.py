"""A client of `dplc serve`, `lsp` and `mcp` that knows nothing of the package `dpl`: what the protocol says, and no more."""

import json
import os
import random
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DPLC = os.environ["DPLC"]
EXAMPLE = os.path.join(ROOT, "examples", "llama3_70b_h100.dpl")
sys.path.insert(0, os.path.join(ROOT, "python"))


def framed(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def dplc(*words, text=None, code=0):
    """The standard output of a command, whose exit code is `code`, or any if that is None."""
    run = subprocess.run([DPLC, *words], input=text, capture_output=True, text=True, cwd=ROOT)
    assert code is None or run.returncode == code, run.stderr
    return run.stdout


def children(pid):
    """Processes whose parent is `pid`."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as stat:
                    fields = stat.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(name))
    return found


def resident(pid):
    """Bytes of a process in memory that no file backs."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))


class Client:
    def __init__(self, command="serve"):
        self.process = subprocess.Popen(
            [DPLC, command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=ROOT
        )
        self.lines = command == "mcp"
        self.buffer = b""
        self.number = 0
        self.results = 0  # replies without an error that `survives_noise` saw

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def put(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view) :]

    def send(self, method, params=None, notify=False):
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not notify:
            self.number += 1
            message["id"] = self.number
        self.put(json.dumps(message).encode() + b"\n" if self.lines else framed(message))
        return self.number

    def take(self):
        """The next message as bytes; None at the end."""
        while True:
            if self.lines and b"\n" in self.buffer:
                line, self.buffer = self.buffer.split(b"\n", 1)
                return line
            end = self.buffer.find(b"\r\n\r\n")
            if not self.lines and end >= 0:
                length = int(self.buffer[:end].split(b":")[1])
                if len(self.buffer) >= end + 4 + length:
                    body = self.buffer[end + 4 : end + 4 + length]
                    self.buffer = self.buffer[end + 4 + length :]
                    return body
            got = os.read(self.process.stdout.fileno(), 1 << 20)
            if not got:
                return None
            self.buffer += got

    def answer(self, number):
        """The reply to a request; notifications and other replies before it are dropped."""
        while True:
            message = json.loads(self.take())
            if message.get("id") == number and "method" not in message:
                return message

    def ask(self, method, params=None):
        return self.answer(self.send(method, params))

    def result(self, method, params=None):
        reply = self.ask(method, params)
        assert "result" in reply, reply
        return reply["result"]


def corrupted(noise, message):
    """The message, usually with wrong bytes in it."""
    data = bytearray(message)
    for _ in range(noise.choice((0, 1, 1, 2, 8))):
        at = noise.randrange(len(data) + 1)
        data[at : at + noise.choice((0, 1, 1, 20))] = noise.randbytes(noise.choice((0, 1, 3, 200)))
    return data


ODD = (None, True, -1, 2**64, 1e308, "", "\0", "a" * 3000, [], {}, [[]], {"": 0})


def changed(noise, value):
    """The JSON value, with an odd one in one place."""
    places = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    if not places or noise.random() < 0.1:
        return noise.choice(ODD)
    at, copy = noise.choice(places), value.copy()
    copy[at] = changed(noise, value[at])
    return copy


def survives_noise(client, message, most):
    """Sends at least `most` bytes of what `message` draws; the exit code after that, or None if it ended before."""
    noise, sent = random.Random(7), 0

    def count():
        for said in iter(lambda: os.read(client.process.stdout.fileno(), 1 << 16), b""):
            client.results += said.count(b'"result":')

    drain = threading.Thread(target=count)
    drain.start()
    while sent < most:
        data = message(noise)
        client.put(data)
        sent += len(data)
    alive = client.process.poll() is None
    client.process.stdin.close()
    code = client.process.wait(60)
    drain.join()
    return code if alive else None


def within(seconds, done):
    """Whether `done()` becomes true in time; a bound against hanging, not a measure of speed."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
