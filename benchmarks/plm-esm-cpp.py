"""Answers plm.bench.mjs with mean vectors by esm-cpp. Each line of standard input is a JSON command.

usage: python plm-esm-cpp.py MODEL_FOLDER float32|int8
command: {"sequences": [...], "batch": 1}

esm-cpp has no setting for threads and takes one for each processor that it sees, so it is bound to one processor. Its packed batches
(more than 1) give only the head's output, so they answer without vectors, and their time contains that of the head.
"""
import json
import os
import resource
import sys

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import esm_cpp  # noqa: E402
import numpy as np  # noqa: E402

folder, weights = sys.argv[1:]
tokenizer = esm_cpp.Tokenizer()
model = esm_cpp.Model.load_from_safetensors(f"{folder}/model.safetensors")
if weights == "int8":
    model.quantize_weights()
print(json.dumps({"versions": {"esm-cpp": esm_cpp.__version__, "kernels": esm_cpp.current_isa()}}), flush=True)


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def embed(sequences, batch):
    ids = [np.asarray(tokenizer.encode(sequence), dtype=np.int32) for sequence in sequences]
    if batch == 1:
        return [model.forward_with_hidden_states(one)[1][-1][1:-1].mean(0) for one in ids]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    for first in range(0, len(order), batch):
        model.forward_batch([ids[i] for i in order[first : first + batch]])
    return None


for line in sys.stdin:
    command = json.loads(line)
    cpu = used()
    vectors = embed(command["sequences"], command["batch"])
    cpu = used() - cpu
    print(json.dumps({"cpu": cpu, "first": vectors and vectors[0].tolist()}), flush=True)
