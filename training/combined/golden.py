"""Writes LightGBM's own predictions for some rows by the shipped models, for the tests of the product's own evaluator.

usage: python golden.py FEATURES_FOLDER

The script reads models/combined and rows of one window, and writes packages/kernels/src/combined/golden/model-rows.json.gz.
"""
import gzip
import json
import pathlib
import sys

import lightgbm
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
folder = pathlib.Path(sys.argv[1])
columns = json.loads((folder / "index.json").read_text())["features"]
cases = []
for aspect in "PFC":
    booster = lightgbm.Booster(model_file=str(ROOT / "models" / "combined" / f"{aspect}.txt"))
    features = numpy.fromfile(folder / f"worm-2018.{aspect}.features", numpy.float32).reshape(-1, len(columns))
    chosen = features[numpy.random.default_rng(1).choice(len(features), 40, replace=False)].astype(float)
    rows = chosen[:, [columns.index(name) for name in booster.feature_name()]]
    cases.append({
        "aspect": aspect,
        "features": booster.feature_name(),
        "rows": [[None if numpy.isnan(value) else value for value in row] for row in rows.tolist()],
        "raw": booster.predict(rows, raw_score=True).tolist(),
        "probability": booster.predict(rows).tolist(),
        "contributions": booster.predict(rows[:10], pred_contrib=True).tolist(),
    })
path = ROOT / "packages/kernels/src/combined/golden/model-rows.json.gz"
with gzip.GzipFile(path, "wb", mtime=0) as handle:
    handle.write(json.dumps({"lightgbm": lightgbm.__version__, "cases": cases}, separators=(",", ":")).encode())
