"""Answers plm.bench.mjs with mean vectors by transformers and PyTorch. Each line of standard input is a JSON command.

usage: python plm-peers.py MODEL_FOLDER
command: {"sequences": [...], "batch": 8, "threads": 1}; sequences are sorted by length and padded within a batch
or: {"product": [m, k, n]}: processor seconds of one product of int8 matrices
"""
import json
import resource
import sys

import torch
import transformers

folder = sys.argv[1]
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
tokenizer = transformers.EsmTokenizer(f"{folder}/vocab.txt")
model = transformers.EsmModel.from_pretrained(folder, add_pooling_layer=False).eval()
print(json.dumps({"versions": {"torch": torch.__version__, "transformers": transformers.__version__}}), flush=True)


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


@torch.inference_mode()
def embed(sequences, batch):
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    vectors = [None] * len(sequences)
    for first in range(0, len(order), batch):
        chosen = order[first : first + batch]
        inputs = tokenizer([sequences[i] for i in chosen], padding=len(chosen) > 1, return_tensors="pt")
        states = model(**inputs).last_hidden_state
        for row, i in enumerate(chosen):
            vectors[i] = states[row, 1 : 1 + len(sequences[i])].mean(0)
    return torch.stack(vectors)


def whole_numbers(rows, columns):
    return torch.randint(-127, 128, (rows, columns), dtype=torch.int8)


for line in sys.stdin:
    command = json.loads(line)
    torch.set_num_threads(command.get("threads", 1))
    if "product" in command:
        m, k, n = command["product"]
        left, right = whole_numbers(m, k), whole_numbers(n, k).t()
        cpu = used()
        torch._int_mm(left, right)
        print(json.dumps({"cpu": used() - cpu}), flush=True)
        continue
    cpu = used()
    vectors = embed(command["sequences"], command["batch"])
    print(json.dumps({"cpu": used() - cpu, "first": vectors[0].tolist()}), flush=True)
