"""DPL: layouts of distributed training, checked and predicted.

>>> import dpl
>>> plan = dpl.check(dpl.import_("train.sh")).plan
>>> print(plan.memory.peak, plan.step_time)

docs/reference/python.md describes the package.
"""

from ._api import (
    calibrate,
    check,
    collective,
    compare,
    diff,
    emit,
    explain,
    figures,
    format,
    import_,
    page,
    report,
    score,
    search,
    simulate,
    study,
)
from ._plan import Advice, Checked, Figure, Figures, Memory, Plan, Timeline, Why
from ._results import Diagnostic, Emitted, Mistakes, Page, Points, Result, Search, Study
from ._session import RequestError, Session, SessionEnded
from ._version import __version__

__all__ = [
    "Advice",
    "Checked",
    "Diagnostic",
    "Emitted",
    "Figure",
    "Figures",
    "Memory",
    "Mistakes",
    "Page",
    "Plan",
    "Points",
    "RequestError",
    "Result",
    "Search",
    "Session",
    "SessionEnded",
    "Study",
    "Timeline",
    "Why",
    "__version__",
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
]
