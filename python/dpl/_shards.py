"""A study or a search in shards, each of which any process of any machine may run."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Callable, Dict, Iterable, List, Mapping, Tuple

Shard = Tuple[str, Dict[str, Any], str, int, int]
Files = Dict[str, bytes]


def run_shard(shard: Shard) -> Files:
    """The files of one shard. It needs the package and the file, and leaves nothing behind."""
    from ._api import _answer

    command, params, folder, number, shards = shard
    with tempfile.TemporaryDirectory() as scratch:
        where = os.path.join(scratch, "shard")
        _answer(command, {**params, "directory": folder, "shard": f"{number}/{shards}", "output": where}, limited=False)
        out: Files = {}
        for name in sorted(os.listdir(where)):
            with open(os.path.join(where, name), "rb") as file:
                out[name] = file.read()
        return out


def spread(command: str, params: Mapping[str, Any], map: Callable[..., Iterable[Any]], shards: int) -> Any:  # noqa: A002
    """The answer of the command, from shards that `map` runs. It has the bytes of one run.

    `map` takes a function and a list, and gives results or futures in the order of the list:
    `executor.map` of concurrent.futures, `client.map` of Dask, the builtin `map`.
    """
    from ._api import _answer

    if shards < 1:
        raise ValueError(f"shards are at least 1, found {shards}")
    given = {name: value for name, value in params.items() if value is not None}
    tasks: List[Shard] = [(command, given, os.getcwd(), number + 1, shards) for number in range(shards)]
    parts = [one.result() if hasattr(one, "result") else one for one in map(run_shard, tasks)]
    with tempfile.TemporaryDirectory() as scratch:
        folders = []
        for number, files in enumerate(parts):
            folders.append(os.path.join(scratch, f"shard{number + 1}"))
            os.mkdir(folders[-1])
            for name, content in files.items():
                with open(os.path.join(folders[-1], name), "wb") as file:
                    file.write(content)
        merged = {"output": os.path.join(scratch, "merged")} if command == "study" else {}
        return _answer(command, {**merged, **given, "merge": folders}, limited=False)
