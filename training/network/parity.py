"""Writes what an implementation must reproduce, and measures what int8 costs: compares the exported weights with the trained ones on
this machine's processor.

usage: parity.py RUN DATA GOLDEN [--validation N]

GOLDEN (gzip) has for each sequence the vector and up to 40 probabilities, in float32 arithmetic with the exported (int8) weights.
The output is the largest change of a probability and of a vector that int8 causes, and with --validation the figures of both on N
validation proteins.
"""

import argparse
import gzip
import json
import os

import numpy as np
import torch

from export import read_weights, shipped
from model import PADDING, Network
from prepare import ALPHABET, encode
from proteins import Proteins
from train import term_frequencies
from validate import figures, predict

SEED = 11
LIKELIEST, DRAWN = 20, 20
LENGTHS = (30, 31, 32, 47, 64, 65, 84, 128, 167, 205, 271, 359, 456, 565, 867, 1266, 2047, 2048)


def network_of(weights):
    network = Network(len(weights['head.bias']))
    network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return network.eval()


@torch.no_grad()
def answer(network, sequence):
    """Returns the vector [512] and the probabilities [terms] of one sequence."""
    codes = encode(sequence).astype(np.int64)
    codes = np.pad(codes, (0, len(codes) % 2), constant_values=PADDING)
    logits, vectors = network(torch.from_numpy(codes)[None])
    return vectors[0].numpy(), torch.sigmoid(logits)[0].numpy()


def sequences_to_answer(proteins, random):
    """Returns validation proteins nearest to the wanted lengths, a random sequence, one of unusual letters, and one of a single
    repeated letter.
    """
    lengths = proteins.length[proteins.validation]
    found = []
    for wanted in LENGTHS:
        place = proteins.validation[np.argmin(np.abs(lengths - wanted))]
        codes = proteins.tokens(torch.tensor([place]), int(proteins.length[place]))[0]
        found.append(''.join(ALPHABET[code] for code in codes))
    drawn = ''.join(random.choice(list(ALPHABET[:20]), 205))
    unusual = ''.join(random.choice(list('ACDEFGHIKLMNPQRSTVWYXUOBZJ*'), 63))
    return list(dict.fromkeys([*found, drawn, unusual, 'Q' * 90]))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument('run')
    arguments.add_argument('data')
    arguments.add_argument('golden')
    arguments.add_argument('--validation', type=int, default=0)
    options = arguments.parse_args()
    trained, _ = read_weights(options.run)
    exact, small = network_of(trained), network_of(shipped(trained))
    proteins, random = Proteins(options.data, torch.device('cpu')), np.random.default_rng(SEED)
    with open(os.path.join(options.data, 'vocabulary.tsv')) as lines:
        terms = [line.split('\t')[0] for line in lines]

    rows, change, turn = [], 0.0, 0.0
    for sequence in sequences_to_answer(proteins, random):
        vector, probabilities = answer(small, sequence)
        exact_vector, exact_probabilities = answer(exact, sequence)
        change = max(change, float(np.abs(probabilities - exact_probabilities).max()))
        cosine = vector @ exact_vector / np.linalg.norm(vector) / np.linalg.norm(exact_vector)
        turn = max(turn, 1 - float(cosine))
        shown = np.union1d(np.argsort(-probabilities)[:LIKELIEST], random.choice(len(terms), DRAWN, replace=False))
        rows.append(
            {
                'sequence': sequence,
                'vector': [round(float(value), 6) for value in vector],
                'probabilities': {terms[i]: round(float(probabilities[i]), 6) for i in shown},
            }
        )
    with open(options.golden, 'wb') as file:
        file.write(gzip.compress(json.dumps(rows, separators=(',', ':')).encode(), mtime=0))
    print(f'{len(rows)} sequences; int8 changes a probability by at most {change:.4f}, a vector by a cosine distance of at most {turn:.5f}')

    if options.validation:
        chosen = np.sort(random.choice(proteins.validation, options.validation, replace=False))
        labels = proteins.labels(torch.as_tensor(chosen))
        frequencies = term_frequencies(proteins, proteins.training)
        for name, network in (('trained', exact), ('int8', small)):
            print(name, json.dumps(figures(predict(network, proteins, chosen), labels, frequencies, proteins.aspect)))


if __name__ == '__main__':
    main()
