"""NumPy's protocols on Arrays: its universal functions (NEP 13) and its other functions (NEP 18).

Both follow one rule. A function that the namespace has is computed by the namespace, on the Array's device. Any other
function is NumPy's own, on the host's memory: directly where the device's memory is the host's; under
:func:`xtensor.transfers` (``"allow"``) on copies that come back; otherwise it raises TypeError with the remedy. Arrays
come back as Arrays.
"""

from __future__ import annotations

from .coverage import where_computed
from .functions import array_function, counterpart
from .host import call_on_host
from .ufuncs import array_ufunc

__all__ = ["array_function", "array_ufunc", "call_on_host", "counterpart", "where_computed"]
