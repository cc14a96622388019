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
    diff,
    emit,
    explain,
    figures,
    format,
    import_,
    report,
    score,
    search,
    simulate,
    study,
)
from ._results import (
    Checked,
    Diagnostic,
    Emitted,
    Figure,
    Figures,
    Memory,
    Mistakes,
    Plan,
    Points,
    Result,
    Search,
    Study,
    Timeline,
    Why,
)
from ._session import RequestError, Session, SessionEnded
from ._version import __version__

__all__ = [
    "Checked",
    "Diagnostic",
    "Emitted",
    "Figure",
    "Figures",
    "Memory",
    "Mistakes",
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
]
