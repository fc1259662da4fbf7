"""The contract for authors of backends: the classes to derive from, and tools for libraries that need them.

``docs/writing-a-backend.md`` describes a complete backend.
"""

from __future__ import annotations

from ._core.backend import Backend, Engine, Native, Overlay, Provider, read_on_host
from ._core.chunks import ChunkFunction
from ._core.compiled import with_short_way
from ._core.corrections import (
    CORRECTIONS,
    LAPACK_CORRECTIONS,
    SHORT_POWERS,
    refuse_negative_power,
    short_power,
)
from ._core.device_info import DeviceInfo, Memory
from ._core.dtypes import (
    COMMON_DTYPES,
    NARROW_DTYPES,
    STANDARD_DTYPES,
    DType,
    dtype_named,
    dtypes_of,
    in_float32,
    is_narrow,
    result_type,
    with_standard_dtype,
)
from ._core.errors import (
    BackendUnavailableError,
    OutOfMemoryError,
    WorkerLostError,
    WrittenWithWarningError,
    install_command,
    is_runtime_error,
    lost_device,
)
from ._core.files import read_file, user_cache, write_file
from ._core.forks import around_forks
from ._core.fp_warnings import rewarn
from ._core.kernel_program import Generator, Program, Step
from ._core.library_functions import (
    arange_terms,
    axes_of,
    check_not_empty,
    float_floor_divide,
    float_remainder,
    integer_floor_divide,
    integer_remainder,
    shift,
    variance,
    with_initial,
)
from ._core.library_import import import_library
from ._core.library_operands import Operands, host_number
from ._core.operations import REDUCTIONS, TABLE, Operation, Reduction, primitives
from ._core.profiling import note_host_work
from ._core.random_constants import NORMAL_QUANTILES, PHILOX_MULTIPLIERS, PHILOX_ROUNDS, PHILOX_WEYL
from ._core.reduction_corrections import REDUCTION_CORRECTIONS
from ._core.resolved_keys import (
    check_positions,
    forward_slice,
    resolved_key,
    split_key,
    without_leading_axes,
    written_slice,
)
from ._core.scaling import power_of_two
from ._core.transfers import note_computation
from ._core.wrapping import WrappedArray, wrapped_namespace

__all__ = [
    "COMMON_DTYPES",
    "CORRECTIONS",
    "LAPACK_CORRECTIONS",
    "NARROW_DTYPES",
    "NORMAL_QUANTILES",
    "PHILOX_MULTIPLIERS",
    "PHILOX_ROUNDS",
    "PHILOX_WEYL",
    "REDUCTIONS",
    "REDUCTION_CORRECTIONS",
    "SHORT_POWERS",
    "STANDARD_DTYPES",
    "TABLE",
    "Backend",
    "BackendUnavailableError",
    "ChunkFunction",
    "DType",
    "DeviceInfo",
    "Engine",
    "Generator",
    "Memory",
    "Native",
    "Operands",
    "Operation",
    "OutOfMemoryError",
    "Overlay",
    "Program",
    "Provider",
    "Reduction",
    "Step",
    "WorkerLostError",
    "WrappedArray",
    "WrittenWithWarningError",
    "arange_terms",
    "around_forks",
    "axes_of",
    "check_not_empty",
    "check_positions",
    "dtype_named",
    "dtypes_of",
    "float_floor_divide",
    "float_remainder",
    "forward_slice",
    "host_number",
    "import_library",
    "in_float32",
    "install_command",
    "integer_floor_divide",
    "integer_remainder",
    "is_narrow",
    "is_runtime_error",
    "lost_device",
    "note_computation",
    "note_host_work",
    "power_of_two",
    "primitives",
    "read_file",
    "read_on_host",
    "refuse_negative_power",
    "resolved_key",
    "result_type",
    "rewarn",
    "shift",
    "short_power",
    "split_key",
    "user_cache",
    "variance",
    "with_initial",
    "with_short_way",
    "with_standard_dtype",
    "without_leading_axes",
    "wrapped_namespace",
    "write_file",
    "written_slice",
]


def __dir__() -> list[str]:
    return __all__
