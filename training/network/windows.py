"""Compares the ways to answer for a sequence longer than the widest window, on validation proteins that are longer.

usage: windows.py RUN DATA REPRESENTATIVES.fasta      (c80_rep_seq.fasta of make-data.sh; a minute on one processor)

The output for each choice is the Fmax of process, function and component, and the mean cross-entropy of a protein.
"""

import sys

import numpy as np
import torch
import torch.nn.functional as F

from export import read_weights, shipped
from model import PADDING
from ontology import ASPECTS
from parity import network_of
from prepare import LONGEST, encode, read_fasta
from proteins import Proteins
from validate import fmax

OVERLAP = LONGEST // 4


def window_starts(length):
    """Returns the starts of windows, as packages/kernels/src/network/windows.ts does."""
    count = -(-(length - OVERLAP) // (LONGEST - OVERLAP))
    return [round(i * (length - LONGEST) / (count - 1)) for i in range(count)]


@torch.no_grad()
def vector_of(network, codes):
    codes = np.pad(codes.astype(np.int64), (0, len(codes) % 2), constant_values=PADDING)
    return network.vectors(torch.from_numpy(codes)[None])[0]


@torch.no_grad()
def answers(network, sequence):
    """Returns the probabilities [terms] of each choice."""
    codes = np.concatenate([encode(sequence[i : i + LONGEST]) for i in range(0, len(sequence), LONGEST)])
    vectors = torch.stack([vector_of(network, codes[start : start + LONGEST]) for start in window_starts(len(codes))])
    each = torch.sigmoid(network.classify(vectors))
    return {
        'first window': each[0],
        'mean of vectors': torch.sigmoid(network.classify(vectors.mean(0))),
        'mean of probabilities': each.mean(0),
        'greatest probability': each.amax(0),
        'whole sequence': torch.sigmoid(network.classify(vector_of(network, codes))),
    }


def main():
    run, data, fasta = sys.argv[1:4]
    network = network_of(shipped(read_weights(run)[0]))
    proteins, sequences = Proteins(data, torch.device('cpu')), read_fasta(fasta)
    with open(f'{data}/representatives.txt') as lines:
        keys = lines.read().split()
    chosen = [place for place in proteins.validation if len(sequences[keys[place]]) > LONGEST]
    labels = proteins.labels(torch.as_tensor(chosen))
    found = [answers(network, sequences[keys[place]]) for place in chosen]
    print(len(chosen), 'proteins')
    for choice in found[0]:
        probabilities = torch.stack([answer[choice] for answer in found])
        scores = [fmax(probabilities[:, proteins.aspect == i], labels[:, proteins.aspect == i])[0] for i in range(len(ASPECTS))]
        loss = F.binary_cross_entropy(probabilities.clamp(1e-6, 1 - 1e-6), labels.float(), reduction='none').sum(1).mean()
        print(f'{choice:24}', *(f'{score:.3f}' for score in scores), f'{loss:.1f}')


if __name__ == '__main__':
    main()
