"""Results as objects. Each keeps the JSON of dplc in `data`; docs/reference/json.md describes it."""

from __future__ import annotations

import html
import itertools
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

Scalar = Union[int, float, str, bool, None]


def _frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The rows as a DataFrame of pandas, or of polars where only that is installed."""
    try:
        import pandas
    except ImportError:
        pass
    else:
        return pandas.DataFrame(list(rows))
    try:
        import polars
    except ImportError:
        raise ImportError("a frame needs pandas or polars, and neither is installed") from None
    return polars.DataFrame(list(rows))


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    cells = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{cells}</tr>{lines}</table>"


def _short(value: Scalar) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _bytes(count: float) -> str:
    return f"{count / 2**30:.2f} GiB"


class Diagnostic:
    """One message about a file."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data

    code: str = property(lambda self: self.data["code"])  # type: ignore[assignment]
    name: str = property(lambda self: self.data["name"])  # type: ignore[assignment]
    severity: str = property(lambda self: self.data["severity"])  # type: ignore[assignment]
    message: str = property(lambda self: self.data["message"])  # type: ignore[assignment]

    @property
    def help(self) -> str:
        return str(self.data.get("help", ""))

    @property
    def place(self) -> str:
        """`plan.dpl:12:3`; empty for a message about the whole."""
        where = self.data["range"]
        if where is None:
            return ""
        return f"{where['file']}:{where['start']['line']}:{where['start']['column']}"

    @property
    def fixes(self) -> List[Mapping[str, Any]]:
        return list(self.data.get("fixes", []))

    def __str__(self) -> str:
        at = f"{self.place}: " if self.place else ""
        return f"{at}{self.severity}[{self.code}]: {self.message}"

    __repr__ = __str__


class Mistakes(Exception):
    """The input is wrong. `diagnostics` has the messages, and `str()` prints them as dplc does."""

    def __init__(self, diagnostics: Sequence[Diagnostic], text: str) -> None:
        super().__init__(diagnostics, text)
        self.diagnostics = list(diagnostics)
        self.text = text

    def __str__(self) -> str:
        return self.text.rstrip()


class Result(Mapping[str, Any]):
    """An object of dplc's JSON, read as a mapping."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.data == other.data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()}: {self._summary()}>"

    def _summary(self) -> str:
        return str(self.data.get("schema") or ", ".join(self.data) or "empty")


class Figure:
    """A figure: its value in the base unit, and where it comes from."""

    __slots__ = ("path", "value", "unit", "provenance", "formula", "source", "note", "input_paths")

    def __init__(self, path: str, data: Mapping[str, Any]) -> None:
        self.path = path
        self.value: Any = data["value"]
        self.unit: str = data["unit"]
        self.provenance: str = data.get("provenance", "")
        self.formula: str = data.get("formula", "")
        self.source: str = data.get("source", "")
        self.note: str = data.get("note", "")
        self.input_paths: List[str] = [
            one if isinstance(one, str) else one["path"] for one in data.get("inputs", [])
        ]

    def __repr__(self) -> str:
        return f"{self.path} = {_short(self.value)} {self.unit}".rstrip()


class Figures(Mapping[str, Any]):
    """Values of figures in base units by path; `of(path)` has unit, formula and inputs."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    def __getitem__(self, path: str) -> Any:
        one = self._data[path]
        return None if one is None else one["value"]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        shown = [repr(self.of(path)) for path in itertools.islice((p for p, d in self._data.items() if d), 3)]
        return f"<figures: {', '.join(shown + ['…'] * (len(shown) < len(self)))}>"

    def of(self, path: str) -> Figure:
        return Figure(path, self._data[path])

    def to_frame(self) -> Any:
        return _frame([{"figure": p, "value": d["value"], "unit": d["unit"]} for p, d in self._data.items() if d])

    def _repr_html_(self) -> str:
        return _table(("figure", "value", "unit"), [(p, _short(d["value"]), d["unit"]) for p, d in self._data.items() if d])


