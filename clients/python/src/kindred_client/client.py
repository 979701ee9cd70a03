from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from . import steps
from .errors import KindredError, error_of
from .steps import Pause, Progress, Request, Steps
from .types import Answer, Job, PredictionSet, Protein, TermEvidence

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")
usual_address = "http://127.0.0.1:8000"


def headers_of(api_key: str | None) -> dict[str, str]:
    return {} if api_key is None else {"authorization": f"ApiKey {api_key}"}


def local_access(data_dir: Any) -> dict[str, Any]:
    folder = Path(data_dir)
    try:
        service = json.loads((folder / "service.json").read_text())
        credential = json.loads((folder / "local-credential.json").read_text())
    except OSError as error:
        raise KindredError(f"No service runs on {folder}: start it with `kindred start` ({error}).") from error
    return {"url": service["url"], "api_key": credential["apiKey"]}


def said(progress: bool | Progress) -> Progress:
    if callable(progress):
        return progress
    if not progress:
        return lambda step, done, total: None
    return lambda step, done, total: print(f"\r{step} {done}/{total or '?'}   ", end="", flush=True)


def rows_of(answer: Answer) -> list[dict[str, Any]]:
    return [{"accession": answer.accession, **term.model_dump()} for term in answer.terms]


def frame_of(rows: list[dict[str, Any]]) -> "pandas.DataFrame":
    import pandas

    return pandas.DataFrame(rows)


class Client:
    """Synchronous client. Use it in a `with` block, or call `close()`.

    :param url: address of the service
    :param api_key: its credential; without one a service allows few sequences a day
    :param timeout: seconds for one request
    :param patience_seconds: how long to wait for a service that is away, or over a limit
    """

    def __init__(
        self,
        url: str = usual_address,
        api_key: str | None = None,
        timeout: float = 120,
        patience_seconds: float = 60,
    ):
        self._http = httpx.Client(base_url=url, headers=headers_of(api_key), timeout=timeout)
        self._patience_seconds = patience_seconds

    @classmethod
    def local(cls, data_dir: Any = "data", **options: Any) -> Client:
        """Makes a client of the service that runs on this machine with this data folder."""
        return cls(**local_access(data_dir), **options)

    def annotate(
        self,
        proteins: Any,
        *,
        resume: Any = None,
        progress: bool | Progress = False,
        poll_seconds: float = 0.5,
        **options: Any,
    ) -> Run:
        """Annotates proteins and waits for the result.

        :param proteins: path of a FASTA, GenBank or EMBL file, its text or bytes, or pairs of (name, residues) :param resume: a
        file for the state of the run; a second call after a kill goes on with the jobs of the first :param progress: True prints
        the progress; a function gets (step, done, of how many) :param options: parameters of POST /v1/annotate: method, runner,
        reference, limit_per_entry, evidence, aspect ...; runner_parameters is a dict
        """
        set_id = self._run(steps.annotate(proteins, resume, options, said(progress), poll_seconds))
        return Run(self, set_id)

    def run(self, prediction_set_id: str) -> Run:
        """Returns a run that exists already."""
        return Run(self, prediction_set_id)

    def wait(self, job_id: str, *, progress: bool | Progress = False, poll_seconds: float = 0.5) -> Job:
        return self._run(steps.finish(job_id, "waiting", said(progress), poll_seconds))

    def protein(self, accession: str) -> Protein:
        """Returns what the service knows of a protein. Raises KindredError with status 404 if it is not there."""
        return self._run(steps.protein(accession))

    def items(self, path: str, **params: Any) -> Iterator[dict[str, Any]]:
        """Yields all rows of a list, page by page: `client.items("/v1/jobs", limit=100)`."""
        address: str | None = path
        while address is not None:
            rows, address = self._run(steps.page(address, params))
            yield from rows
            params = {}

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, todo: Steps[T]) -> T:
        answer: Any = None
        try:
            while True:
                step = todo.send(answer)
                answer = self._take(step)
        except StopIteration as end:
            return end.value

    def _take(self, step: Request | Pause) -> Any:
        if isinstance(step, Pause):
            return time.sleep(step.seconds)
        step.patience_seconds = self._patience_seconds
        try:
            return self._http.request(step.method, step.path, **step.options)
        except httpx.TransportError as error:
            return error


