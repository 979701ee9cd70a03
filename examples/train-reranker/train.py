"""Trains a re-ranker on an exported dataset, and writes the files that the service imports: model.txt, spec.yaml, run.json.

usage: python train.py DATASET_FOLDER OUT_FOLDER [--name NAME] [--drop COLUMN ...] [--leaves 31] [--rate 0.05] [--seed 1]

DATASET_FOLDER has train.parquet, eval.parquet and manifest.json of one dataset. The script needs lightgbm, pandas and pyarrow in an
environment of your own (pip install lightgbm pandas pyarrow); the service itself needs none of them. The eval rows are used once,
at the end.
"""
import argparse
import hashlib
import json
import pathlib
import platform
import time

import lightgbm
import numpy
import pandas

# These columns are dropped, because coordinates of the query's vector name the protein, and the kind of annotation names the curators:
# neither says much about other organisms.
DROPPED = [f"emb_pca_query_{axis}" for axis in range(16)] + ["qualifier", "evidence_code"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--name", default="reranker")
    parser.add_argument("--drop", nargs="*", default=DROPPED, help="feature columns to leave out")
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def matrix(rows, columns):
    """Returns the features in the order of the manifest, with text columns as categories, which LightGBM writes into the model with
    their values.
    """
    table = rows[[column["name"] for column in columns]].copy()
    for column in columns:
        name = column["name"]
        table[name] = table[name].astype("category") if rows[name].dtype.kind not in "fiub" and column["type"] in ("STRING", "category") else table[name].astype("float64")
    return table


def held_out(accessions, seed):
    """Chooses a fifth of the proteins for early stopping, so that rows of one protein are never on both sides."""
    proteins = numpy.array(sorted(set(accessions)))
    chosen = numpy.random.default_rng(seed).permutation(proteins)[: len(proteins) // 5]
    return numpy.isin(accessions, chosen)


def average_precision(labels, scores):
    order = numpy.argsort(-scores, kind="stable")
    hits = labels[order] == 1
    if not hits.any():
        return None
    precision = numpy.cumsum(hits) / numpy.arange(1, len(hits) + 1)
    return float(precision[hits].mean())


def main():
    options = arguments()
    started = time.time()
    manifest = json.loads((options.dataset / "manifest.json").read_text())
    columns = [c for c in manifest["columns"] if c["role"] == "feature" and c["name"] not in options.drop]
    train = pandas.read_parquet(options.dataset / "train.parquet")
    test = pandas.read_parquet(options.dataset / "eval.parquet")
    features, validation = matrix(train, columns), held_out(train["protein_accession"].to_numpy(), options.seed)
    labels = train["label"].to_numpy()
    parameters = dict(
        objective="binary", num_leaves=options.leaves, learning_rate=options.rate, min_data_in_leaf=50, feature_fraction=0.8,
        bagging_fraction=0.8, bagging_freq=1, seed=options.seed, deterministic=True, force_row_wise=True, verbosity=-1,
    )
    fit = lightgbm.Dataset(features[~validation], labels[~validation])
    check = lightgbm.Dataset(features[validation], labels[validation], reference=fit)
    booster = lightgbm.train(parameters, fit, 2000, valid_sets=[check], callbacks=[lightgbm.early_stopping(50, verbose=False)])
    tested = matrix(test, columns)
    for name in tested.select_dtypes("category"):
        tested[name] = tested[name].cat.set_categories(features[name].cat.categories)
    scores = booster.predict(tested)
    metrics = {"best_iteration": booster.best_iteration, "validation_log_loss": booster.best_score["valid_0"]["binary_logloss"]}
    for category in ["nk", "lk", "pk"]:
        mine = (test["category"] == category).to_numpy()
        metrics[f"eval_average_precision_{category}"] = average_precision(test["label"].to_numpy()[mine], scores[mine])
        metrics[f"eval_average_precision_{category}_by_distance"] = average_precision(test["label"].to_numpy()[mine], -test["distance"].to_numpy()[mine])
    options.out.mkdir(parents=True, exist_ok=True)
    text = booster.model_to_string()
    (options.out / "model.txt").write_text(text)
    (options.out / "spec.yaml").write_text(f"# Trained on all categories, so no training.cell.\nmodel:\n  defaults: {json.dumps(parameters)}\ntraining:\n  seed: {options.seed}\n")
    importance = dict(zip(booster.feature_name(), map(float, booster.feature_importance("gain"))))
    (options.out / "run.json").write_text(json.dumps({
        "run_id": f"{options.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}",
        "status": "ok",
        "duration_s": round(time.time() - started, 1),
        "environment": {"python": platform.python_version(), "lightgbm": lightgbm.__version__},
        "dataset": {key: manifest[key] for key in ("name", "schema_sha", "k", "embedding_config_id", "ontology_snapshot_id") if key in manifest},
        "features": {"drop_features": options.drop, "feature_count": len(columns)},
        "split": {"strategy": "proteins", "n_train": int((~validation).sum()), "n_val": int(validation.sum()), "n_eval": len(test), "positive_rate_train": float(labels.mean())},
        "resolved_hparams": parameters,
        "metrics": metrics,
        "feature_importance": importance,
    }, indent=1))
    print(json.dumps(metrics, indent=1))


main()