class Why:
    """A figure and the figures that it is computed from, as a tree."""

    def __init__(self, figure: Optional[Figure], inputs: Sequence["Why"], levels: Sequence[Mapping[str, str]] = ()) -> None:
        self.figure = figure
        self.inputs = list(inputs)
        #: What sets a field, the last one wins: `level`, `value`, `place`.
        self.levels = list(levels)

    @property
    def path(self) -> str:
        return "" if self.figure is None else self.figure.path

    @property
    def value(self) -> Any:
        return None if self.figure is None else self.figure.value

    def __iter__(self) -> Iterator["Why"]:
        return iter(self.inputs)

    def leaves(self) -> List["Why"]:
        """The figures that nothing else explains."""
        return [leaf for one in self.inputs for leaf in one.leaves()] if self.inputs else [self]

    def _lines(self, depth: int) -> Iterator[str]:
        for level in self.levels:
            yield "  " * depth + f"{level['level']}  {level['value']}  {level['place']}".rstrip()
        if self.figure is not None:
            how = f"  = {self.figure.formula}" if self.figure.formula else f"  {self.figure.provenance}"
            yield "  " * depth + repr(self.figure) + how
        for one in self.inputs:
            yield from one._lines(depth + 1)

    def __str__(self) -> str:
        return "\n".join(self._lines(0)) or "<why: no figure>"

    __repr__ = __str__

    @staticmethod
    def read(data: Mapping[str, Any]) -> "Why":
        def node(one: Mapping[str, Any]) -> "Why":
            return Why(Figure(one["path"], one), [node(i) for i in one.get("inputs", [])])

        tree = node(data["figure"]) if data["figure"] else Why(None, [node(one) for one in data["figures"]])
        tree.levels = list(data["levels"])
        return tree


class Memory:
    """Memory of the fullest pipeline rank, and of each rank, in bytes."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.ranks: List[Mapping[str, Any]] = list(data["ranks"])
        fullest = min(self.ranks, key=lambda rank: int(rank["usable_bytes"]) - int(rank["peak_bytes"]))
        self.peak: int = fullest["peak_bytes"]
        self.usable: int = fullest["usable_bytes"]

    @property
    def fits(self) -> bool:
        host = self.data.get("host")
        return self.peak <= self.usable and (not host or bool(host["fits"]))

    def to_frame(self) -> Any:
        return _frame(self.ranks)

    def __repr__(self) -> str:
        return f"<memory: peak {_bytes(self.peak)} of {_bytes(self.usable)}>"


class Timeline:
    """When each pipeline rank runs which action, in ps from the start of the step."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.step_time: float = data["step_s"]
        self.ranks: List[List[Mapping[str, Any]]] = [rank["actions"] for rank in data["ranks"]]

    def to_frame(self) -> Any:
        return _frame([{"rank": one["rank"], **action} for one in self.data["ranks"] for action in one["actions"]])

    def _repr_html_(self) -> str:
        end = max((a["end_ps"] for rank in self.ranks for a in rank), default=0) or 1
        height, colours = 18, {"forward": "#4c78a8", "backward": "#f58518"}
        bars = "".join(
            f'<rect x="{800 * a["begin_ps"] / end:.2f}" y="{number * height}" height="{height - 2}" '
            f'width="{max(800 * (a["end_ps"] - a["begin_ps"]) / end - 0.3, 0.2):.2f}" '
            f'fill="{next((c for k, c in colours.items() if a["action"].startswith(k)), "#9d9d9d")}"/>'
            for number, rank in enumerate(self.ranks)
            for a in rank
        )
        return f'<svg viewBox="0 0 800 {height * len(self.ranks)}" width="800">{bars}</svg>'

    def __repr__(self) -> str:
        return f"<timeline: {len(self.ranks)} ranks, {sum(map(len, self.ranks))} actions>"


