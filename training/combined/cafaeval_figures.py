"""Computes the figures of exported frames with CAFA's evaluator, and compares them with Kindred's.

usage: CAFAEVAL_SPARSE=0 python cafaeval_figures.py FOLDER GO_OBO [FRAME ...]

FOLDER is the output of export-frames.mjs, GO_OBO the uncompressed ontology, and FRAME the name of one of the frames (default: all).
The script needs the package cafaeval-protea (0.1.0), the fork for partial knowledge. Its sparse kernel propagates `fill` wrongly,
so the variable is set. Its time grows with the terms of the ontology, so it gets those that the frame uses and all above them. Each
frame gets a cafaeval.json. The exit status is 1 if a figure differs by more than 1e-9 or is missing.
"""
import json
import os
import pathlib
import re
import sys
import tempfile

if os.environ.get("CAFAEVAL_SPARSE") != "0":
    sys.exit("set CAFAEVAL_SPARSE=0: the sparse kernel propagates fill wrongly")
from cafaeval.evaluation import cafa_eval  # noqa: E402

ASPECTS = {"biological_process": "process", "molecular_function": "function", "cellular_component": "component"}
FIGURES = {"fmax": "f", "f_micro_w": "f_micro_w"}


def used_part(obo, frame):
    """Returns the stanzas of the terms that the files of a frame name, and of all above them by is_a and part_of."""
    head, *stanzas = re.split(r"\n(?=\[\w+\]\n)", obo)
    stanza_of = {match[1]: stanza for stanza in stanzas if (match := re.search(r"^id: (GO:\d+)$", stanza, re.M))}
    waiting = {term for path in frame.rglob("*.tsv") for term in re.findall(r"GO:\d+", path.read_text())}
    kept = {}
    while waiting:
        term = waiting.pop()
        if term in stanza_of and term not in kept:
            kept[term] = stanza_of[term]
            waiting |= set(re.findall(r"^(?:is_a:|relationship: part_of) (GO:\d+)", kept[term], re.M))
    return "\n".join([head, *(kept[term] for term in sorted(kept)), ""])


def figures_of(frame, obo):
    """Returns the figures of each method, category and aspect, by CAFA's evaluator."""
    found = {}
    for category in ["NK", "LK", "PK"]:
        _, best = cafa_eval(
            obo, str(frame / "predictions"), str(frame / f"truth_{category}.tsv"), ia=str(frame / "IA.tsv"), no_orphans=True, norm="cafa",
            prop="fill", th_step=0.01, exclude=str(frame / "known.tsv") if category == "PK" else None,
        )
        for ours, theirs in FIGURES.items():
            for (name, namespace, _), row in best[theirs].iterrows():
                found.setdefault((pathlib.Path(name).stem, category, ASPECTS[namespace]), {})[ours] = float(row[theirs])
    return found


def compare(frame, found):
    """Prints what differs. Returns the number of equal figures, the number of others and the largest difference."""
    equal, wrong, worst = 0, 0, 0.0
    for cell in json.loads((frame / "figures.json").read_text()):
        theirs = found.get((cell["method"], cell["category"], cell["aspect"]), {})
        for figure in FIGURES if cell["proteins"] else []:
            # A missing figure counts as 0, because neither program has one if nothing is predicted above a threshold.
            ours, other = cell[figure] or 0.0, theirs.get(figure, 0.0)
            off = abs(ours - other)
            worst = max(worst, off)
            if off > 1e-9:
                print(frame.name, cell["method"], cell["category"], cell["aspect"], figure, "ours", ours, "theirs", other)
            equal, wrong = equal + (off <= 1e-9), wrong + (off > 1e-9)
    return equal, wrong, worst


def main():
    folder, obo = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    equal, wrong, worst = 0, 0, 0.0
    frames = [folder / name for name in sys.argv[3:]] or sorted(path for path in folder.iterdir() if path.is_dir())
    for frame in frames:
        with tempfile.NamedTemporaryFile("w", suffix=".obo") as part:
            part.write(used_part(obo, frame))
            part.flush()
            found = figures_of(frame, part.name)
        rows = [{"method": m, "category": c, "aspect": a, **values} for (m, c, a), values in sorted(found.items())]
        (frame / "cafaeval.json").write_text(json.dumps(rows, indent=1) + "\n")
        same, other, most = compare(frame, found)
        equal, wrong, worst = equal + same, wrong + other, max(worst, most)
        print(f"{frame.name}: {len(rows)} cells, {same} figures equal, {other} not", flush=True)
    print(f"largest difference: {worst:.2e}")
    # The status is 1 without an equal figure, too, because nothing was compared then.
    sys.exit(1 if wrong or not equal else 0)


if __name__ == "__main__":
    main()
