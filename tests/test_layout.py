"""The shape of the house: compiled code lives alone, and tests mirror the packages."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "infoprop"
FAST = sorted(SOURCE.rglob("*_fast.py"))
ALLOWED = ("numpy", "typing", "infoprop._core._jit", "infoprop._core._by_type")
COMPILED = (["njit"], ["njit_sums"], ["njit_products"], ["njit_norefcount"], ["njit_norefcount_sums"])


def is_record(node):
    """Whether a class is a named tuple without methods: all that compiled code can take."""
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return bases == ["NamedTuple"] and all(isinstance(part, ast.AnnAssign | ast.Expr) for part in node.body)


def is_choice(node):
    """Whether a function stands for compiled ones, chosen by type, and does nothing itself."""
    names = [
        d.func.id for d in node.decorator_list if isinstance(d, ast.Call) and isinstance(d.func, ast.Name)
    ]
    return names == ["chosen_by_type"] and len(node.body) == 1 and isinstance(node.body[0], ast.Expr)


def imported(node):
    """Modules that an import names; a compiled one may be taken from its package."""
    if isinstance(node, ast.Import) or all(alias.name.endswith("_fast") for alias in node.names):
        return [alias.name for alias in node.names]
    return [node.module]


@pytest.mark.parametrize("path", FAST, ids=lambda path: path.name)
def test_compiled_files_hold_compiled_functions_records_and_constants_only(path):
    tree = ast.parse(path.read_text())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            decorators = [d.id for d in node.decorator_list if isinstance(d, ast.Name)]
            assert decorators in COMPILED or is_choice(node), f"{node.name} is not compiled"
        elif isinstance(node, ast.ClassDef):
            assert is_record(node), f"{node.name} is more than named fields"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            assert all(name in ALLOWED or name.endswith("_fast") for name in imported(node))
        else:
            assert isinstance(node, ast.Assign | ast.Expr)


@pytest.mark.parametrize("path", FAST, ids=lambda path: path.name)
def test_every_compiled_file_is_exempt_from_the_type_checker_by_name(path):
    module = ".".join(("infoprop", *path.relative_to(SOURCE).with_suffix("").parts))
    assert f'"{module}"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("package", sorted(p.name for p in SOURCE.iterdir() if (p / "__init__.py").exists()))
def test_every_package_has_tests(package):
    assert list((ROOT / "tests" / package.lstrip("_")).glob("test_*.py"))
