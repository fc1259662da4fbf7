"""Advice on the device for a function: which have room, and which is the fastest by this machine's measured rates."""

from __future__ import annotations

from .choice import Advice, Candidate, best_device

__all__ = ["Advice", "Candidate", "best_device"]
