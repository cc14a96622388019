"""A layout with its predictions: figures, memory, timeline, derivations and advice."""

from __future__ import annotations

import html
import itertools
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from ._results import Diagnostic, Mistakes, Page, Result, frame, short, table


def _bytes(count: float) -> str:
    return f"{count / 2**30:.2f} GiB"


class Advice(Result):
    """The changes of a layout that gain most, the best first."""

    def _summary(self) -> str:
        return "; ".join(one["change"] for one in self.changes) or "no single change is better"

    @property
    def changes(self) -> List[Mapping[str, Any]]:
        """Each has `change`, lines for the layout block; `settings`, `reason`, `step_s`, `peak_bytes` and
        `usable_bytes`."""
        return list(self.data["advice"]["changes"])

    @property
    def all_tried(self) -> bool:
        """Whether no change that was left out can be better."""
        return bool(self.data["advice"]["all_tried"])

    def to_frame(self) -> Any:
        return frame(self.changes)

    def _repr_html_(self) -> str:
        rows = [(one["change"], f"{one['step_s']:.4g} s", _bytes(one["peak_bytes"])) for one in self.changes]
        return table(("change", "step", "peak"), rows)


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
        return f"{self.path} = {short(self.value)} {self.unit}".rstrip()


class Figures(Mapping[str, Any]):
    """Values of figures in base units by path; `of(path)` has unit, formula and inputs."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    def __getitem__(self, path: str) -> Any:
        one = self._find(path)
        return None if one is None else one["value"]

    def _find(self, path: str) -> Any:
        if path not in self._data:
            raise KeyError(f"no figure {path!r} among the {len(self._data)} of this plan, which may be those that `figures` names")
        return self._data[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        shown = [repr(self.of(path)) for path in itertools.islice((p for p, d in self._data.items() if d), 3)]
        return f"<figures: {', '.join(shown + ['…'] * (len(shown) < len(self)))}>"

    def of(self, path: str) -> Figure:
        return Figure(path, self._find(path))

    def to_frame(self) -> Any:
        return frame([{"figure": p, "value": d["value"], "unit": d["unit"]} for p, d in self._data.items() if d])

    def _repr_html_(self) -> str:
        return table(("figure", "value", "unit"), [(p, short(d["value"]), d["unit"]) for p, d in self._data.items() if d])


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
        return frame(self.ranks)

    def __repr__(self) -> str:
        return f"<memory: peak {_bytes(self.peak)} of {_bytes(self.usable)}>"


class Timeline:
    """When each pipeline rank runs which action, in ps from the start of the step."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.step_time: float = data["step_s"]
        self.ranks: List[List[Mapping[str, Any]]] = [rank["actions"] for rank in data["ranks"]]

    def to_frame(self) -> Any:
        return frame([{"rank": one["rank"], **action} for one in self.data["ranks"] for action in one["actions"]])

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
        return Memory(self._part("memory"))

    @property
    def fits(self) -> bool:
        return self.memory.fits

    @property
    def inefficiencies(self) -> List[Mapping[str, Any]]:
        """Time beyond the FLOP at peak, largest first: `reason`, `time_s`, `share`."""
        return list(self._part("inefficiencies"))

    def _part(self, name: str) -> Any:
        if name not in self.data:
            raise KeyError(f"a plan with chosen `figures` has no {name}: leave out `figures`")
        return self.data[name]

    def why(self, path: str) -> Why:
        """The derivation of a figure, or what sets a field such as `layout.mesh.tensor`."""
        from ._api import _answer

        return Why.read(_answer("why", {**self._asked, "layout": self.name, "path": path}))

    def advice(self) -> Advice:
        """The changes of the layout that gain most."""
        from ._api import _answer

        return Advice(_answer("advice", {**self._asked, "layout": self.name}, limited=False))

    def timeline(self) -> Timeline:
        from ._api import _answer

        return Timeline(_answer("timeline", {**self._asked, "layout": self.name}))

    def page(self) -> Page:
        """The page of `dplc report --html`."""
        return Page(self._drawn(html="-"))

    def _drawn(self, **options: Any) -> str:
        from ._api import _answer

        return str(_answer("report", {**self._asked, "layout": self.name, **options}, limited=False))

    def _pictures(self) -> str:
        """The schedule and the memory over the step; empty if the file has changed or is gone."""
        from ._session import RequestError, SessionEnded

        try:
            drawn = self._drawn(svg="-") + self._drawn(svg="-", memory=True)
        except (Mistakes, RequestError, SessionEnded):
            return ""
        return f'<div style="overflow-x: auto">{drawn}</div>'

    def __repr__(self) -> str:
        if "memory" not in self.data:
            return f"<plan {self.name}: {', '.join(repr(self.figures.of(p)) for p in self.figures if self.figures[p] is not None)}>"
        return f"<plan {self.name}: step {self.step_time:.4g} s, MFU {self.mfu:.1%}, peak {_bytes(self.memory.peak)}>"

    def _repr_html_(self) -> str:
        if "memory" not in self.data:
            return self.figures._repr_html_()
        rows = [(one["reason"], f"{one['time_s']:.3g} s", f"{one['share']:.1%}") for one in self.inefficiencies]
        causes = table(("slower by", "time", "share"), rows)
        return f"<p>{html.escape(repr(self)[1:-1])}</p>" + causes + self._pictures()


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
