"""Writes contributions.json.gz: the contributions by LightGBM's pred_contrib for the first rows of cases.json.gz.

    pip install lightgbm==4.6.0
    python make_contributions.py
"""
import gzip
import json
import pathlib

import lightgbm
import numpy

HERE = pathlib.Path(__file__).parent
NAMES = ["binary", "binary-missing-nan", "binary-missing-zero", "binary-missing-off", "binary-categories", "binary-dart", "regression", "multiclass", "lambdarank", "no-split"]

cases = {case["name"]: case for case in json.loads(gzip.open(HERE / "cases.json.gz").read())["cases"]}
found = []
for name in NAMES:
    booster = lightgbm.Booster(model_str=gzip.open(HERE / "models" / f"{name}.txt.gz").read().decode())
    rows = numpy.array([[float("nan") if cell in (None, "NaN") else float(cell) for cell in row] for row in cases[name]["rows"][:20]])
    found.append({"name": name, "contributions": booster.predict(rows, pred_contrib=True).tolist()})
with gzip.GzipFile(HERE / "contributions.json.gz", "wb", mtime=0) as handle:
    handle.write(json.dumps({"lightgbm": lightgbm.__version__, "cases": found}, separators=(",", ":")).encode())
