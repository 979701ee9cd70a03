"""Answers search.bench.mjs by faiss (IndexFlat) and numpy on the same vectors. Each line of standard input is a JSON command.

usage: python search-peers.py REFS QUERIES DIMENSION THREADS METRIC
commands: {"peer": "faiss" or "numpy", "k": 5}
"""
import json
import os
import resource
import sys
import time

refs_path, queries_path, dimension, threads, metric = sys.argv[1:]
dimension, threads = int(dimension), int(threads)
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
import numpy as np  # noqa: E402  (after the thread settings)

refs = np.fromfile(refs_path, np.float32).reshape(-1, dimension)
queries = np.fromfile(queries_path, np.float32).reshape(-1, dimension)
if metric == "cosine":
    for rows in (refs, queries):
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
norms = np.einsum("ij,ij->i", refs, refs) if metric == "l2" else None

try:
    import faiss

    faiss.omp_set_num_threads(threads)
    index = faiss.IndexFlatIP(dimension) if metric == "cosine" else faiss.IndexFlatL2(dimension)
    index.add(refs)
except ImportError:
    index = None


def with_numpy(k):
    """Searches as services do: all distances of a slice of queries, then argpartition and a sort of the k best."""
    found = []
    for first in range(0, len(queries), 100):
        scores = queries[first : first + 100] @ refs.T
        if metric == "l2":
            scores = 2 * scores - norms
        best = np.argpartition(-scores, k, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(scores, best, 1), axis=1)
        found.append(np.take_along_axis(best, order, 1))
    return np.vstack(found)


versions = {"numpy": np.__version__, "faiss": faiss.__version__ if index else None}
print(json.dumps({"versions": versions}), flush=True)
for line in sys.stdin:
    command = json.loads(line)
    k = command["k"]
    wall, cpu = time.perf_counter(), time.process_time()
    found = index.search(queries, k)[1] if command["peer"] == "faiss" else with_numpy(k)
    answer = {"wallSeconds": time.perf_counter() - wall, "cpuSeconds": time.process_time() - cpu}
    answer["peakBytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    answer["neighbours"] = found.tolist()
    print(json.dumps(answer), flush=True)
