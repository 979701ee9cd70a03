"""Times faiss (IndexFlat) and numpy on the vectors of search.bench.mjs; prints one JSON object.

usage: python search-peers.py REFS QUERIES DIMENSION K THREADS METRIC
"""
import json
import os
import sys
import time

refs_path, queries_path, dimension, k, threads, metric = sys.argv[1:]
dimension, k, threads = int(dimension), int(k), int(threads)
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
import numpy as np  # noqa: E402  (after the thread settings)

refs = np.fromfile(refs_path, np.float32).reshape(-1, dimension)
queries = np.fromfile(queries_path, np.float32).reshape(-1, dimension)
if metric == "cosine":
    unit_refs = refs / np.linalg.norm(refs, axis=1, keepdims=True)
    unit_queries = queries / np.linalg.norm(queries, axis=1, keepdims=True)
else:
    unit_refs, unit_queries = refs, queries
result = {"peers": {}}


def timed(name, run, repeats):
    best = None
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        spent = (time.perf_counter() - wall, time.process_time() - cpu)
        best = spent if best is None or spent[0] < best[0] else best
    result["peers"][name] = {"wallSeconds": best[0], "cpuSeconds": best[1]}


try:
    import faiss

    faiss.omp_set_num_threads(threads)
    index = faiss.IndexFlatIP(dimension) if metric == "cosine" else faiss.IndexFlatL2(dimension)
    index.add(unit_refs)
    timed("faiss", lambda: result.__setitem__("faissNeighbours", index.search(unit_queries, k)[1]), 3)
    result["faissNeighbours"] = result["faissNeighbours"].tolist()
    result["faissVersion"] = faiss.__version__
    del index
except ImportError:
    pass


def as_services_do():
    """All distances of a slice of queries, then argpartition and a sort of the k best."""
    for first in range(0, len(queries), 100):
        part = unit_queries[first : first + 100]
        scores = part @ unit_refs.T
        if metric == "l2":
            scores = 2 * scores - norms
        best = np.argpartition(-scores, k, axis=1)[:, :k]
        np.take_along_axis(best, np.argsort(-np.take_along_axis(scores, best, 1), axis=1), 1)


norms = (refs.astype(np.float32) ** 2).sum(1) if metric == "l2" else None
timed("numpy", as_services_do, 1)
print(json.dumps(result))
