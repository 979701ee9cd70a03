"""Times parasail on the pairs of alignment.bench.mjs: as services call it (traced alignment, strings counted in Python), and by its
fastest way to the counts (score, matches, similar residues and length, no gaps) in 16 bits.

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
answer = {"wallSeconds": time.perf_counter() - wall, "cpuSeconds": time.process_time() - cpu, "rows": rows}


def counted(way):
    """Returns the processor seconds of one way to the counts."""
    function = getattr(parasail, f"{'nw' if mode == 'global' else 'sw'}_stats_{way}_16")
    before = time.process_time()
    for q, t in zip(data["query"], data["target"]):
        result = function(sequences[q], sequences[t], 10, 1, matrix)
        _ = result.score, result.matches, result.similar, result.length
    return time.process_time() - before


# Profiles of queries are left out, because the counts with them crash parasail 1.3.4.
seconds = {way: counted(way) for way in ("striped", "scan", "diag")}
answer["countsBy"] = min(seconds, key=seconds.get)
answer["countsCpuSeconds"] = seconds[answer["countsBy"]]
print(json.dumps(answer))
