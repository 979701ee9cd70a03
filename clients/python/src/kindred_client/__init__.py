"""Python client of Kindred: proteins in, Gene Ontology terms out, with the evidence."""

from .client import AsyncClient, AsyncRun, Client, Run
from .errors import KindredError

__all__ = ["AsyncClient", "AsyncRun", "Client", "KindredError", "Run"]
