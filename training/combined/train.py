"""Trains the combination: one LightGBM model for each aspect, with each organism left out in turn, and with all together.

usage: python train.py FEATURES_FOLDER OUT_FOLDER [--only FOLD ...]

FEATURES_FOLDER is the output of features.mjs. OUT_FOLDER gets <fold>.<aspect>.txt, where a fold is named after the organism whose
windows it never saw (`yeast`), after two (`ecoli+yeast`, by which the votes' share for one of them is chosen), or `all`. Half of
the proteins of 2018 come with unknown evidence groups of their electronic annotations, as in their source, and half with the groups
of 2020, so that the model serves both. A fold that is tested on windows of 2018 to 2020 is trained on windows of 2018 to 2020 only;
`ecoli-2020`, which is tested on what was found after 2020, is trained on everything before except E. coli; `all` has every window.
If features.mjs wrote rows of concealed terms, a fold has those of its organisms and dates. requirements.txt has the versions.
"""
import argparse
import itertools
import json
import pathlib
import re

import lightgbm
import numpy

PARAMETERS = dict(
    objective="binary", num_leaves=15, min_data_in_leaf=150, learning_rate=0.06, feature_fraction=0.7, bagging_fraction=0.8, bagging_freq=1,
    lambda_l2=5, deterministic=True, force_row_wise=True, num_threads=1, max_bin=127, seed=1, verbosity=-1,
)
ROUNDS = 150
NEGATIVES = 0.35
# These features can only support a term when their values are larger.
INCREASING = re.compile(r"^(align_(votes|donors|identity|share)_|distance_votes_|own_(electronic|groups|phylogenetic|similarity|signature|vocabulary|rule)$|parents_|profile_|given_)")
# These lines of a LightGBM tree are needed by neither predictions nor contributions.
LEFT_OUT = re.compile(r"^(split_gain|leaf_weight|internal_value|internal_weight|is_linear|shrinkage)=")


def read(folder, window, variant, aspect, width):
    name = f"{window}.{variant}.{aspect}" if variant else f"{window}.{aspect}"
    rows = numpy.fromfile(folder / f"{name}.rows", numpy.int32).reshape(-1, 4)
    features = numpy.fromfile(folder / f"{name}.features", numpy.float32).reshape(-1, width)
    weights = numpy.fromfile(folder / f"{name}.weights", numpy.float32)
    return features, rows[:, 2], weights, rows[:, 0], rows[:, 3]


def below(value):
    """Returns the largest float32 that is not above the value."""
    rounded = numpy.float32(value)
    return rounded if float(rounded) <= value else numpy.nextafter(rounded, numpy.float32(-numpy.inf))


def short_threshold(text):
    """Returns the shortest number that parts the features, which are float32, at the same place."""
    value = float(text)
    every = (f"{value:.{digits}g}" for digits in range(1, 18))
    return next(short for short in every if below(float(short)) == below(value))


# Numbers are written as short as the features and the scores need.
SHORTER = {"threshold": short_threshold, "leaf_value": lambda text: f"{float(text):.8g}"}


def short_line(line):
    name, _, values = line.partition("=")
    return f"{name}={' '.join(map(SHORTER[name], values.split()))}" if name in SHORTER else line


def shortened(text):
    """Returns the model without the lines that only LightGBM reads, with short numbers; sizes of the trees are counted again."""
    head, *trees = re.split(r"(?=^Tree=\d+$)", text, flags=re.M)
    last, end = re.split(r"(?=^end of trees$)", trees[-1], flags=re.M)
    trees[-1] = last
    trees = ["\n".join(short_line(line) for line in tree.split("\n") if not LEFT_OUT.match(line)) for tree in trees]
    trees = [re.sub(r"\n+$", "\n\n\n", tree) for tree in trees]
    head = re.sub(r"^tree_sizes=.*$", "tree_sizes=" + " ".join(str(len(tree)) for tree in trees), head, flags=re.M)
    return head + "".join(trees) + re.sub(r"\nparameters:.*?end of parameters\n", "\n", end, flags=re.S)


def train(folder, parts, aspect, columns, used, options):
    random = numpy.random.default_rng(1)
    features, labels, weights, categories, proteins = [], [], [], [], []
    for window, variant, share in parts:
        x, y, w, protein, category = read(folder, window, variant, aspect, len(columns))
        # The negatives of concealed rows are all kept, because some were left out when the rows were written.
        negatives = 1 if window.startswith("concealed") else NEGATIVES
        kept = ((y == 1) | (random.random(len(y)) < negatives)) & numpy.isin(protein % 2, share)
        features.append(x[kept][:, used])
        labels.append(y[kept])
        weights.append(w[kept])
        categories.append(category[kept])
        proteins.append(len(numpy.unique(protein)))
    names = [columns[i] for i in used]
    weight, category = numpy.concatenate(weights), numpy.concatenate(categories)
    sums = numpy.array([weight[category == c].sum() for c in range(3)])
    weight *= ((sums.sum() / 3 / numpy.maximum(sums, 1)) ** options.balance)[category]
    data = lightgbm.Dataset(numpy.concatenate(features), numpy.concatenate(labels), weight=weight, feature_name=names)
    constraints = [1 if INCREASING.match(name) else 0 for name in names]
    return lightgbm.train({**options.parameters, "monotone_constraints": constraints}, data, options.rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--variants", default="plain,grouped")
    parser.add_argument("--drop", nargs="*", default=[])
    parser.add_argument("--balance", type=float, default=0.5, help="1: NK, LK and PK weigh the same; 0: as many as there are")
    parser.add_argument("--set", nargs="*", default=[], help="name=value of a LightGBM parameter, or rounds=")
    options = parser.parse_args()
    index = json.loads((options.folder / "index.json").read_text())
    columns = index["features"]
    used = [i for i, name in enumerate(columns) if name not in options.drop]
    options.parameters, options.rounds = dict(PARAMETERS), ROUNDS
    for text in options.set:
        name, value = text.split("=")
        if name == "rounds":
            options.rounds = int(value)
        else:
            options.parameters[name] = json.loads(value)
    windows = index["windows"] + index.get("concealed", [])
    early = [w for w in windows if w["before"] == 2018]
    variants = options.variants.split(",")
    options.out.mkdir(parents=True, exist_ok=True)
    organisms = ["yeast", "worm", "dicty", "ecoli"]
    folds = {organism: [w for w in early if w["organism"] != organism] for organism in organisms}
    for pair in itertools.combinations(sorted(organisms), 2):
        folds["+".join(pair)] = [w for w in early if w["organism"] not in pair]
    folds["ecoli-2020"] = [w for w in windows if w["organism"] != "ecoli"]
    folds["all"] = windows
    for fold, seen in folds.items():
        if options.only and fold not in options.only:
            continue
        for aspect in index["aspects"]:
            parts = []
            for window in seen:
                used_variants = variants if window in early else ["plain"]
                for number, variant in enumerate(used_variants):
                    share = [0, 1] if len(used_variants) == 1 else [number]
                    parts.append((window["name"], "" if variant == "plain" else variant, share))
            booster = train(options.folder, parts, aspect, columns, used, options)
            text = shortened(booster.model_to_string())
            (options.out / f"{fold}.{aspect}.txt").write_text(text)
            gains = sorted(zip(booster.feature_importance("gain"), booster.feature_name()), reverse=True)
            total = sum(gain for gain, _ in gains)
            if fold in ("all", "ecoli"):
                print(fold, aspect, len(text), "bytes;", ", ".join(f"{name} {gain / total:.2f}" for gain, name in gains[:12]), flush=True)


if __name__ == "__main__":
    main()
