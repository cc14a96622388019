"""The functions of the package. Each runs the command of dplc with its name."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._results import (
    Checked,
    Diagnostic,
    Emitted,
    Mistakes,
    Plan,
    Points,
    Result,
    Search,
    Study,
)
from ._session import Progress, default

Source = Union[str, "os.PathLike[str]"]
Settings = Mapping[str, object]
Mapper = Callable[..., Iterable[Any]]


def _source(source: Source) -> Dict[str, Any]:
    """Parameters for a path, or for a text, which has a line break."""
    text = os.fspath(source)
    if "\n" in text:
        return {"file": "-", "text": text}
    return {"file": text}


def _request(method: str, params: Mapping[str, Any], limited: bool = True, progress: Optional[Progress] = None) -> Dict[str, Any]:
    # What the caller may wait for as long as it likes has no limit: Ctrl-C ends it.
    limits: Dict[str, Any] = {} if limited else {"limits": {"seconds": None, "bytes": None}}
    # `as_` is the option `as`, which Python reserves.
    given = {name[:-1] if name.endswith("_") else name: value for name, value in params.items() if value is not None}
    answer: Dict[str, Any] = default().request(method, {"directory": os.getcwd(), **limits, **given}, progress)
    return answer


def _mistakes(answer: Mapping[str, Any]) -> Mistakes:
    return Mistakes([Diagnostic(one) for one in answer["diagnostics"]], answer["messages"])


def _answer(method: str, params: Mapping[str, Any], limited: bool = True, progress: Optional[Progress] = None) -> Any:
    """The output of a method; raises Mistakes if there is none."""
    answer = _request(method, params, limited, progress)
    if answer["output"] is None or (answer["exit_code"] != 0 and answer["output"] == ""):
        raise _mistakes(answer)
    return answer["output"]


def check(
    source: Source,
    *,
    layout: Optional[str] = None,
    set: Optional[Settings] = None,  # noqa: A002 - the name of the option
    target: Sequence[str] = (),
    figures: Sequence[str] = (),
    **options: Any,
) -> Checked:
    """Compiles a file, or a text with a line break, and predicts its layouts.

    Raises Mistakes if the file has errors and no layout without one. A layout that does not fit has
    its figures all the same, and an error among the diagnostics.
    """
    where = _source(source)
    params = {**where, "files": [where["file"]], "layout": layout, "set": set, "target": list(target), "figures": list(figures)}
    del params["file"]
    answer = _request("check", {**params, **options}, limited=False)
    data = answer["output"]
    if not data["ok"] and not data["layouts"]:
        raise Mistakes([Diagnostic(one) for one in data["diagnostics"]], answer["messages"])
    return Checked(data, {**where, "set": set}, answer["messages"])


def report(source: Source, *, layout: Optional[str] = None, set: Optional[Settings] = None, **options: Any) -> Plan:  # noqa: A002
    """All predictions of one layout."""
    asked = {**_source(source), "layout": layout, "set": set}
    return Plan(_answer("report", {**asked, **options}, limited=False), asked)


def figures(
    source: Source,
    names: Sequence[str],
    points: Iterable[Settings],
    *,
    layout: Optional[str] = None,
    progress: Optional[Progress] = None,
) -> Points:
    """Some figures of a layout at many points, each a mapping from field to value."""
    params = {**_source(source), "layout": layout, "figures": list(names), "points": [dict(one) for one in points]}
    return Points(_answer("figures", params, limited=False, progress=progress))


def diff(first: Source, second: Optional[Source] = None, *, layout: Optional[str] = None, against: Optional[str] = None, set: Optional[Settings] = None) -> Result:  # noqa: A002
    """The fields and figures in which two layouts differ."""
    files = [os.fspath(first)] + ([os.fspath(second)] if second is not None else [])
    return Result(_answer("diff", {"files": files, "layout": layout, "against": against, "set": set}))


def simulate(source: Source, *, layout: Optional[str] = None, set: Optional[Settings] = None, progress: Optional[Progress] = None, **options: Any) -> Result:  # noqa: A002
    """Simulated steps, or with `run` a whole run with failures; options are those of the command."""
    params = {**_source(source), "layout": layout, "set": set, **options}
    return Result(_answer("simulate", params, limited=False, progress=progress))


def study(
    source: Source,
    name: Optional[str] = None,
    *,
    map: Optional[Mapper] = None,  # noqa: A002
    shards: int = 4,
    set: Optional[Settings] = None,  # noqa: A002
    progress: Optional[Progress] = None,
    **options: Any,
) -> Study:
    """Runs a study. With `map`, such as that of an executor, its shards run wherever `map` runs them."""
    params = {**_source(source), "study": name, "set": set, **options}
    if map is not None:
        from ._shards import spread

        return Study(spread("study", params, map, shards))
    return Study(_answer("study", params, limited=False, progress=progress))


def search(
    source: Source,
    name: Optional[str] = None,
    *,
    map: Optional[Mapper] = None,  # noqa: A002
    shards: int = 4,
    set: Optional[Settings] = None,  # noqa: A002
    progress: Optional[Progress] = None,
    **options: Any,
) -> Search:
    """Searches a space of layouts. With `map` its shards run wherever `map` runs them."""
    params = {**_source(source), "search": name, "set": set, **options}
    if map is not None:
        from ._shards import spread

        return Search(spread("search", params, map, shards))
    return Search(_answer("search", params, limited=False, progress=progress))


def score(*tables: Source, set: Optional[Settings] = None, **options: Any) -> Result:  # noqa: A002
    """Compares measured runs in CSV files with predictions."""
    params = {"files": [os.fspath(one) for one in tables], "set": set, **options}
    return Result(_answer("score", params, limited=False))


def collective(op: str, *, cluster: str, ranks: int, file: Optional[Source] = None, **options: Any) -> Result:
    """Time and bandwidth of one collective."""
    params = {"op": op, "cluster": cluster, "ranks": ranks, "file": None if file is None else os.fspath(file), **options}
    return Result(_answer("collective", params, limited=False))


def calibrate(*logs: Source, cluster: str, **options: Any) -> Result:
    """Fits the links of a cluster to logs of nccl-tests."""
    params = {"files": [os.fspath(one) for one in logs], "cluster": cluster, **options}
    return Result(_answer("calibrate", params, limited=False))


def import_(source: Source, kind: str = "megatron", **options: Any) -> str:
    """A launch script or configuration of another program as the text of a .dpl file."""
    return str(_answer("import", {"kind": kind, "file": os.fspath(source), **options}))


def emit(targets: Union[str, Sequence[str]], source: Source, output: Optional[Source] = None, *, layout: Optional[str] = None, set: Optional[Settings] = None, **options: Any) -> Emitted:  # noqa: A002
    """The launch files of one or several targets; with `output` they are written to that folder."""
    names: List[str] = [targets] if isinstance(targets, str) else list(targets)
    where: Dict[str, Any] = {"dry_run": True} if output is None else {"output": os.fspath(output)}
    params = {**_source(source), "targets": names, "layout": layout, "set": set, **where, **options}
    return Emitted(_answer("emit", params))


def explain(word: str) -> str:
    """The page of a message, field, figure, target or word, as Markdown."""
    return str(_answer("explain", {"word": word}))


def format(text: str) -> str:  # noqa: A001 - the name of the command's purpose
    """The formatted text."""
    answer = _request("format", {"text": text})
    if answer["exit_code"] != 0:
        raise _mistakes(answer)
    return str(answer["output"])


__all__: Tuple[str, ...] = (
    "calibrate",
    "check",
    "collective",
    "diff",
    "emit",
    "explain",
    "figures",
    "format",
    "import_",
    "report",
    "score",
    "search",
    "simulate",
    "study",
)
