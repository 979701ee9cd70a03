"""Checks the command beside a running service, as other programs see it: a whole run as RO-Crate and JSON Lines, and its server for
assistants.

usage: python-command.py FOLDER SCHEMA COMMAND...
"""

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import checks
import jsonschema
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from rocrate.rocrate import ROCrate

folder, schema, *command = sys.argv[1:]
results = Path(folder) / "results"
queries = Path("examples/queries.fasta")


def a_whole_run():
    said = subprocess.run([*command, "annotate", queries, "--out-dir", results, "--json", "--quiet"], check=True, capture_output=True)
    names = set(json.loads(said.stdout)["files"])
    crate = ROCrate(results)
    files = {entity.id: entity for entity in crate.get_entities() if entity.type == "File"}
    assert set(files) == names - {"ro-crate-metadata.json"}, names ^ set(files)
    for name, entity in files.items():
        content = (results / name).read_bytes()
        assert entity["identifier"] == f"sha256:{hashlib.sha256(content).hexdigest()}", name
        assert entity["contentSize"] == str(len(content)), name
    run = crate.dereference("#run")
    assert {entity.id for entity in run["result"]} == set(files)
    made_from = {entity["name"]: entity for entity in run["object"]}
    assert made_from[queries.name]["identifier"] == f"sha256:{hashlib.sha256(queries.read_bytes()).hexdigest()}"
    assert {"Ontology", "Method", "Annotations", "Prediction set"} <= set(made_from), set(made_from)


def its_json_lines():
    validator = jsonschema.Draft202012Validator(json.loads(Path(schema).read_text()))
    lines = [json.loads(line) for line in open(results / "answers.jsonl")]
    assert len(lines) == queries.read_text().count(">")
    for line in lines:
        validator.validate(line)
    assert sum(len(line["terms"]) for line in lines) > 100


async def ask_assistant_server():
    server = StdioServerParameters(command=command[0], args=[*command[1:], "mcp"], env=dict(os.environ))
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()

        async def call(name, **arguments):
            reply = await session.call_tool(name, arguments)
            return json.loads(reply.content[0].text)

        record = next(one for one in queries.read_text().split(">") if "|Q9NAE2|" in one)
        annotated = await call("annotate_proteins", fasta=f">{record}", terms=5)
        (answer,) = annotated["answers"]
        assert answer["accession"] == "Q9NAE2" and 0 < len(answer["terms"]) <= 5, answer
        term = answer["terms"][0]
        assert {"probability", "source_id", "go_id"} <= set(term)
        evidence = await call("term_evidence", prediction_set_id=annotated["prediction_set_id"], accession="Q9NAE2", go_id=term["go_id"])
        assert evidence["go_id"] == term["go_id"], evidence
        known = await call("find_protein", accession="Q96N76")
        assert known["protein"]["accession"] == "Q96N76" and known["annotations"], known
        found = await call("find_terms", search="urocanate hydratase activity")
        assert "GO:0016153" in [one["go_id"] for one in found["terms"]], found


def assistants():
    asyncio.run(asyncio.wait_for(ask_assistant_server(), 300))


checks.run("command", (a_whole_run, its_json_lines, assistants))
