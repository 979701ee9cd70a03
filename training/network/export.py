"""Writes trained weights as the product reads them: int8 matrices with a scale for each row, everything else float32.

usage: export.py RUN DATA OUT [--date DATE]      RUN: folder of train.py; DATA: folder of prepare.py

OUT/weights.bin    little-endian, each tensor at a multiple of 4 bytes. A matrix [rows, columns]: float32 scales [rows], then int8
[rows, columns];
                   a weight is its int8 times the scale of its row. A vector: float32.
OUT/layout.json    shape, type and place of each tensor, and what the network needs besides.
OUT/vocabulary.tsv term, aspect, number of representatives that carry it, in the order of the outputs.
OUT/validation.txt representatives of the families that training never saw: a network may be tested on them.
OUT/provenance.json
"""

import argparse
import datetime
import json
import os
import shutil

import numpy as np

import model
from prepare import ALPHABET, LONGEST, UNKNOWN, VALIDATION, sha256

SHORTEST = 30


def read_weights(run):
    """Returns a float32 array for each name, and the facts of the run in weights.json."""
    with open(os.path.join(run, 'weights.json')) as file:
        facts = json.load(file)
    flat = np.concatenate([np.fromfile(os.path.join(run, f'weights-{i}.f16'), '<f2') for i in range(2)]).astype(np.float32)
    weights, start = {}, 0
    for name, shape in facts.pop('tensors'):
        size = int(np.prod(shape))
        weights[name] = flat[start : start + size].reshape(shape)
        start += size
    if start != len(flat):
        raise ValueError(f'{run}: weights.json names {start} weights, the files hold {len(flat)}')
    if not np.isfinite(flat).all():
        raise ValueError(f'{run}: a weight is not finite')
    return weights, facts


def quantize(matrix):
    """Returns int8 [rows, columns] and float32 scales [rows]; the largest weight of a row becomes 127."""
    scales = (np.abs(matrix).max(1) / 127).astype('<f4')
    safe = np.where(scales > 0, scales, 1)
    return np.rint(matrix / safe[:, None]).astype(np.int8), scales


def restore(matrix):
    """Returns the float32 matrix that a reader of the int8 one works with."""
    values, scales = quantize(matrix)
    return values.astype(np.float32) * scales[:, None]


def shipped(weights):
    return {name: restore(array) if array.ndim == 2 else array for name, array in weights.items()}


def write_weights(weights, path):
    tensors, place = [], 0
    with open(path, 'wb') as file:
        for name, array in weights.items():
            parts = [array.astype('<f4')]
            if array.ndim == 2:
                values, scales = quantize(array)
                parts = [scales, values]
            kind = 'int8' if array.ndim == 2 else 'float32'
            tensors.append({'name': name, 'shape': list(array.shape), 'type': kind, 'offset': place})
            content = b''.join(part.tobytes() for part in parts)
            place += file.write(content + bytes(-len(content) % 4))
    return tensors


def layout(tensors):
    return {
        'format': 1,
        'alphabet': ALPHABET,
        'unknown': UNKNOWN,
        'padding': model.PADDING,
        'shortest': SHORTEST,
        'longest': LONGEST,
        'heads': model.HEADS,
        'poolHeads': model.POOL_HEADS,
        'usualLogLength': model.USUAL_LOG_LENGTH,
        'tensors': tensors,
    }


def write_json(path, content):
    with open(path, 'w') as file:
        json.dump(content, file, indent=2)
        file.write('\n')


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument('run')
    arguments.add_argument('data')
    arguments.add_argument('out')
    arguments.add_argument('--date', default=datetime.date.today().isoformat(), help='of the training')
    options = arguments.parse_args()
    os.makedirs(options.out, exist_ok=True)
    target = lambda name: os.path.join(options.out, name)

    weights, facts = read_weights(options.run)
    with open(os.path.join(options.data, 'data.json')) as file:
        data = json.load(file)
    if len(weights['head.bias']) != sum(data['terms'].values()):
        raise ValueError(f'{options.data} is not the data of {options.run}: another number of terms')
    write_json(target('layout.json'), layout(write_weights(weights, target('weights.bin'))))
    shutil.copy(os.path.join(options.data, 'vocabulary.tsv'), target('vocabulary.tsv'))
    with open(os.path.join(options.data, 'representatives.txt')) as lines:
        split = np.load(os.path.join(options.data, 'data.npz'))['split']
        kept = sorted(line for line, part in zip(lines, split) if part == VALIDATION)
    with open(target('validation.txt'), 'w') as file:
        file.writelines(kept)
    files = ['weights.bin', 'vocabulary.tsv', 'validation.txt']
    write_json(
        target('provenance.json'),
        {
            'what': f'The {data["network"]} network: a vector of {model.VECTOR} and probabilities of GO terms from a sequence',
            'made_by': 'training/network: make-data.sh, prepare.py, train.py, export.py',
            'date': options.date,
            'weights': sum(int(array.size) for array in weights.values()),
            **facts,
            'data': data,
            'sha256': {name: sha256(target(name)) for name in files},
            'licence_of_inputs': 'UniProt and GO annotations: CC BY 4.0',
            'cite': [
                'UniProtKB/Swiss-Prot, release of January 2014 (UniProt Consortium)',
                'Gene Ontology Annotation database (EMBL-EBI), release of 2019-01-14',
                'Gene Ontology, release of 2022-07-01',
            ],
        },
    )
    print(os.path.getsize(target('weights.bin')), 'bytes of weights')


if __name__ == '__main__':
    main()