class Run:
    """A finished annotation."""

    def __init__(self, client: Client, prediction_set_id: str):
        self._client = client
        self.id = prediction_set_id

    def details(self) -> PredictionSet:
        return self._client._run(steps.prediction_set(self.id))

    def answers(self, **filters: Any) -> Iterator[Answer]:
        """Yields the answer for each protein, as a stream: any size takes constant memory. Filters: aspect, min_probability, all ..."""
        with self._stream("jsonl", filters) as response:
            for line in response.iter_lines():
                yield Answer.model_validate_json(line)

    def dataframe(self, **filters: Any) -> pandas.DataFrame:
        """Returns a row for each protein and predicted term. Needs pandas."""
        return frame_of([row for answer in self.answers(**filters) for row in rows_of(answer)])

    def download(self, path: Any, format: str = "tsv", **filters: Any) -> Path:
        """Saves an export: tsv, wide, xlsx, parquet, parquet_wide, gaf, gpad, gff3, jsonl, cafa, topgo, goatools, term2gene, term2name or turtle."""
        target = Path(path)
        with self._stream(format, filters) as response, target.open("wb") as file:
            for part in response.iter_bytes():
                file.write(part)
        return target

    def evidence(self, accession: str, go_id: str) -> TermEvidence:
        """Returns what the score of a term rests on."""
        return self._client._run(steps.evidence(self.id, accession, go_id))

    def _stream(self, format: str, filters: dict[str, Any]) -> Any:
        return Streamed(
            self._client._http.stream(
                "GET", f"/v1/embeddings/prediction-sets/{self.id}/export", params={"format": format, **filters}
            )
        )


class Streamed:
    """A response that is read while it arrives. A refusal is raised."""

    def __init__(self, opened: Any):
        self._opened = opened

    def __enter__(self) -> httpx.Response:
        response = self._opened.__enter__()
        if not response.is_success:
            response.read()
            self._opened.__exit__(None, None, None)
            raise error_of(response)
        return response

    def __exit__(self, *reason: Any) -> None:
        self._opened.__exit__(*reason)

    async def __aenter__(self) -> httpx.Response:
        response = await self._opened.__aenter__()
        if not response.is_success:
            await response.aread()
            await self._opened.__aexit__(None, None, None)
            raise error_of(response)
        return response

    async def __aexit__(self, *reason: Any) -> None:
        await self._opened.__aexit__(*reason)


class AsyncClient:
    """The client for asyncio: every call of `Client`, awaited."""

    def __init__(
        self,
        url: str = usual_address,
        api_key: str | None = None,
        timeout: float = 120,
        patience_seconds: float = 60,
    ):
        self._http = httpx.AsyncClient(base_url=url, headers=headers_of(api_key), timeout=timeout)
        self._patience_seconds = patience_seconds

    @classmethod
    def local(cls, data_dir: Any = "data", **options: Any) -> AsyncClient:
        return cls(**local_access(data_dir), **options)

    async def annotate(
        self,
        proteins: Any,
        *,
        resume: Any = None,
        progress: bool | Progress = False,
        poll_seconds: float = 0.5,
        **options: Any,
    ) -> AsyncRun:
        set_id = await self._run(steps.annotate(proteins, resume, options, said(progress), poll_seconds))
        return AsyncRun(self, set_id)

    def run(self, prediction_set_id: str) -> AsyncRun:
        return AsyncRun(self, prediction_set_id)

    async def wait(self, job_id: str, *, progress: bool | Progress = False, poll_seconds: float = 0.5) -> Job:
        return await self._run(steps.finish(job_id, "waiting", said(progress), poll_seconds))

    async def protein(self, accession: str) -> Protein:
        return await self._run(steps.protein(accession))

    async def items(self, path: str, **params: Any) -> AsyncIterator[dict[str, Any]]:
        address: str | None = path
        while address is not None:
            rows, address = await self._run(steps.page(address, params))
            for row in rows:
                yield row
            params = {}

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _run(self, todo: Steps[T]) -> T:
        answer: Any = None
        try:
            while True:
                answer = await self._take(todo.send(answer))
        except StopIteration as end:
            return end.value

    async def _take(self, step: Request | Pause) -> Any:
        if isinstance(step, Pause):
            return await asyncio.sleep(step.seconds)
        step.patience_seconds = self._patience_seconds
        try:
            return await self._http.request(step.method, step.path, **step.options)
        except httpx.TransportError as error:
            return error


class AsyncRun:
    """A finished annotation, for asyncio."""

    def __init__(self, client: AsyncClient, prediction_set_id: str):
        self._client = client
        self.id = prediction_set_id

    async def details(self) -> PredictionSet:
        return await self._client._run(steps.prediction_set(self.id))

    async def answers(self, **filters: Any) -> AsyncIterator[Answer]:
        async with self._stream("jsonl", filters) as response:
            async for line in response.aiter_lines():
                yield Answer.model_validate_json(line)

    async def dataframe(self, **filters: Any) -> pandas.DataFrame:
        return frame_of([row async for answer in self.answers(**filters) for row in rows_of(answer)])

    async def download(self, path: Any, format: str = "tsv", **filters: Any) -> Path:
        target = Path(path)
        async with self._stream(format, filters) as response:
            with target.open("wb") as file:
                async for part in response.aiter_bytes():
                    file.write(part)
        return target

    async def evidence(self, accession: str, go_id: str) -> TermEvidence:
        return await self._client._run(steps.evidence(self.id, accession, go_id))

    def _stream(self, format: str, filters: dict[str, Any]) -> Streamed:
        path = f"/v1/embeddings/prediction-sets/{self.id}/export"
        return Streamed(self._client._http.stream("GET", path, params={"format": format, **filters}))
