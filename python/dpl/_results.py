"""Results as objects. Each keeps the JSON of dplc in `data`; docs/reference/json.md describes it."""

from __future__ import annotations

import html
import os
import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

Scalar = Union[int, float, str, bool, None]


def frame(rows: Sequence[Mapping[str, Any]]) -> Any:
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


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    cells = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{cells}</tr>{lines}</table>"


def short(value: Scalar) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


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


class Page:
    """A page of `--html` as text, which needs no network. A notebook shows it in a frame."""

    def __init__(self, text: str) -> None:
        self.text = text

    def only(self, *parts: str) -> "Page":
        """The page with some of its parts, as "step", "pipeline", "memory", "traffic" or "assumed"."""
        known = re.findall(r'^section\("(\w+)"', self.text, re.MULTILINE)
        for part in parts:
            if part not in known:
                raise ValueError(f"a page has no part {part!r}; it has {', '.join(known)}")
        chosen = " ".join(parts)
        return Page(re.sub("<html[^>]*>", lambda _: f'<html lang="en" data-parts="{chosen}">', self.text, count=1))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<page: {len(self.text.encode())} bytes>"

    def _repr_html_(self) -> str:
        return (
            '<iframe sandbox="allow-scripts allow-downloads" width="100%" height="640" style="border: 0" '
            f'srcdoc="{html.escape(self.text)}"></iframe>'
        )


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
        return frame([dict(zip(self.figures, row)) for row in self.values])


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
        return frame(self.flat())

    def _repr_html_(self) -> str:
        flat = self.flat()
        head = list(flat[0]) if flat else []
        return table(head, [[short(row[name]) for name in head] for row in flat])


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
        return frame(self.layouts)


class Emitted(Result):
    """The files of a target, by path."""

    def _summary(self) -> str:
        return ", ".join(self.files) or "no files"

    @property
    def differences(self) -> Optional[str]:
        """With `diff=True` what would change in the folder, as `diff -u` writes it; else None."""
        text: Optional[str] = self.data.get("differences")
        return text

    @property
    def files(self) -> Dict[str, Optional[str]]:
        """The text of each file, None where it was written to a folder."""
        return {one["path"]: one["content"] for one in self.data["files"]}

    @property
    def executable(self) -> Tuple[str, ...]:
        return tuple(one["path"] for one in self.data["files"] if one["executable"])
