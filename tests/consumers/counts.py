"""Program: count what the tests of scikit-learn and SciPy cover, for the table in ``docs/consumers.md``.

    python -m counts            # prints the counts
    python -m counts --write    # writes them to counts.json

The counts come from the tables that the tests assert: "same" is the number of calls whose results agree with those for
NumPy arrays, "refused" the number of calls that raise, on a device in host memory, on ``strict``, and off the host
where transfers are allowed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import scikit_learn_functions
import scipy
import scipy_numpy_cases
import sklearn
from scikit_learn_cases import NO_DENSE_ARRAY, instances
from scikit_learn_cases import REFUSED_BY_STRICT as ESTIMATORS_REFUSED_BY_STRICT
from scipy_plain_run import applicable

RESULTS = Path(__file__).with_name("counts.json")


def split(total, host=(), strict=(), off_host=()):
    """Return the counts for names that are refused everywhere, by ``strict`` as well, and off the host as well."""
    everywhere = set(host)
    refused = {
        "host": len(everywhere),
        "strict": len(everywhere | set(strict)),
        "off host": len(everywhere | set(off_host)),
    }
    return {place: {"same": total - number, "refused": number} for place, number in refused.items()}


def counts():
    """Return the counts of calls by consumer, with the versions of the libraries."""
    estimators = instances()
    functions = scikit_learn_functions
    return {
        "versions": {"scikit-learn": sklearn.__version__, "scipy": scipy.__version__},
        "scikit-learn estimators without dispatch": {
            "tested": len(estimators),
            "take no array of numbers": len(NO_DENSE_ARRAY),
            **split(len(estimators), strict=ESTIMATORS_REFUSED_BY_STRICT),
        },
        "scikit-learn functions without dispatch": {
            "functions": len({name for name, _ in functions.CASES.values()}),
            "tested": len(functions.CASES),
            **split(len(functions.CASES), functions.NUMPY_ONLY, functions.REFUSED_BY_STRICT),
        },
        "scipy without the switch": {
            "tested": len(applicable()),
            **split(
                len(applicable()),
                scipy_numpy_cases.NUMPY_ONLY,
                scipy_numpy_cases.REFUSED_BY_STRICT,
                scipy_numpy_cases.HOST_ONLY,
            ),
        },
    }


if __name__ == "__main__":
    text = json.dumps(counts(), indent=2)
    if "--write" in sys.argv[1:]:
        RESULTS.write_text(text + "\n", encoding="utf-8")
    print(text)
