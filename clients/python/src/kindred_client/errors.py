from __future__ import annotations

import httpx
from pydantic import ValidationError

from .types import Problem


class KindredError(Exception):
    """The error for a request that the service refused, or a job that failed. `status` is 0 if there is no HTTP status."""

    def __init__(self, detail: str, status: int = 0, code: str = "", problem: Problem | None = None):
        super().__init__(detail if status == 0 else f"{detail} (HTTP {status})")
        self.detail = detail
        self.status = status
        self.code = code
        self.problem = problem


def error_of(response: httpx.Response) -> KindredError:
    """Turns the problem document of a refusal (RFC 9457) into an error in words."""
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError:
        return KindredError(response.text[:500] or response.reason_phrase, response.status_code)
    faults = [f"{fault.path}: {fault.message}" for fault in problem.errors or [] if fault.message not in problem.detail]
    return KindredError(" ".join([problem.detail, *faults]), problem.status, problem.code, problem)