class Plan:
    """A layout with its predictions. `data` is the object of `dplc report --json`."""

    def __init__(self, data: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
        self.data = data
        self._asked = dict(asked)
        self.figures = Figures(data["figures"])

    @property
    def name(self) -> str:
        return str(self.data["plan"]["name"])

    @property
    def step_time(self) -> float:
        """Seconds of one step."""
        return float(self.figures["step_time"])

    @property
    def mfu(self) -> float:
        return float(self.figures["mfu"])

    @property
    def memory(self) -> Memory:
        return Memory(self.data["memory"])

    @property
    def fits(self) -> bool:
        return self.memory.fits

    @property
    def inefficiencies(self) -> List[Mapping[str, Any]]:
        """Time beyond the FLOP at peak, largest first: `reason`, `time_s`, `share`."""
        return list(self.data["inefficiencies"])

    def why(self, path: str) -> Why:
        """The derivation of a figure, or what sets a field such as `layout.mesh.tensor`."""
        from ._api import _answer

        return Why.read(_answer("why", {**self._asked, "layout": self.name, "path": path}))

    def timeline(self) -> Timeline:
        from ._api import _answer

        return Timeline(_answer("timeline", {**self._asked, "layout": self.name}))

    def __repr__(self) -> str:
        if "memory" not in self.data:
            return f"<plan {self.name}: {', '.join(repr(self.figures.of(p)) for p in self.figures if self.figures[p] is not None)}>"
        return f"<plan {self.name}: step {self.step_time:.4g} s, MFU {self.mfu:.1%}, peak {_bytes(self.memory.peak)}>"

    def _repr_html_(self) -> str:
        if "memory" not in self.data:
            return self.figures._repr_html_()
        rows = [(one["reason"], f"{one['time_s']:.3g} s", f"{one['share']:.1%}") for one in self.inefficiencies]
        return f"<p>{html.escape(repr(self)[1:-1])}</p>" + _table(("slower by", "time", "share"), rows)


class Checked(Mapping[str, Plan]):
    """The layouts of a file by name, with the messages about it."""

    def __init__(self, data: Mapping[str, Any], asked: Mapping[str, Any], text: str) -> None:
        self.data = data
        self.text = text
        self._plans: Dict[str, Plan] = {one["plan"]["name"]: Plan(one, asked) for one in data["layouts"]}

    @property
    def ok(self) -> bool:
        """Whether no message is an error: all layouts are legal and fit."""
        return bool(self.data["ok"])

    @property
    def diagnostics(self) -> List[Diagnostic]:
        return [Diagnostic(one) for one in self.data["diagnostics"]]

    @property
    def plan(self) -> Plan:
        """The only layout."""
        if len(self._plans) != 1:
            raise LookupError(f"the file has {len(self._plans)} layouts: {', '.join(self._plans)}")
        return next(iter(self._plans.values()))

    def __getitem__(self, name: str) -> Plan:
        return self._plans[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plans)

    def __len__(self) -> int:
        return len(self._plans)

    def __repr__(self) -> str:
        return f"<checked: {', '.join(map(repr, self._plans.values())) or 'no layouts'}{'' if self.ok else ', with errors'}>"


class Points(Result):
    """Figures of one layout at many points."""

    def _summary(self) -> str:
        return f"{len(self.data['points'])} of {', '.join(self.figures)}"

    @property
    def figures(self) -> List[str]:
        return list(self.data["figures"])

    @property
    def values(self) -> List[List[Scalar]]:  # type: ignore[override]
        """A list per point with a value per figure, None without a value."""
        return [point["values"] for point in self.data["points"]]

    @property
    def refused(self) -> List[Optional[str]]:
        """Per point the first error, or None if the layout runs."""
        return [point.get("refused") for point in self.data["points"]]

    def to_frame(self) -> Any:
        return _frame([dict(zip(self.figures, row)) for row in self.values])


class Study(Result):
    """The results of a study."""

    def _summary(self) -> str:
        return f"{self.data['study']}, {len(self.rows)} points"

    @property
    def rows(self) -> List[Mapping[str, Any]]:
        return list(self.data["rows"])

    def flat(self) -> List[Dict[str, Any]]:
        """A dictionary per point: varied fields, outputs in base units, `refused`."""
        out = []
        for row in self.rows:
            flat: Dict[str, Any] = dict(row["values"])
            for path, amount in row["outputs"].items():
                flat[path] = amount["value"] if isinstance(amount, dict) else amount
            flat["refused"] = row["refused"]
            out.append(flat)
        return out

    def to_frame(self) -> Any:
        return _frame(self.flat())

    def _repr_html_(self) -> str:
        flat = self.flat()
        head = list(flat[0]) if flat else []
        return _table(head, [[_short(row[name]) for name in head] for row in flat])


class Search(Result):
    """The layouts that a search found, the best first."""

    def _summary(self) -> str:
        best = ", ".join(f"{path} = {value}" for path, value in self.best["values"].items()) if self.layouts else "none"
        return f"{self.data['search']}, {len(self.layouts)} layouts, the best {best}"

    @property
    def layouts(self) -> List[Mapping[str, Any]]:
        return list(self.data["layouts"])

    @property
    def best(self) -> Mapping[str, Any]:
        return self.layouts[0]

    def to_frame(self) -> Any:
        return _frame(self.layouts)


class Emitted(Result):
    """The files of a target, by path."""

    def _summary(self) -> str:
        return ", ".join(self.files) or "no files"

    @property
    def files(self) -> Dict[str, Optional[str]]:
        """The text of each file, None where it was written to a folder."""
        return {one["path"]: one["content"] for one in self.data["files"]}

    @property
    def executable(self) -> Tuple[str, ...]:
        return tuple(one["path"] for one in self.data["files"] if one["executable"])
