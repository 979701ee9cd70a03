"""Writes parasail.tsv: pairs and what parasail's traced alignment says of them. Needs `pip install parasail==1.3.4`.

usage: python make_golden.py ../../../../../examples > parasail.tsv
"""
import gzip
import pathlib
import random
import sys

import parasail

MATRIX = parasail.blosum62
LETTERS = "ARNDCQEGHILKMFPSTWYV"
random.seed(20220701)


def read_fasta(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as handle:
        return ["".join(record.split("\n")[1:]) for record in handle.read().split(">")[1:]]


def noise(length, letters=LETTERS):
    return "".join(random.choice(letters) for _ in range(length))


def relative(sequence, rate):
    out = []
    for letter in sequence:
        roll = random.random()
        if roll < rate * 0.06:
            out.append(noise(random.randint(1, 12)))
        elif roll < rate * 0.12:
            continue
        out.append(random.choice(LETTERS) if random.random() < rate else letter)
    return "".join(out) or "A"


def pairs(examples):
    real = [s for s in read_fasta(examples / "queries.fasta") + read_fasta(examples / "reference.fasta.gz") if 30 <= len(s) <= 260]
    for _ in range(60):  # These pairs are real and unrelated.
        yield random.choice(real), random.choice(real)
    for _ in range(120):  # These pairs are real sequences and mutated copies, from near to far.
        parent = random.choice(real)
        yield parent, relative(parent, random.uniform(0, 0.9))
    for _ in range(120):  # Sequences of few letters have many alignments of the same score.
        letters = random.choice(["AS", "WV", "ILVM", "DENQ", "KR", "AAAAAG", "X", "UXBZJO*A"])
        yield noise(random.randint(1, 60), letters), noise(random.randint(1, 60), letters)
    for _ in range(60):  # These pairs are very short sequences against any others.
        yield noise(random.randint(1, 4)), noise(random.randint(1, 40))
    for _ in range(40):  # These pairs have repeats.
        unit = noise(random.randint(2, 9))
        yield relative(unit * random.randint(2, 12), 0.1), relative(unit * random.randint(2, 12), 0.1)


def score(a, b):
    return int(MATRIX.matrix[MATRIX.mapper[ord(a)]][MATRIX.mapper[ord(b)]])


def fields(result):
    trace = result.traceback
    columns = list(zip(trace.query, trace.ref))
    paired = [(a, b) for a, b in columns if a != "-" and b != "-"]
    return [
        result.score,
        sum(a == b for a, b in paired),
        sum(score(a, b) > 0 for a, b in paired),
        len(columns) - len(paired),
        len(columns),
    ]


print("mode", "query", "target", "score", "identical", "similar", "gaps", "length", sep="\t")
for query, target in pairs(pathlib.Path(sys.argv[1])):
    for mode, align in (("global", parasail.nw_trace_striped_32), ("local", parasail.sw_trace_striped_32)):
        result = align(query, target, 10, 1, MATRIX)
        values = [0] * 5 if mode == "local" and result.score <= 0 else fields(result)
        print(mode, query, target, *values, sep="\t")
