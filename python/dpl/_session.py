"""One process `dplc serve`, and requests to it."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import os
import queue
import subprocess
import threading
import warnings
from concurrent.futures import Future
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from . import _binary
from ._version import __version__

Progress = Callable[[int, int, str], None]

#: The protocol that this package knows; docs/reference/serve.md describes it.
PROTOCOL = "dplc.serve.1"
#: Bytes of the longest message that `dplc serve` reads.
LARGEST = 64 << 20


class RequestError(Exception):
    """`dplc serve` could not answer a request: it was wrong, too large, too long, or cancelled."""

    def __init__(self, code: int, message: str, data: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data: Mapping[str, Any] = data or {}

    def __str__(self) -> str:
        return str(self.data.get("messages") or self.message).rstrip()


class SessionEnded(Exception):
    """The process `dplc serve` has ended before it answered."""


class Session:
    """A process `dplc serve`. Several threads may use it at a time.

    The process ends with `close()`, with the session's `with` block, or with this interpreter,
    however that ends. After a fork only the parent may use it.
    """

    def __init__(self, binary: Optional[str] = None) -> None:
        self._pid = os.getpid()
        self._writing = threading.Lock()
        self._pending: Dict[int, "Future[Any]"] = {}
        self._progress: "Dict[int, queue.SimpleQueue[Optional[Tuple[int, int, str]]]]" = {}
        self._numbers = itertools.count(1)
        self._ended = False
        # A session of its own: Ctrl-C reaches this interpreter only, which cancels its request.
        self._process = subprocess.Popen(
            [binary or _binary.path(), "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to = self._process.stdin.fileno()
        self._from = self._process.stdout.fileno()
        _sessions.append(self)
        self._reader = threading.Thread(target=self._read, name="dplc serve", daemon=True)
        self._reader.start()
        welcome = self.request("initialize", {"client": "dpl", "version": __version__})
        if welcome["schema"] != PROTOCOL:
            self.close()
            raise SessionEnded(
                f"dpl {__version__} speaks {PROTOCOL}, but dplc {welcome['version']} speaks "
                f"{welcome['schema']}: install dpl {welcome['version']}"
            )
        if welcome["version"] != __version__:
            warnings.warn(
                f"dpl {__version__} uses dplc {welcome['version']}: install the same version of both",
                RuntimeWarning,
                stacklevel=2,
            )

    def request(self, method: str, params: Mapping[str, Any], progress: Optional[Progress] = None) -> Any:
        """The result of a method. An interruption, such as Ctrl-C, cancels the request.

        `progress` is called in the thread of the caller; an exception that it raises cancels the request too.
        """
        self._refuse_fork()
        number = next(self._numbers)
        answer: "Future[Any]" = Future()
        self._pending[number] = answer
        if progress is not None:
            heard = self._progress[number] = queue.SimpleQueue()
            answer.add_done_callback(lambda _: heard.put(None))
            params = {**params, "progress": True}
        try:
            if self._ended:
                raise SessionEnded("the session is closed")
            self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            if progress is not None:
                for done, total, unit in iter(heard.get, None):
                    progress(done, total, unit)
            return answer.result()
        except BaseException:
            if not answer.done():
                with contextlib.suppress(SessionEnded):
                    self.notify("$/cancelRequest", {"id": number})
            raise
        finally:
            self._pending.pop(number, None)
            self._progress.pop(number, None)

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Sends a message that has no answer, such as `open` with a `file` and its `text`."""
        self._refuse_fork()
        if self._ended:
            raise SessionEnded("the session is closed")
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def close(self) -> None:
        """Ends the process and its requests, and waits for it."""
        if self._pid != os.getpid():
            return
        with contextlib.suppress(SessionEnded):
            self.notify("exit", {})
        self._ended = True
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        if threading.current_thread() is not self._reader:
            self._reader.join()
        self._process.stdout.close()
        if self in _sessions:
            _sessions.remove(self)

    def __repr__(self) -> str:
        return f"<session: process {self._process.pid}{', ended' if self._ended else ''}>"

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a session is a process and is not pickled; pickle its results")

    def _refuse_fork(self) -> None:
        if self._pid != os.getpid():
            raise RuntimeError(
                f"this session belongs to process {self._pid}, which forked; make a new one with dpl.Session()"
            )

    def _send(self, message: Mapping[str, Any]) -> None:
        # What the process cannot read is a ValueError here, before anything is sent: the process would not know whose
        # request it was. JSON has no infinity and no NaN.
        try:
            body = json.dumps(message, allow_nan=False, ensure_ascii=False).encode()
        except UnicodeEncodeError as wrong:
            near = wrong.object[max(wrong.start - 20, 0) : wrong.end]
            raise ValueError(f"texts and names of files are UTF-8, found {near!r}") from None
        if len(body) > LARGEST:
            raise ValueError(f"a request has at most {LARGEST} bytes, found {len(body)}")
        view = memoryview(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        with self._writing:
            try:
                while view:
                    view = view[os.write(self._to, view) :]
            except OSError as broken:
                raise SessionEnded("dplc serve has ended") from broken
            except BaseException:
                # Half a message was written: nothing after it could be understood.
                self._ended = True
                self._process.kill()
                raise

    def _read(self) -> None:
        try:
            self._read_all()
        finally:
            self._ended = True
            for answer in list(self._pending.values()):
                if not answer.done():
                    answer.set_exception(SessionEnded("dplc serve ended before it answered"))

    def _read_all(self) -> None:
        buffer = bytearray()
        while True:
            try:
                got = os.read(self._from, 1 << 16)
            except OSError:
                got = b""
            if not got:
                break
            buffer += got
            while True:
                end = buffer.find(b"\r\n\r\n")
                if end < 0:
                    break
                length = int(buffer[:end].rpartition(b":")[2])
                if len(buffer) < end + 4 + length:
                    break
                self._take(json.loads(bytes(buffer[end + 4 : end + 4 + length])))
                del buffer[: end + 4 + length]

    def _take(self, message: Dict[str, Any]) -> None:
        if message.get("method") == "$/progress":
            heard = self._progress.get(message["params"]["token"])
            value = message["params"]["value"]
            if heard is not None:
                heard.put((value["done"], value["all"], value["unit"]))
            return
        if "error" in message and message.get("id") is None:
            # The process could not read a request and does not know whose it was.
            for number in list(self._pending):
                self._take({**message, "id": number})
            return
        answer = self._pending.get(message.get("id") or 0)
        if answer is None or answer.done():
            return
        if "error" in message:
            error = message["error"]
            answer.set_exception(RequestError(error["code"], error["message"], error.get("data")))
        else:
            answer.set_result(message.get("result"))

    def _abandon(self) -> None:
        """In a forked child: closes its copies of the pipes, so that the parent alone keeps the process."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.returncode = 0


_sessions: list[Session] = []  # noqa: the interpreter's sessions, which end with it
_default: Optional[Session] = None
_starting = threading.Lock()


def default() -> Session:
    """The session of this process that the functions of the package share."""
    global _default
    with _starting:
        if _default is None or _default._ended:
            _default = Session()
        return _default


def _after_fork() -> None:
    global _default, _starting
    _starting = threading.Lock()
    for session in _sessions:
        session._abandon()
    _sessions.clear()
    _default = None


def _at_exit() -> None:
    for session in list(_sessions):
        session.close()


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_after_fork)
