"""Trains models of eukaryotes, for bare sequences or known proteins, and scores each protein by the model that left it out.

usage: python bare_train.py FOLDER [--with-network] [--learnt FOLDER]

FOLDER has the files of bare-rows.mjs and bare-folds.mjs. It gets models/<number>.<aspect>.txt, models/all.<aspect>.txt, and of each window,
density and aspect <window>.<density>.<aspect>.scores (float32), in the order of the rows. Without --with-network the columns of the network are
left out; with it they are missing in the scores of the seven organisms. With --learnt, the models of another folder score the rows, and none is
trained. requirements.txt has the versions.
"""
import json
import pathlib
import re
import sys

import lightgbm
import numpy

import train

PARAMETERS = {**train.PARAMETERS, "num_leaves": 31}
INCREASING = re.compile(train.INCREASING.pattern + r"|^(similar_share|similar_nearness|network_excess|network_moved)$")
OF_ORGANISM = ("frequency_organism", "proof_organism")


class Windows:
    def __init__(self, folder, with_network):
        self.folder = folder
        index = json.loads((folder / "index.json").read_text())
        self.all_columns, self.aspects, self.trees = index["columns"], index["aspects"], index["trees"]
        # The organism of a known protein is known; half of the bare sequences do not name theirs.
        self.names_all = index["kind"] == "known"
        self.kept = [i for i, name in enumerate(self.all_columns) if with_network or not name.startswith("network_")]
        self.columns = [self.all_columns[i] for i in self.kept]
        self.parts = [(window, density) for window in index["windows"] for density in index["densities"]]
        self.folds = json.loads((folder / "folds.json").read_text())

    def read(self, window, density, aspect):
        path = str(self.folder / f"{window['name']}.{density}.{aspect}")
        rows = numpy.fromfile(f"{path}.rows", numpy.int32).reshape(-1, 5)
        features = numpy.fromfile(f"{path}.features", numpy.float32).reshape(-1, len(self.all_columns))[:, self.kept]
        weights = numpy.fromfile(f"{path}.weights", numpy.float32)
        table = self.folds[window["name"]]
        most = max(rows[:, 0], default=0) + 1
        fold, mask = numpy.full(most, -1, numpy.int8), numpy.zeros(most, numpy.int8)
        for protein, (number, bits) in table.items():
            if int(protein) >= most:
                continue
            fold[int(protein)], mask[int(protein)] = number, bits
        return features, rows, weights, fold[rows[:, 0]], mask[rows[:, 0]]

    def learnt(self, aspect):
        """Returns what is learnt from: features, labels, weights, categories and masks of the models that leave a row out."""
        random = numpy.random.default_rng(1)
        organism = [self.columns.index(name) for name in OF_ORGANISM]
        parts = []
        for window, density in self.parts:
            x, rows, weights, _, mask = self.read(window, density, aspect)
            kept = (rows[:, 4] == 1) & ((rows[:, 2] == 1) | (random.random(len(rows)) < train.NEGATIVES))
            x, rows = x[kept], rows[kept]
            unnamed = (rows[:, 0] % 2 == 0) & (not self.names_all)
            for column in organism:
                x[unnamed, column] = numpy.nan
            parts.append((x, rows[:, 2], weights[kept], rows[:, 3], mask[kept]))
        return [numpy.concatenate(column) for column in zip(*parts)]


def fit(windows, x, labels, weights, categories):
    sums = numpy.array([weights[categories == c].sum() for c in range(3)])
    weights = weights * ((sums.sum() / 3 / numpy.maximum(sums, 1)) ** 0.5)[categories]
    data = lightgbm.Dataset(x, labels, weight=weights, feature_name=windows.columns)
    constraints = [1 if INCREASING.match(name) else 0 for name in windows.columns]
    return lightgbm.train({**PARAMETERS, "monotone_constraints": constraints}, data, windows.trees)


def trained(windows, aspect, models):
    """Trains and writes the models of an aspect: one for each group that is left out, and one of all."""
    x, *others, mask = windows.learnt(aspect)
    boosters = []
    for number in [0, 1, 2, 3, "all"]:
        kept = numpy.ones(len(x), bool) if number == "all" else (mask >> number) & 1 == 0
        booster = fit(windows, x[kept], *(column[kept] for column in others))
        (models / f"{number}.{aspect}.txt").write_text(train.shortened(booster.model_to_string()))
        boosters.append(booster)
        print(aspect, number, kept.sum(), "rows", flush=True)
    gains = sorted(zip(booster.feature_importance("gain"), booster.feature_name()), reverse=True)
    total = sum(gain for gain, _ in gains)
    print(aspect, ", ".join(f"{name} {gain / total:.2f}" for gain, name in gains[:12]), flush=True)
    return boosters


def main():
    windows = Windows(pathlib.Path(sys.argv[1]), "--with-network" in sys.argv[2:])
    learnt = pathlib.Path(sys.argv[sys.argv.index("--learnt") + 1]) / "models" if "--learnt" in sys.argv else None
    models = windows.folder / "models"
    models.mkdir(exist_ok=True)
    ofnetwork = [i for i, name in enumerate(windows.columns) if name.startswith("network_")]
    for aspect in windows.aspects:
        if learnt is None:
            boosters = trained(windows, aspect, models)
        else:
            boosters = [lightgbm.Booster(model_file=str(learnt / f"{number}.{aspect}.txt")) for number in range(4)]
        for window, density in windows.parts:
            features, rows, _, fold, _ = windows.read(window, density, aspect)
            if window["source"] == "organisms":
                features[:, ofnetwork] = numpy.nan
            scores = numpy.zeros(len(rows), numpy.float32)
            for number in range(4):
                here = fold == number
                if here.any():
                    scores[here] = boosters[number].predict(features[here], num_threads=1)
            scores.tofile(windows.folder / f"{window['name']}.{density}.{aspect}.scores")


if __name__ == "__main__":
    main()
