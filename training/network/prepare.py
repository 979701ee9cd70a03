"""Makes labels, vocabulary, split and packed residues of a network from the output of make-data.sh.

usage: prepare.py DATA OUT --network {first,second}

first   labels of Swiss-Prot 2014; every cluster with one of test-accessions.txt.gz is left out.
second  all clusters; labels of Swiss-Prot 2014 joined with those of GOA 2019 (seven organisms, every evidence, no NOT).

In both, a representative of an 80 % cluster carries the joined labels of the cluster's members, closed over is_a and part_of; terms
with at least 25 representatives are the outputs. One in sixty of the 40 % families is kept for validation, the same families in
both networks: they are drawn among the families of the first. In the second network a drawn family is kept out of training as a
whole, even if it has test organisms, and its proteins carry joined labels, too; `swissprot` beside them keeps the labels of 2014
alone, so that both networks can be measured on the same terms and proteins.

OUT gets residues.z, data.npz, vocabulary.tsv, representatives.txt, data.json (sources and hashes).
"""

import argparse
import collections
import glob
import gzip
import hashlib
import json
import os
import zlib

import numpy as np

from ontology import ASPECTS, Ontology

HERE = os.path.dirname(os.path.abspath(__file__))
ONTOLOGY = os.path.join(HERE, '../../examples/go-basic-2022-07-01.obo.gz')
TEST_ACCESSIONS = os.path.join(HERE, 'test-accessions.txt.gz')
ALPHABET = 'ACDEFGHIKLMNPQRSTVWYXUOBZ'
UNKNOWN = ALPHABET.index('X')
LONGEST = 2048
FEWEST = 25
ONE_FAMILY_IN = 60
SEED = 5
TRAINING, VALIDATION, LEFT_OUT = 0, 1, 2


def read_clusters(path):
    """Returns the representative of each member."""
    with open(path) as lines:
        return {member: representative for representative, member in map(str.split, lines)}


def read_fasta(path):
    sequences, accession = {}, None
    with open(path) as lines:
        for line in lines:
            if line[0] == '>':
                accession = line[1:].split()[0]
                sequences[accession] = []
            else:
                sequences[accession].append(line.strip())
    return {accession: ''.join(parts) for accession, parts in sequences.items()}


def swissprot_pairs(path):
    with open(path) as lines:
        next(lines)
        for line in lines:
            accession, term, _ = line.split('\t')
            yield accession, term


def goa_files(data):
    return sorted(glob.glob(os.path.join(data, 'goa', 'GO.goa_*_2019.01.29.gz')))


def goa_pairs(path):
    """Yields the pairs of a GAF file without the rows that have NOT."""
    with gzip.open(path, 'rt', errors='replace') as lines:
        for line in lines:
            fields = line.split('\t')
            if line[0] != '!' and fields[0] == 'UniProtKB' and 'NOT' not in fields[3].split('|'):
                yield fields[1], fields[4]


def add_labels(labels, pairs, representative, ontology):
    """Adds each pair's term to its protein's representative. Returns how many pairs were used and how many were left out."""
    used = left = 0
    for accession, term in pairs:
        term = ontology.resolve(term)
        cluster = representative.get(accession)
        if term is None or cluster is None:
            left += 1
        else:
            labels[cluster].add(term)
            used += 1
    return used, left


def close(labels, ontology):
    return {key: frozenset().union(*map(ontology.closure, terms)) for key, terms in labels.items()}


def count_terms(closed):
    counts = collections.Counter()
    for terms in closed.values():
        counts.update(terms)
    return counts


def frequent(counts):
    return sorted(term for term, count in counts.items() if count >= FEWEST)


def pack_labels(keys, closed, index, ontology):
    """Packs only the most specific terms, as (terms, offsets), because the closure gives the others back."""
    terms, offsets = [], [0]
    for key in keys:
        carried = [term for term in closed.get(key, ()) if term in index]
        implied = set().union(*(ontology.closure(term) - {term} for term in carried))
        terms += sorted(index[term] for term in carried if term not in implied)
        offsets.append(len(terms))
    return np.array(terms, np.uint16), np.array(offsets, np.uint32)


def encode(sequence):
    return _CODES[np.frombuffer(sequence[:LONGEST].encode(), np.uint8)]


_CODES = np.full(256, UNKNOWN, np.uint8)
for _code, _letter in enumerate(ALPHABET):
    _CODES[ord(_letter)] = _code


