"""Support vector machines that share their Gram matrix and can be started from where they stood."""

from infoprop.svm._classifier import OneVsRestSVC
from infoprop.svm._machine import BinaryMachine
from infoprop.svm._sensitivity import margin_sensitivity, sensitivity_shares

__all__ = ["BinaryMachine", "OneVsRestSVC", "margin_sensitivity", "sensitivity_shares"]
