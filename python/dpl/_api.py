"""The functions of the package. Each runs the command of dplc with its name."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._plan import Checked, Plan
from ._results import Diagnostic, Emitted, Mistakes, Page, Points, Result, Search, Study
from ._session import Progress, default

Source = Union[str, "os.PathLike[str]"]
Settings = Mapping[str, object]
Mapper = Callable[..., Iterable[Any]]


def _is_text(source: Source) -> bool:
    return isinstance(source, str) and "\n" in source


def _source(source: Source) -> Dict[str, Any]:
    """Parameters for a path, or for a text, which has a line break."""
    return {"file": "-", "text": source} if _is_text(source) else {"file": os.fspath(source)}


def _sources(sources: Sequence[Source]) -> Dict[str, Any]:
    """Parameters for paths, one of which may be a text."""
    texts = [one for one in sources if _is_text(one)]
    if len(texts) > 1:
        raise ValueError(f"one source may be a text, found {len(texts)}: write the others to files")
    files = ["-" if _is_text(one) else os.fspath(one) for one in sources]
    return {"files": files, **({"text": texts[0]} if texts else {})}


def _list(names: Union[str, Iterable[str]]) -> List[str]:
    return [names] if isinstance(names, str) else list(names)


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


def _object(method: str, params: Mapping[str, Any], limited: bool = True, progress: Optional[Progress] = None) -> Dict[str, Any]:
    """The output of a method that answers with an object."""
    output = _answer(method, params, limited, progress)
    if not isinstance(output, dict):
        raise _no_object(method)
    return output


def _no_object(method: str) -> ValueError:
    return ValueError(
        f"an option replaces the object of `{method}` with a text: leave out `html`, `svg`, `help` and `shard`; "
        "`dpl.page` gives a page, `map` runs shards, and `Session.request` takes all options"
    )


#: Options that change the plan; further questions about a plan are asked with them.
_PLAN_OPTIONS = ("set", "set_file", "limit", "limits")


def _asked(where: Mapping[str, Any], options: Mapping[str, Any]) -> Dict[str, Any]:
    """Parameters that give the same plan again, also from another folder."""
    kept = {name: options[name] for name in _PLAN_OPTIONS if name in options}
    return {**where, **kept, "directory": os.path.abspath(options.get("directory") or ".")}


def check(
    source: Source,
    *,
    layout: Optional[str] = None,
    set: Optional[Settings] = None,  # noqa: A002 - the name of the option
    target: Union[str, Sequence[str]] = (),
    figures: Union[str, Sequence[str]] = (),
    **options: Any,
) -> Checked:
    """Compiles a file, or a text with a line break, and predicts its layouts.

    Raises Mistakes if the file has errors and no layout without one. A layout that does not fit has
    its figures all the same, and an error among the diagnostics.
    """
    chosen = {"layout": layout, "set": set, "target": _list(target), "figures": _list(figures)}
    answer = _request("check", {**_sources([source]), **chosen, **options}, limited=False)
    data = answer["output"]
    if not isinstance(data, dict):
        raise _mistakes(answer) if answer["exit_code"] != 0 else _no_object("check")
    if not data["ok"] and not data["layouts"]:
        raise Mistakes([Diagnostic(one) for one in data["diagnostics"]], answer["messages"])
    return Checked(data, _asked(_source(source), {"set": set, **options}), answer["messages"])


def report(source: Source, *, layout: Optional[str] = None, set: Optional[Settings] = None, **options: Any) -> Plan:  # noqa: A002
    """All predictions of one layout."""
    where = _source(source)
    data = _object("report", {**where, "layout": layout, "set": set, **options}, limited=False)
    if "plan" not in data:
        raise ValueError(
            "an option asks for another answer than a plan: use `why()`, `timeline()` or `advice()` of the plan, or "
            "`Session.request` for others such as `what_if`"
        )
    return Plan(data, _asked(where, {"set": set, **options}))


def page(command: str, *sources: Source, set: Optional[Settings] = None, **options: Any) -> Page:  # noqa: A002
    """The page for a browser of `report`, `search`, `study`, `diff`, `simulate` or `score`."""
    if command in ("diff", "score"):
        where: Dict[str, Any] = _sources(sources)
    else:
        where = _source(*sources)
    return Page(_answer(command, {**where, "set": set, "html": "-", **options}, limited=False))


def figures(
    source: Source,
    names: Union[str, Sequence[str]],
    points: Iterable[Settings],
    *,
    layout: Optional[str] = None,
    progress: Optional[Progress] = None,
) -> Points:
    """Some figures of a layout at many points, each a mapping from field to value."""
    params = {**_source(source), "layout": layout, "figures": _list(names), "points": [dict(one) for one in points]}
    return Points(_object("figures", params, limited=False, progress=progress))


def diff(first: Source, second: Optional[Source] = None, *, layout: Optional[str] = None, against: Optional[str] = None, set: Optional[Settings] = None) -> Result:  # noqa: A002
    """The fields and figures in which two layouts differ."""
    where = _sources([first] if second is None else [first, second])
    return Result(_object("diff", {**where, "layout": layout, "against": against, "set": set}))


def simulate(source: Source, *, layout: Optional[str] = None, set: Optional[Settings] = None, progress: Optional[Progress] = None, **options: Any) -> Result:  # noqa: A002
    """Simulated steps, or with `run` a whole run with failures; options are those of the command."""
    params = {**_source(source), "layout": layout, "set": set, **options}
    return Result(_object("simulate", params, limited=False, progress=progress))


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
    return Study(_object("study", params, limited=False, progress=progress))


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
    if options.get("shard") is not None:
        raise ValueError("a shard of a search has no layouts to return: `map` runs all shards, and `dplc search --shard` one")
    params = {**_source(source), "search": name, "set": set, **options}
    if map is not None:
        from ._shards import spread

        return Search(spread("search", params, map, shards))
    return Search(_object("search", params, limited=False, progress=progress))


def score(*tables: Source, set: Optional[Settings] = None, **options: Any) -> Result:  # noqa: A002
    """Compares measured runs in CSV files with predictions."""
    params = {**_sources(tables), "set": set, **options}
    return Result(_object("score", params, limited=False))


def collective(op: str, *, cluster: str, ranks: int, file: Optional[Source] = None, **options: Any) -> Result:
    """Time and bandwidth of one collective."""
    params = {"op": op, "cluster": cluster, "ranks": ranks, **({} if file is None else _source(file)), **options}
    return Result(_object("collective", params, limited=False))


def compare(source: Source, *traces: Source, set: Optional[Settings] = None, **options: Any) -> Result:  # noqa: A002
    """Compares the traces of a profiler with the predicted step."""
    params = {**_source(source), "traces": [os.fspath(one) for one in traces], "set": set, **options}
    return Result(_object("compare", params, limited=False))


def calibrate(*logs: Source, cluster: str, **options: Any) -> Result:
    """Fits the links of a cluster to logs of nccl-tests."""
    params = {**_sources(logs), "cluster": cluster, **options}
    return Result(_object("calibrate", params, limited=False))


def import_(source: Source, kind: str = "megatron", **options: Any) -> str:
    """A launch script or configuration of another program, which is a file, as the text of a .dpl file."""
    if _is_text(source):
        raise ValueError("`import_` needs the path of a file, found a text with a line break: write it to a file")
    return str(_answer("import", {"kind": kind, "file": os.fspath(source), **options}))


def emit(targets: Union[str, Sequence[str]], source: Source, output: Optional[Source] = None, *, layout: Optional[str] = None, set: Optional[Settings] = None, **options: Any) -> Emitted:  # noqa: A002
    """The launch files of one or several targets; with `output` they are written to that folder.

    With `diff=True` nothing is written, and `differences` of the result has what would change there.
    """
    # Without a folder `diff` has nothing to compare with, which the command says.
    where: Dict[str, Any] = {"output": os.fspath(output)} if output is not None else {} if options.get("diff") else {"dry_run": True}
    params = {**_source(source), "targets": _list(targets), "layout": layout, "set": set, **where, **options}
    return Emitted(_object("emit", params))


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
    "compare",
    "diff",
    "emit",
    "explain",
    "figures",
    "format",
    "import_",
    "page",
    "report",
    "score",
    "search",
    "simulate",
    "study",
)
