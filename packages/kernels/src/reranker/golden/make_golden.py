"""Trains twenty small models with LightGBM and writes them with inputs and LightGBM's own predictions.

usage: python make_golden.py        (needs `pip install lightgbm==4.7.0 pandas`; writes models/*.txt.gz and cases.json.gz)
"""
import gzip
import json
import pathlib

import lightgbm
import numpy
import pandas

HERE = pathlib.Path(__file__).parent
TRAIN, TEST = 900, 60
WORDS = {"colour": ["amber", "blue", "coral", "dune", "ecru", "fawn"], "shape": ["arc", "box", "cone", "disc"], "flag": [False, True]}
COMMON = dict(num_leaves=9, learning_rate=0.2, min_data_in_leaf=8, verbosity=-1, seed=7, num_threads=1, deterministic=True, force_row_wise=True)


def matrix(random, rows, missing=0.0, zeros=0.0):
    table = random.normal(size=(rows, 8))
    table[:, 3] = random.integers(0, 40, rows)  # The values are codes, which count as categories on request.
    table[:, 4] = random.integers(0, 5, rows)
    table[random.random(table.shape) < zeros] = 0
    table[random.random(table.shape) < missing] = numpy.nan
    return table


def signal(table):
    filled = numpy.nan_to_num(table, nan=1.5)
    return filled[:, 0] + filled[:, 1] * filled[:, 2] + numpy.sin(filled[:, 3]) + 0.3 * (filled[:, 4] == 2) + 0.5 * numpy.isnan(table[:, 5])


def frame(random, rows):
    table = pandas.DataFrame({"a": random.normal(size=rows), "b": random.normal(size=rows)})
    for name, values in WORDS.items():
        column = random.choice(numpy.array(values, dtype=object), rows)
        column[random.random(rows) < 0.1] = None
        table[name] = pandas.Categorical(column, categories=values)
    table["c"] = random.normal(size=rows)
    return table


def plain_list(values):
    return [None if isinstance(v, float) and numpy.isnan(v) else (v.item() if hasattr(v, "item") else v) for v in values]


CASES = []


def case(name, parameters, target, *, missing=0.0, zeros=0.0, categorical="auto", rounds=12, group=None, odd=(), limit=None):
    random = numpy.random.default_rng(len(CASES) + 100)
    train, test = matrix(random, TRAIN, missing, zeros), matrix(random, TEST, missing, zeros)
    for row, value in enumerate(odd):  # The next rows have values that training never saw.
        test[row, :] = value
    labels = target(signal(train), random)
    data = lightgbm.Dataset(train, labels, group=group, categorical_feature=categorical, params=COMMON | parameters, free_raw_data=False)
    write(name, lightgbm.train(COMMON | parameters, data, rounds), test, test, limit)


def write(name, booster, table, rows, limit):
    with gzip.GzipFile(HERE / "models" / f"{name}.txt.gz", "wb", mtime=0) as handle:
        handle.write(booster.model_to_string().encode())
    as_lists = lambda values: numpy.asarray(values).reshape(TEST, -1).tolist()
    expected = {
        "predictions": as_lists(booster.predict(table)),
        "raw": as_lists(booster.predict(table, raw_score=True)),
        "leaves": numpy.asarray(booster.predict(table, pred_leaf=True)).astype(int).tolist(),
    }
    if limit:
        expected |= {"limit": limit, "limited": as_lists(booster.predict(table, num_iteration=limit))}
    if isinstance(rows, pandas.DataFrame):
        rows = [plain_list(row) for row in rows.astype(object).where(rows.notna(), numpy.nan).itertuples(index=False)]
    else:
        rows = [["NaN" if numpy.isnan(v) else v for v in row] for row in rows.tolist()]
    CASES.append({"name": name, "rows": rows, **expected})


above = lambda level: lambda s, random: (s + random.normal(size=s.size) > level).astype(int)
value = lambda s, random: s + 0.1 * random.normal(size=s.size)
positive = lambda s, random: numpy.exp(0.3 * s) + 0.01
counts = lambda s, random: random.poisson(numpy.exp(0.3 * s))
classes = lambda s, random: numpy.digitize(s, [-0.7, 0.7])
share = lambda s, random: 1 / (1 + numpy.exp(-s))
bag = dict(bagging_fraction=0.7, bagging_freq=1, feature_fraction=0.8)
ODD = (1e-36, -1e-36, 0.0, -0.0, 1e300, -1e300, 1e-34, -0.5, 0.5, 2147483648.0, 31.0, 32.0)

case("binary", dict(objective="binary"), above(0), limit=5)
case("binary-sigmoid", dict(objective="binary", sigmoid=2.5), above(0.5), odd=ODD)
case("binary-missing-nan", dict(objective="binary"), above(0), missing=0.2, odd=ODD)
case("binary-missing-zero", dict(objective="binary", zero_as_missing=True), above(0), missing=0.1, zeros=0.3, odd=ODD)
case("binary-missing-off", dict(objective="binary", use_missing=False), above(0), missing=0.2, zeros=0.2, odd=ODD)
case("binary-categories", dict(objective="binary", min_data_per_group=5, cat_smooth=1), above(0), missing=0.1, categorical=[3, 4], odd=ODD, rounds=20)
case("binary-dart", dict(objective="binary", boosting="dart", drop_rate=0.3), above(0), missing=0.1, limit=4)
case("binary-goss", dict(objective="binary", data_sample_strategy="goss"), above(0), missing=0.1)
case("binary-forest", dict(objective="binary", boosting="rf", **bag), above(0), missing=0.1, limit=3)
case("regression", dict(objective="regression"), value, limit=1)
case("regression-sqrt", dict(objective="regression", reg_sqrt=True), value, missing=0.1)
case("regression-forest", dict(objective="regression", boosting="rf", **bag), value, limit=7)
case("quantile", dict(objective="quantile", alpha=0.7), value)
case("poisson", dict(objective="poisson"), counts, missing=0.1)
case("gamma", dict(objective="gamma"), positive)
case("tweedie", dict(objective="tweedie", tweedie_variance_power=1.3), positive)
case("cross-entropy", dict(objective="cross_entropy"), share, missing=0.1)
case("cross-entropy-lambda", dict(objective="cross_entropy_lambda"), share)
case("multiclass", dict(objective="multiclass", num_class=3), classes, missing=0.1, limit=3)
case("multiclass-ova", dict(objective="multiclassova", num_class=3, sigmoid=1.7), classes, categorical=[4])
case("lambdarank", dict(objective="lambdarank"), lambda s, random: numpy.digitize(s, [0, 1, 2]), group=[30] * 30)
case("no-split", dict(objective="binary", min_data_in_leaf=500), above(0), rounds=3)

random = numpy.random.default_rng(5)
train, test = frame(random, TRAIN), frame(random, TEST)
score = train["a"] + (train["colour"] == "coral") * 2 - (train["shape"] == "box") + (train["flag"] == True) * train["b"]  # noqa: E712
parameters = COMMON | dict(objective="binary", min_data_per_group=5, cat_smooth=1, max_cat_to_onehot=2)
booster = lightgbm.train(parameters, lightgbm.Dataset(train, (score > 0.5).astype(int), params=parameters), 15)
write("binary-pandas", booster, test, test, None)

with gzip.GzipFile(HERE / "cases.json.gz", "wb", mtime=0) as handle:
    handle.write(json.dumps({"lightgbm": lightgbm.__version__, "cases": CASES}, separators=(",", ":")).encode())
print(f"LightGBM {lightgbm.__version__}: {len(CASES)} models")
