"""Trains the ensemble of trees.bench.mjs with LightGBM, and times LightGBM's predict on one thread.

usage: python trees-peers.py FOLDER ROWS FEATURES TREES; writes model.txt, features.f64, scores.f64; prints one JSON object
"""
import json
import pathlib
import sys
import time

import lightgbm
import numpy

folder = pathlib.Path(sys.argv[1])
rows, features, trees = map(int, sys.argv[2:5])
random = numpy.random.default_rng(11)


def table(count):
    values = random.normal(size=(count, features))
    values[:, 0] = random.integers(0, 30, count)  # The first feature is a category.
    values[:, 1::7] = numpy.round(values[:, 1::7], 1)
    values[random.random(values.shape) < 0.05] = numpy.nan
    return values


train = table(20_000)
filled = numpy.nan_to_num(train)
signal = filled[:, :10].sum(axis=1) + filled[:, 10] * filled[:, 11] + numpy.sin(filled[:, 0]) + random.normal(size=len(train))
options = dict(objective="binary", num_leaves=31, learning_rate=0.05, verbosity=-1, num_threads=2, seed=3)
categories = [0] if len(sys.argv) > 5 and sys.argv[5] == "categories" else []
booster = lightgbm.train(options, lightgbm.Dataset(train, (signal > 0).astype(int), categorical_feature=categories), trees)
(folder / "model.txt").write_text(booster.model_to_string())
test = table(rows)
(folder / "features.f64").write_bytes(test.tobytes())
booster = lightgbm.Booster(model_file=str(folder / "model.txt"))
best, scores = float("inf"), None
for _ in range(3):
    before = time.process_time()
    scores = booster.predict(test, num_threads=1)
    best = min(best, time.process_time() - before)
(folder / "scores.f64").write_bytes(numpy.asarray(scores).tobytes())
print(json.dumps({"version": lightgbm.__version__, "cpuSeconds": best}))
