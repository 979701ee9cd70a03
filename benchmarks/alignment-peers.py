"""Times parasail as services call it (traced alignment, strings counted in Python) on the pairs of alignment.bench.mjs.

usage: python alignment-peers.py PAIRS.json MODE   (MODE: global or local); prints one JSON object
"""
import json
import sys
import time

import parasail

with open(sys.argv[1]) as handle:
    data = json.load(handle)
mode = sys.argv[2]
align = parasail.nw_trace_striped_32 if mode == "global" else parasail.sw_trace_striped_32
matrix = parasail.blosum62
letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*"
positive = {(a, b) for a in letters for b in letters if matrix.matrix[matrix.mapper[ord(a)]][matrix.mapper[ord(b)]] > 0}


def fields(result):
    trace = result.traceback
    identical = similar = gaps = 0
    for a, b in zip(trace.query, trace.ref):
        if a == "-" or b == "-":
            gaps += 1
            continue
        identical += a == b
        similar += (a, b) in positive
    return [result.score, identical, similar, gaps, len(trace.query)]


sequences = data["sequences"]
wall, cpu = time.perf_counter(), time.process_time()
rows = [fields(align(sequences[q], sequences[t], 10, 1, matrix)) for q, t in zip(data["query"], data["target"])]
print(json.dumps({"wallSeconds": time.perf_counter() - wall, "cpuSeconds": time.process_time() - cpu, "rows": rows}))
