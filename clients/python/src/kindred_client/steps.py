"""Describes what a call does, without input or output: a generator gives requests and pauses, and gets responses. The synchronous and
the asynchronous client drive the same generators.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

from .errors import KindredError, error_of
from .types import Job, PredictionSet, Protein, StartedAnnotation, TermEvidence


@dataclass
class Request:
    method: str
    path: str
    options: dict[str, Any] = field(default_factory=dict)
    #: The time within which a service that is being started again answers.
    patience_seconds: float = 60


@dataclass
class Pause:
    seconds: float


T = TypeVar("T")
Steps = Generator["Request | Pause", Any, T]
#: A function of (name of the step, done, of how many); the last is None if it is not known.
Progress = Callable[[str, int, "int | None"], None]
Proteins = "str | os.PathLike[str] | bytes | Iterable[tuple[str, str]]"

final = ("SUCCEEDED", "FAILED", "CANCELLED")
away = (502, 503, 504)


def ask(request: Request) -> Steps[httpx.Response]:
    """Sends one request, and waits while the service is away or asks to wait. Raises KindredError for a refusal."""
    waited = 0.0
    while True:
        answer = yield request
        if isinstance(answer, httpx.Response) and answer.is_success:
            return answer
        refused = answer if isinstance(answer, httpx.Response) else None
        may_wait = refused is None or refused.status_code in (*away, 429)
        pause = float(refused.headers.get("retry-after", 1)) if refused is not None else 1.0
        # A request that changes something is sent again only if its key makes the second one harmless.
        again = request.method == "GET" or "idempotency-key" in request.options.get("headers", {})
        if not (may_wait and again) or waited + pause > request.patience_seconds:
            raise error_of(refused) if refused is not None else KindredError(f"No answer: {answer}")
        waited += pause
        yield Pause(pause)


def read_proteins(proteins: Any) -> tuple[str, bytes]:
    """Returns name and bytes: of a file by its path, of text or bytes as they are, of (name, residues) pairs as FASTA."""
    if isinstance(proteins, bytes):
        return "proteins.fasta", proteins
    if isinstance(proteins, str) and ("\n" in proteins or proteins.startswith(">")):
        return "proteins.fasta", proteins.encode()
    if isinstance(proteins, (str, os.PathLike)):
        path = Path(proteins)
        return path.name, path.read_bytes()
    return "proteins.fasta", "".join(f">{name}\n{residues}\n" for name, residues in proteins).encode()


@dataclass
class State:
    """The state that a killed script needs to go on. It is written beside its place and moved there."""

    path: Path | None
    asked: str
    key: str = field(default_factory=lambda: str(uuid.uuid4()))
    started: dict[str, Any] | None = None
    prediction_set_id: str | None = None

    @classmethod
    def open(cls, path: Any, asked: str) -> State:
        if path is None or not Path(path).exists():
            return cls(None if path is None else Path(path), asked)
        known = json.loads(Path(path).read_text())
        if known["asked"] != asked:
            raise KindredError(f"{path} is of other proteins or options: delete it, or name another file.")
        return cls(Path(path), **known)

    def save(self) -> None:
        if self.path is None:
            return
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        kept = {name: value for name, value in vars(self).items() if name != "path"}
        draft.write_text(json.dumps(kept))
        draft.replace(self.path)


def annotate(proteins: Any, resume: Any, options: dict[str, Any], progress: Progress, poll_seconds: float) -> Steps[str]:
    """Uploads, waits for both jobs, and returns the id of the prediction set."""
    name, content = read_proteins(proteins)
    asked = hashlib.sha256(content + json.dumps(options, sort_keys=True).encode()).hexdigest()
    state = State.open(resume, asked)
    if state.prediction_set_id is not None:
        return state.prediction_set_id
    if state.started is None:
        state.save()
        query = {name: value for name, value in options.items() if name != "runner_parameters"}
        fields = {"runner_parameters": json.dumps(options["runner_parameters"])} if "runner_parameters" in options else {}
        progress("uploading", 0, None)
        response = yield from ask(
            Request(
                "POST",
                "/v1/annotate",
                {
                    "params": {"auto_predict": "true", **query},
                    "data": fields,
                    "files": {"file": (name, content)},
                    "headers": {"idempotency-key": state.key},
                },
            )
        )
        state.started = StartedAnnotation.model_validate_json(response.content).model_dump()
        state.save()
    try:
        yield from finish(state.started["embedding_job_id"], "embedding", progress, poll_seconds)
        job = yield from finish(state.started["predict_job_id"], "predicting", progress, poll_seconds)
    except KindredError as error:
        # A job that failed does not go on, so the next call starts another one.
        if error.code == "job_failed":
            State(state.path, asked).save()
        raise
    state.prediction_set_id = str((job.result or {})["prediction_set_id"])
    state.save()
    return state.prediction_set_id


def finish(job_id: str, step: str, progress: Progress, poll_seconds: float) -> Steps[Job]:
    """Waits for the end of a job. Raises KindredError (code `job_failed`) if it has another end than success."""
    while True:
        response = yield from ask(Request("GET", f"/v1/jobs/{job_id}"))
        job = Job.model_validate_json(response.content)
        progress(step, job.progress_current, job.progress_total)
        if job.status == "SUCCEEDED":
            return job
        if job.status in final:
            raise KindredError(f"Job {job.id} ended as {job.status}: {job.error_message or 'no reason given'}", 0, "job_failed")
        yield Pause(poll_seconds)


def prediction_set(set_id: str) -> Steps[PredictionSet]:
    response = yield from ask(Request("GET", f"/v1/embeddings/prediction-sets/{set_id}"))
    return PredictionSet.model_validate_json(response.content)


def protein(accession: str) -> Steps[Protein]:
    response = yield from ask(Request("GET", f"/v1/proteins/{quoted(accession)}"))
    return Protein.model_validate_json(response.content)


def evidence(set_id: str, accession: str, go_id: str) -> Steps[TermEvidence]:
    path = f"/v1/embeddings/prediction-sets/{set_id}/proteins/{quoted(accession)}/terms/{quoted(go_id)}/evidence"
    response = yield from ask(Request("GET", path))
    return TermEvidence.model_validate_json(response.content)


def page(path: str, params: dict[str, Any] | None) -> Steps[tuple[list[dict[str, Any]], str | None]]:
    """Reads one page of a list, and returns the address of the next one, too."""
    response = yield from ask(Request("GET", path, {"params": params} if params else {}))
    following = response.links.get("next", {}).get("url")
    # The address is resolved here, because a service below a path of its host gives the whole path, before which the client would put
    # its own.
    return response.json(), None if following is None else str(response.url.join(following))


def quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="")