def sha256(path):
    with open(path, 'rb') as file:
        return hashlib.file_digest(file, 'sha256').hexdigest()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument('data')
    arguments.add_argument('out')
    arguments.add_argument('--network', choices=['first', 'second'], required=True)
    options = arguments.parse_args()
    os.makedirs(options.out, exist_ok=True)
    source = lambda name: os.path.join(options.data, name)

    ontology = Ontology(ONTOLOGY)
    representative = read_clusters(source('c80_cluster.tsv'))
    family = read_clusters(source('c40_cluster.tsv'))
    sequences = read_fasta(source('c80_rep_seq.fasta'))
    with gzip.open(TEST_ACCESSIONS, 'rt') as lines:
        test_clusters = {representative[accession] for accession in lines.read().split() if accession in representative}

    labels = collections.defaultdict(set)
    used = {'swissprot': add_labels(labels, swissprot_pairs(source('swissprot-go.tsv')), representative, ontology)}
    swissprot = close(labels, ontology)
    swissprot_counts = count_terms(swissprot)
    swissprot_vocabulary = frequent(swissprot_counts)
    if options.network == 'second':
        for path in goa_files(options.data):
            used[os.path.basename(path)] = add_labels(labels, goa_pairs(path), representative, ontology)
        closed = close(labels, ontology)
        counts = count_terms(closed)
    else:
        closed, counts = swissprot, swissprot_counts
    vocabulary = frequent(counts)
    index = {term: i for i, term in enumerate(vocabulary)}

    def labelled(carried, known):
        return sorted((key for key in sequences if not known.isdisjoint(carried.get(key, ()))), key=lambda key: len(sequences[key]))

    keys = labelled(closed, set(vocabulary))
    families = sorted({family[key] for key in labelled(swissprot, set(swissprot_vocabulary))})
    chosen = set(np.random.default_rng(SEED).choice(families, size=len(families) // ONE_FAMILY_IN, replace=False))
    in_chosen = np.array([family[key] in chosen for key in keys])
    of_test_organism = np.array([key in test_clusters for key in keys])
    split = np.where(in_chosen, VALIDATION, TRAINING).astype(np.uint8)
    if options.network == 'first':
        split[of_test_organism] = LEFT_OUT

    terms, offsets = pack_labels(keys, closed, index, ontology)
    validation = np.flatnonzero(split == VALIDATION)
    swissprot_terms, swissprot_offsets = pack_labels([keys[i] for i in validation], swissprot, index, ontology)
    child, ancestor = np.array(
        [(index[term], index[above]) for term in vocabulary for above in ontology.closure(term) if above in index], np.uint16
    ).T
    order = np.lexsort((ancestor, child))
    first = set(swissprot_vocabulary)
    np.savez_compressed(
        os.path.join(options.out, 'data.npz'),
        length=np.array([min(len(sequences[key]), LONGEST) for key in keys], np.uint16),
        split=split,
        terms=terms,
        offsets=offsets,
        child=child[order],
        ancestor=ancestor[order],
        aspect=np.array([ASPECTS.index(ontology.aspect[term]) for term in vocabulary], np.uint8),
        swissprot_terms=swissprot_terms,
        swissprot_offsets=swissprot_offsets,
        in_first_vocabulary=np.array([term in first for term in vocabulary]),
        in_first_validation=~of_test_organism[validation],
    )
    # The packer uses Huffman codes alone, because codes of residues repeat little: it takes half the time and the same space.
    packer = zlib.compressobj(1, zlib.DEFLATED, -15, 9, zlib.Z_HUFFMAN_ONLY)
    with open(os.path.join(options.out, 'residues.z'), 'wb') as file:
        for key in keys:
            file.write(packer.compress(encode(sequences[key]).tobytes()))
        file.write(packer.flush())
    with open(os.path.join(options.out, 'vocabulary.tsv'), 'w') as file:
        file.writelines(f'{term}\t{ontology.aspect[term]}\t{counts[term]}\n' for term in vocabulary)
    with open(os.path.join(options.out, 'representatives.txt'), 'w') as file:
        file.writelines(f'{key}\n' for key in keys)

    inputs = ['swissprot.fasta', 'swissprot-go.tsv', 'c80_cluster.tsv', 'c80_rep_seq.fasta', 'c40_cluster.tsv']
    paths = [source(name) for name in inputs] + [ONTOLOGY, TEST_ACCESSIONS]
    if options.network == 'second':
        paths += goa_files(options.data)
    outputs = ['data.npz', 'residues.z', 'vocabulary.tsv', 'representatives.txt']
    facts = {
        'network': options.network,
        'representatives': len(keys),
        'residues': int(sum(min(len(sequences[key]), LONGEST) for key in keys)),
        'training': int((split == TRAINING).sum()),
        'validation': int((split == VALIDATION).sum()),
        'validation_of_first': int((~of_test_organism[validation]).sum()),
        'left_out': int((split == LEFT_OUT).sum()),
        'terms': {aspect: sum(ontology.aspect[term] == aspect for term in vocabulary) for aspect in ASPECTS},
        'terms_of_first': len(swissprot_vocabulary),
        'labels': int(sum(sum(term in index for term in closed[key]) for key in keys)),
        'pairs_used_and_left': used,
        'inputs_sha256': {os.path.basename(path): sha256(path) for path in paths},
        'outputs_sha256': {name: sha256(os.path.join(options.out, name)) for name in outputs},
    }
    with open(os.path.join(options.out, 'data.json'), 'w') as file:
        json.dump(facts, file, indent=1)
        file.write('\n')
    print(json.dumps(facts, indent=1))


if __name__ == '__main__':
    main()
