"""Runs the tests of a Galaxy tool without Galaxy: its command template with each test's inputs, then the assertions on the outputs.

usage: workflows-galaxy.py TOOL.xml FOLDER
"""

import subprocess
import sys
from pathlib import Path

from Cheetah.Template import Template
from galaxy.tool_util.parser import get_tool_source
from galaxy.tool_util.verify.asserts import verify_assertions

tool_file = Path(sys.argv[1]).resolve()
folder = Path(sys.argv[2])
tool = get_tool_source(str(tool_file))
root = tool.root


def value_of(param, given):
    """The text that Galaxy puts into the command for a parameter."""
    value = given.get(param.get("name") or param.get("argument").lstrip("-"))
    if param.get("type") == "data":
        return str(tool_file.parent / "test-data" / value) if value else ""
    if param.get("type") == "boolean":
        return param.get("truevalue") if str(value).lower() == "true" else param.get("falsevalue")
    if param.get("type") == "select":
        chosen = [option.get("value") for option in param.iter("option") if option.get("selected") == "true"]
        return value or (chosen[0] if chosen else "")
    raise SystemExit(f"a parameter of type {param.get('type')} is new here")


tests = tool.parse_tests_to_dict()["tests"]
if not tests:
    raise SystemExit(f"{tool_file} has no test")
for number, test in enumerate(tests):
    given = {one["name"]: one["value"] for one in test["inputs"]}
    params = list(root.find("inputs").iter("param"))
    names = {(param.get("name") or param.get("argument").lstrip("-")): value_of(param, given) for param in params}
    if unknown := set(given) - set(names):
        raise SystemExit(f"test {number} names parameters that the tool lacks: {unknown}")
    command = str(Template(tool.parse_command(), searchList=[names])).replace("\n", " ")
    place = folder / str(number)
    place.mkdir(parents=True)
    print(command)
    subprocess.run(["bash", "-c", command], cwd=place, check=True)
    files = {data.get("name"): place / data.get("from_work_dir") for data in root.find("outputs").iter("data")}
    for output in test["outputs"]:
        assertions = output["attributes"]["assert_list"]
        if not assertions:
            raise SystemExit(f"the output {output['name']} of test {number} has no assertion")
        verify_assertions(files[output["name"]].read_bytes(), assertions)
    if set(files) != {output["name"] for output in test["outputs"]}:
        raise SystemExit(f"test {number} does not look at every output")
