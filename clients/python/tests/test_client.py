"""Tests the client against a running service with the example set. KINDRED_URL and KINDRED_KEY name the service (.ci/suites/python)."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from kindred_client import AsyncClient, Client, KindredError, steps

access = {"url": os.environ["KINDRED_URL"], "api_key": os.environ["KINDRED_KEY"]}
queries = (Path(__file__).parents[3] / "examples" / "queries.fasta").read_text()
records = queries.lstrip(">").split("\n>")
two = "".join(f">{record.strip()}\n" for record in records if "|Q9NAE2|" in record or "|Q5ZJ17|" in record)


@pytest.fixture(scope="module")
def client():
    with Client(**access) as one:
        yield one


@pytest.fixture(scope="module")
def run(client):
    seen = []
    done = client.annotate(two, progress=lambda *step: seen.append(step), poll_seconds=0.1)
    assert [step for step, _, _ in seen][0] == "uploading" and seen[-1][0] == "predicting"
    return done


def test_answers_are_typed(run):
    answers = {answer.accession: answer for answer in run.answers()}
    assert set(answers) == {"Q9NAE2", "Q5ZJ17"}
    assert "GO:0016153" in [term.go_id for term in answers["Q9NAE2"].terms]
    assert run.details().protein_count == 2


def test_dataframe_and_filters(run):
    frame = run.dataframe(aspect="F")
    assert set(frame["aspect"]) == {"F"} and "GO:0031267" in set(frame["go_id"])


def test_downloads(run, tmp_path):
    text = run.download(tmp_path / "terms.gaf", format="gaf").read_text()
    assert text.startswith("!gaf-version: 2.2") and "GO:0016153" in text
    with pytest.raises(KindredError) as refused:
        run.download(tmp_path / "x", format="doc")
    assert refused.value.status == 422 and "format" in str(refused.value)


def test_evidence_and_proteins(run, client):
    assert run.evidence("Q9NAE2", "GO:0016153").go_id == "GO:0016153"
    assert client.protein("Q96N76").accession == "Q96N76"
    with pytest.raises(KindredError) as absent:
        client.protein("NOTHING/HERE")
    assert absent.value.status == 404


def test_a_runner_gets_its_parameters(client):
    done = client.annotate(two, runner="baseline", runner_parameters={"minimum_score": 0.2}, poll_seconds=0.1)
    runner = done.details().runner
    assert runner is not None and runner.name == "baseline"
    scores = [term.score for answer in done.answers() for term in answer.terms]
    assert scores and min(scores) >= 0.2
    with pytest.raises(KindredError) as refused:
        client.annotate(two, runner="baseline", runner_parameters={"maximum_score": 1})
    assert refused.value.status == 422 and "maximum_score" in str(refused.value)


def test_pages(client):
    jobs = [job["id"] for job in client.items("/v1/jobs", limit=2)]
    assert len(jobs) == len(set(jobs)) > 2


def test_the_next_page_below_a_path():
    asked = steps.page("/v1/jobs", None)
    next(asked)
    link = {"link": '</kindred/v1/jobs?after=1>; rel="next"'}
    sent = httpx.Request("GET", "https://lab.example/kindred/v1/jobs")
    with pytest.raises(StopIteration) as end:
        asked.send(httpx.Response(200, json=[], headers=link, request=sent))
    assert end.value.value == ([], "https://lab.example/kindred/v1/jobs?after=1")


def test_refusals_name_the_line(client):
    with pytest.raises(KindredError) as refused:
        client.annotate(">a\nMK1\n")
    assert refused.value.code == "bad_fasta" and "line 2" in refused.value.detail


def test_no_service():
    with Client("http://127.0.0.1:9", patience_seconds=0) as nowhere, pytest.raises(KindredError, match="No answer"):
        nowhere.annotate([("a", "MKTAYIAKQRQISFVK")])


def test_async():
    async def work():
        async with AsyncClient(**access) as client:
            run = await client.annotate([("mine", two.split("\n", 1)[1].split(">")[0].replace("\n", ""))])
            frame = await run.dataframe()
            rows = [row async for row in client.items("/v1/jobs", limit=5)]
            return run.id, len(frame), len(rows)

    set_id, terms, jobs = asyncio.run(work())
    assert set_id and terms > 0 and jobs > 5


script = """
import os, sys
from kindred_client import Client
with Client(os.environ["KINDRED_URL"], os.environ["KINDRED_KEY"]) as client:
    run = client.annotate(sys.argv[1], resume=sys.argv[2], progress=lambda *step: print(*step, flush=True), poll_seconds=0.05)
    print("DONE", run.id)
"""


def test_a_killed_script_goes_on(tmp_path):
    """Kills a script in the middle of one call for many sequences (KINDRED_MANY); a second script goes on with its jobs."""
    peptides = tmp_path / "many.fasta"
    body = "".join(queries.split("\n", 1)[1].split(">")[0].split())
    peptides.write_text("".join(f">p{i}\n{body[i % 50:i % 50 + 30 + i % 90]}\n" for i in range(int(os.environ.get("KINDRED_MANY", 1000)))))
    state = tmp_path / "run.json"
    command = [sys.executable, "-c", script, str(peptides), str(state)]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in first.stdout:
        if line.startswith("embedding"):
            break
    first.send_signal(signal.SIGKILL)
    first.wait()
    begun = json.loads(state.read_text())["started"]
    second = subprocess.run(command, capture_output=True, text=True, check=True)
    set_id = second.stdout.split("DONE ")[1].strip()
    after = json.loads(state.read_text())
    assert after["started"] == begun and after["prediction_set_id"] == set_id
    with Client(**access) as client:
        assert client.run(set_id).details().query_set_id == begun["query_set_id"]
        with pytest.raises(KindredError, match="other proteins"):
            client.annotate(two, resume=state)
