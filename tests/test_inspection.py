"""What the namespace says of itself: capabilities, devices, dtypes and defaults."""

from __future__ import annotations

import pytest
from strategies import dtypes_of

import xtensor as xp


def test_capabilities_has_the_standards_entries():
    capabilities = xp.__array_namespace_info__().capabilities()
    assert capabilities == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}


def test_default_device_is_the_devices_arrays_are_made_on(device):
    assert xp.__array_namespace_info__().default_device() is device


def test_devices_are_the_namespaces(device):
    assert xp.__array_namespace_info__().devices() == xp.devices()


def test_default_dtypes_are_those_of_new_arrays(device):
    found = xp.__array_namespace_info__().default_dtypes(device=device)
    assert found == {
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
    found = xp.__array_namespace_info__().dtypes(kind=kind, device=device)
    assert found == {str(dtype): dtype for dtype in dtypes_of(device, KINDS[kind])}


def test_dtypes_of_several_kinds(device):
    found = xp.__array_namespace_info__().dtypes(kind=("bool", "complex floating"))
    assert found == {str(dtype): dtype for dtype in dtypes_of(device, "bc")}


def test_dtypes_without_a_kind_are_all_of_the_device(device):
    found = xp.__array_namespace_info__().dtypes()
    assert found == {str(dtype): dtype for dtype in dtypes_of(device)}


@pytest.mark.parametrize("kind", ["float", "", 1, ("bool", "double")], ids=repr)
def test_dtypes_refuses_an_unknown_kind(device, kind):
    with pytest.raises(ValueError, match="kind"):
        xp.__array_namespace_info__().dtypes(kind=kind)


def test_dtypes_that_a_caller_changes_are_not_those_of_the_next(device):
    info = xp.__array_namespace_info__()
    info.dtypes(kind="bool").clear()
    assert info.dtypes(kind="bool") == {"bool": xp.bool}
