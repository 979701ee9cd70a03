"""Asks CAFA's evaluator for the figures of exported frames, and compares them with ours.

usage: CAFAEVAL_SPARSE=0 python cafaeval_figures.py FOLDER GO_OBO

FOLDER is what export-frames.mjs wrote; GO_OBO the ontology, not compressed. Needs the package cafaeval-protea (0.1.0), the fork for partial
knowledge; its sparse kernel propagates `fill` wrongly, so the variable is set. Writes cafaeval.json into each frame.
"""
import json
import os
import pathlib
import sys

if os.environ.get("CAFAEVAL_SPARSE") != "0":
    sys.exit("set CAFAEVAL_SPARSE=0: the sparse kernel propagates fill wrongly")
from cafaeval.evaluation import cafa_eval  # noqa: E402

ASPECTS = {"biological_process": "process", "molecular_function": "function", "cellular_component": "component"}
root, obo = pathlib.Path(sys.argv[1]), sys.argv[2]
worst = 0.0
for frame in sorted(path for path in root.iterdir() if path.is_dir()):
    found = {}
    for category in ["NK", "LK", "PK"]:
        _, best = cafa_eval(
            obo, str(frame / "predictions"), str(frame / f"truth_{category}.tsv"), ia=str(frame / "IA.tsv"), no_orphans=True, norm="cafa",
            prop="fill", th_step=0.01, exclude=str(frame / "known.tsv") if category == "PK" else None,
        )
        for ours, theirs in [("fmax", "f"), ("f_micro_w", "f_micro_w")]:
            for (name, namespace, _), row in best[theirs].iterrows():
                method = pathlib.Path(name).stem
                found.setdefault((method, category, ASPECTS[namespace]), {})[ours] = float(row[theirs])
    figures = json.loads((frame / "figures.json").read_text())
    for cell in figures:
        theirs = found.get((cell["method"], cell["category"], cell["aspect"]))
        for figure in ["fmax", "f_micro_w"] if theirs else []:
            off = abs(cell[figure] - theirs[figure])
            worst = max(worst, off)
            if off > 1e-9:
                print(frame.name, cell["method"], cell["category"], cell["aspect"], figure, "ours", cell[figure], "theirs", theirs[figure])
    rows = [{"method": m, "category": c, "aspect": a, **values} for (m, c, a), values in sorted(found.items())]
    (frame / "cafaeval.json").write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{frame.name}: {len(rows)} cells", flush=True)
print(f"largest difference: {worst:.2e}")
