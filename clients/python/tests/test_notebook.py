"""Runs the notebook from its first cell to its last against the service of the other tests."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

folder = Path(__file__).parents[1]


def printed(cell):
    """Returns the text that a cell printed or showed."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return "".join(texts)


def test_the_notebook_runs():
    notebook = nbformat.read(folder / "first_steps.ipynb", as_version=4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code"), "commit it without outputs"
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    shown = [printed(cell) for cell in notebook.cells if cell.cell_type == "code"]
    assert "25 proteins, GO releases/2022-07-01" in shown[1]
    assert "GO:" in shown[2] and "likely" in shown[2]
    assert "no term" in shown[3]
    assert "experimental" in shown[4]
    assert shown[5].startswith("!gaf-version: 2.2")
    assert not (folder / "queries.gaf").exists()
