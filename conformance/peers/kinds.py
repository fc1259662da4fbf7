"""Kinds of outcomes: what a failed test of a peer says about Arrays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.peers.intentions import INTENTIONS

KINDS: Mapping[str, str] = {
    "right": "the test passes",
    "wrong value": "a value, a shape or a property is not the expected one",
    "wrong dtype": "the dtype is not the expected one",
    "wrong type": "a result is no Array, or another object than expected",
    "other layout": "the memory is laid out in another way, or shared where NumPy copies, or copied where NumPy shares",
    "no error": "the test expects an error, and none is raised",
    "other text": "the message of an error, or a warning, is not the expected one",
    "by intention": "a difference that the documentation states",
    "missing name": "a name does not exist",
    "crash": "the process dies, or the test does not end",
    "other error": "any other error",
    "not applicable": "the test needs a part of the peer for which no stand-in exists",
    "no Array": "the test passes or fails without an Array",
    "skipped": "the peer itself skips the test, or expects it to fail",
}
"""The kinds with their meanings, in the order of the table."""

TIMEOUT = "the test did not end within"
"""The beginning of the message of a test that was interrupted."""

_NESTED = re.compile(r"^(?:\w+\.)*(\w+)(?:: (.*))?$")
_INAPPLICABLE = (
    "InapplicableError: ",
    "DummyObjectWith",
    "object has no attribute '__cuda_array_interface__'",
    "'numpy.ndarray' object has no attribute 'get'",
    "'poly1d' object has no attribute 'get'",
    "'poly1d' object has no attribute 'set'",
)
_NO_ERROR = ("DID NOT RAISE", "not raised", "Only numpy raises error", "expected to raise errors, but not")
_TEXTS = (
    "DID NOT WARN",
    "did not match",
    "does not match",
    "not found in",
    "not triggered",
    "not triggerred",
    "len(w)",
)
_TYPES = ("different type of return value", "isinstance(", "type(", "is not an instance")
_LAYOUTS = ("contiguous", "flags", "strides", "shares_memory", ".base", "owndata")
_NAMES = frozenset(("AttributeError", "ImportError", "ModuleNotFoundError", "NameError"))


@dataclass(frozen=True)
class Failure:
    """An error of a test: the name of its class, its message, and the line of the test that raised it."""

    error: str
    message: str
    line: str = ""


@dataclass(frozen=True)
class Verdict:
    """The kind of an outcome, the text for the record, and the page that states a refusal."""

    kind: str
    text: str = ""
    page: str = ""


def classify(failure: Failure) -> Verdict:
    """Return the kind of a failure."""
    message = failure.message
    if any(words in f"{failure.error}: {message}" for words in _INAPPLICABLE):
        return Verdict("not applicable", _short(message))
    if message.startswith(TIMEOUT):
        return Verdict("crash", message)
    if any(words in message for words in _NO_ERROR):
        return Verdict("no error", _short(failure.line or message))
    nested = _nested(message) if "Only cupy raises error" in message else None
    if nested is not None:
        failure = Failure(nested.error, nested.message, failure.line)
    text = f"{failure.error}: {failure.message} | {failure.line}"
    for intention in INTENTIONS:
        if intention.matches(text):
            return Verdict("by intention", _short(text), intention.page)
    if failure.error in ("AssertionError", "Failed"):
        return Verdict(_of_assertion(failure), _short(text))
    return Verdict("missing name" if failure.error in _NAMES else "other error", _short(text))


def _of_assertion(failure: Failure) -> str:
    message = failure.message
    if any(words in message or words in failure.line for words in _LAYOUTS) and "Mismatched" not in message:
        return "other layout"
    if any(words in message or words in failure.line for words in _TEXTS) or ".value)" in failure.line:
        return "other text"
    if "Different types of errors" in message or "both raise exceptions" in message.lower():
        return "other error"
    if "different dtypes" in message or ("dtype" in failure.line and "Mismatched" not in message):
        return "wrong dtype"
    if any(words in message for words in _TYPES) or any(words in failure.line for words in _TYPES):
        return "wrong type"
    return "wrong value"


def _nested(message: str) -> Failure | None:
    """Return the error in the text of a traceback: its last line without indentation that names a class."""
    lines = message.strip().splitlines()
    for position in range(len(lines) - 1, -1, -1):
        found = _NESTED.match(lines[position])
        if found and found[1][0].isupper():
            rest = [found[2] or "", *lines[position + 1 :]]
            return Failure(found[1], "\n".join(rest).strip())
    return None


def _short(text: str, length: int = 300) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
