"""Inspection of the namespace: capabilities, devices, dtypes and defaults."""

from __future__ import annotations

import pytest
from strategies import dtypes_of

import xtensor as xp


def test_capabilities_are_those_of_the_standard():
    capabilities = xp.__array_namespace_info__().capabilities()
    assert capabilities == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}


def test_default_device_is_that_of_new_arrays(device):
    assert xp.__array_namespace_info__().default_device() is device
    assert xp.ones(1).device is device


def test_devices_equal_those_of_the_namespace(device):
    assert xp.__array_namespace_info__().devices() == xp.devices()


def test_default_dtypes_have_the_highest_supported_precision(device):
    supports_float64 = xp.float64 in device.dtypes
    assert xp.__array_namespace_info__().default_dtypes(device=device) == {
        "real floating": xp.float64 if supports_float64 else xp.float32,
        "complex floating": xp.complex128 if supports_float64 else xp.complex64,
        "integral": xp.int64,
        "indexing": xp.int64,
    }


def test_default_dtypes_are_those_of_new_arrays(device):
    assert xp.__array_namespace_info__().default_dtypes(device=device) == {
        "real floating": xp.asarray(1.0).dtype,
        "complex floating": xp.asarray(1j).dtype,
        "integral": xp.asarray(1).dtype,
        "indexing": xp.argmax(xp.ones(1)).dtype,
    }


KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


@pytest.mark.parametrize("kind", KINDS)
def test_dtypes_of_a_kind(device, kind):
    supported = xp.__array_namespace_info__().dtypes(kind=kind, device=device)
    assert supported == {str(dtype): dtype for dtype in dtypes_of(device, KINDS[kind])}


def test_dtypes_of_several_kinds(device):
    supported = xp.__array_namespace_info__().dtypes(kind=("bool", "complex floating"))
    assert supported == {str(dtype): dtype for dtype in dtypes_of(device, "bc")}


def test_dtypes_without_a_kind_are_all_dtypes_of_the_device(device):
    supported = xp.__array_namespace_info__().dtypes()
    assert supported == {str(dtype): dtype for dtype in dtypes_of(device)}


@pytest.mark.parametrize("kind", ["float", "", 1, ("bool", "double")], ids=repr)
def test_dtypes_refuses_an_unknown_kind(device, kind):
    with pytest.raises(ValueError, match="^unsupported kind"):
        xp.__array_namespace_info__().dtypes(kind=kind)


def test_mutating_the_result_of_dtypes_does_not_affect_later_calls(device):
    info = xp.__array_namespace_info__()
    info.dtypes(kind="bool").clear()
    assert info.dtypes(kind="bool") == {"bool": xp.bool}
