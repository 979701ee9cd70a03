"""Renders a conda recipe as conda-build does, and applies the rules of Bioconda's linter that hold before publication.

usage: workflows-recipe.py FOLDER
"""

import os
import subprocess
import sys
from pathlib import Path

import yaml
from jinja2 import Environment, StrictUndefined

folder = Path(sys.argv[1])
text = (folder / "meta.yaml").read_text()
template = Environment(undefined=StrictUndefined).from_string(text)
recipe = yaml.safe_load(template.render(pin_subpackage=lambda name, max_pin: f"{name} {max_pin}", environ=os.environ))
faults = []


def rule(name, holds):
    if not holds:
        faults.append(name)


known = {"package", "source", "build", "requirements", "test", "about", "extra"}
rule(f"unknown sections {set(recipe) - known}", set(recipe) <= known)
version = subprocess.run(["kindred", "--version"], capture_output=True, text=True, check=True).stdout.strip()
rule("version_of_the_product", str(recipe["package"]["version"]) == version)
rule("missing_build_number", recipe["build"].get("number") == 0)
rule("missing_run_exports", recipe["build"].get("run_exports"))
rule("missing_tests", recipe["test"].get("commands"))
for field in ("summary", "license", "license_file"):
    rule(f"missing_{field}", recipe["about"].get(field))
rule("license_file_present", (folder.parents[2] / recipe["about"]["license_file"]).exists())
rule("extra_recipe_maintainers", recipe["extra"].get("recipe-maintainers"))
rule("should_be_run_like_host", recipe["requirements"]["host"] == recipe["requirements"]["run"])
rule("build_script", os.access(folder / "build.sh", os.X_OK))
rule("build_sh_missing_strict_mode", "set -euo pipefail" in (folder / "build.sh").read_text())
rule("trailing_whitespace", not any(line != line.rstrip() for line in text.splitlines()))
rule("build.sh parses", subprocess.run(["bash", "-n", str(folder / "build.sh")]).returncode == 0)
for fault in faults:
    print(f"the recipe breaks {fault}")
sys.exit(len(faults) > 0)
