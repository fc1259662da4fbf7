"""Files that describe the packages: pyproject.toml, the recipe of the conda package, the workflows."""

import re
import tomllib
from pathlib import Path

import xtensor as xp

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RECIPE = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")


def requirements_of_recipe(section: str) -> set[str]:
    """The requirements of a section of the recipe, as the project writes them."""
    lines = re.search(rf"^  {section}:\n((?:    - .*\n)+)", RECIPE, re.MULTILINE)[1]
    return {re.sub(r"\s", "", line.removeprefix("    - ")) for line in lines.splitlines()}


def test_wheels_are_built_for_the_versions_that_the_classifiers_name():
    named = set(re.findall(r":: 3\.(\d+)", "\n".join(PROJECT["project"]["classifiers"])))
    built = set(re.findall(r"cp3(\d+)-", PROJECT["tool"]["cibuildwheel"]["build"]))
    assert named == built == {"11", "12", "13", "14"}


def test_recipe_has_the_version_and_the_requirements_of_the_project():
    assert f"  version: {xp.__version__}\n" in RECIPE
    dependencies, build = PROJECT["project"]["dependencies"], PROJECT["build-system"]["requires"]
    assert {requirement.partition(";")[0] for requirement in dependencies} < requirements_of_recipe("run")
    assert {requirement.partition(";")[0] for requirement in build} < requirements_of_recipe("host")


def test_dependencies_do_not_speak_before_requires_python():
    """An older pip names the first dependency without a version for the running Python, before requires-python."""
    marker = f"python_version {PROJECT['project']['requires-python'].replace('>=', '>= ')}"
    assert all(
        requirement.partition("; ")[2].replace("'", "") == marker for requirement in PROJECT["project"]["dependencies"]
    )


def test_workflow_runs_what_the_check_before_a_change_runs():
    check = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    loops = " ".join(re.findall(r"^for environment in ([^;]+); do", check, re.MULTILINE)).split()
    (plain,) = re.findall(r"^envlist = (.+)", (ROOT / "tox.ini").read_text(encoding="utf-8"), re.MULTILINE)
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert {*loops, "tests-webgpu", *plain.split(", ")} == set(
        re.findall(r"^ {10}- ([a-z-]+)$", workflow, re.MULTILINE)
    )


def test_wheel_names_its_packages():
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert [path.rpartition("/")[2] for path in packages] == PROJECT["tool"]["check-wheel-contents"]["toplevel"]
    assert all((ROOT / path / "__init__.py").exists() for path in packages)
