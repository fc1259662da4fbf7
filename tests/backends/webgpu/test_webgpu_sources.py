"""Kernels in WGSL are validated by naga, the compiler of wgpu, without a launch."""

from __future__ import annotations

import pytest
from printed_kernels import PrintingRuntime, fused_sources_of, sources_of

wgpu = pytest.importorskip("wgpu", reason="wgpu is not installed: environment tests-webgpu")

import xtensor as xp  # noqa: E402 - after importorskip
from xtensor_backends.webgpu import backend  # noqa: E402
from xtensor_backends.webgpu._runtime import DTYPES, LANGUAGE  # noqa: E402

DEVICE = "webgpu:0"


@pytest.fixture(scope="module")
def validate():
    """Function that raises the error of a program in WGSL."""
    try:
        xp.ones(1, device=DEVICE)
    except xp.BackendUnavailableError as error:
        pytest.skip(str(error))
    device = backend.runtime(DEVICE)._device
    return lambda source: device.create_shader_module(code=source)


def printing_runtime():
    real = backend.runtime(DEVICE)
    attributes = {name: getattr(real, name) for name in ("bool_size", "index_dtype", "most_buffers")}
    return PrintingRuntime(LANGUAGE, DTYPES, **attributes)


def test_kernels_are_valid(validate):
    sources = sources_of(printing_runtime(), DTYPES)
    assert len(sources) > 1000
    for source in sources:
        validate(source)


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_kernels_of_fused_programs_are_valid(validate, count, registry):
    sources = fused_sources_of(printing_runtime(), DTYPES, count)
    assert len(sources) > count
    for source in sources:
        validate(source)


@pytest.mark.parametrize("statement", ["b0[i] = unknown;", "b0[i] = 1u;", "b0[i] = 1.0"])
def test_faults_are_found(validate, statement):
    source = (
        "@group(0) @binding(0) var<storage, read_write> b0: array<f32>;\n"
        "@compute @workgroup_size(1) fn f(@builtin(global_invocation_id) id: vec3u) { let i = id.x; STATEMENT }"
    )
    validate(source.replace("STATEMENT", "b0[i] = 1.0;"))
    with pytest.raises(wgpu.GPUValidationError):
        validate(source.replace("STATEMENT", statement))
