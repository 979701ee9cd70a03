"""Computes Fmax of families that training never saw, beside that of the terms' plain frequencies."""

import numpy as np
import torch

from ontology import ASPECTS
from prepare import LONGEST

THRESHOLDS = np.arange(0.02, 0.98, 0.02)
# The batches are large to fill a GPU; small ones have less padding, which is the cost on a processor.
BATCH_RESIDUES = {'cuda': 98_304, 'cpu': 4_096}


@torch.no_grad()
def predict(network, proteins, chosen):
    """Returns the probabilities (proteins, terms) of the places `chosen` (numpy), in their order."""
    network.eval()
    lengths = np.minimum(proteins.length[chosen], LONGEST)
    order = np.argsort(lengths, kind='stable')
    probabilities = torch.empty(len(chosen), proteins.terms, device=proteins.device)
    start, most = 0, BATCH_RESIDUES[proteins.device.type]
    while start < len(order):
        end = start + 1
        while end < len(order) and (end - start + 1) * lengths[order[end]] <= most and end - start < 256:
            end += 1
        places = order[start:end]
        width = (int(lengths[places].max()) + 63) // 64 * 64
        logits, _ = network(proteins.tokens(torch.as_tensor(chosen[places], device=proteins.device), width))
        probabilities[torch.as_tensor(places, device=proteins.device)] = torch.sigmoid(logits)
        start = end
    return probabilities


def fmax(probabilities, labels):
    """Returns the protein-centred Fmax and its threshold; proteins without a label do not count."""
    labelled = labels.any(1)
    probabilities, labels = probabilities[labelled], labels[labelled]
    best, at, sizes = 0.0, 0.0, labels.sum(1)
    for threshold in THRESHOLDS:
        called = probabilities >= threshold
        right = (called & labels).sum(1).float()
        answers = called.sum(1)
        answered = answers > 0
        if not answered.any():
            break
        precision, recall = (right[answered] / answers[answered]).mean(), (right / sizes).mean()
        f = (2 * precision * recall / (precision + recall).clamp(min=1e-9)).item()
        if f > best:
            best, at = f, float(threshold)
    return best, at, int(labelled.sum())


def figures(probabilities, labels, frequencies, aspect, terms=None):
    """Returns for each aspect Fmax, threshold, naive Fmax and number of proteins; `terms` (bool) narrows the vocabulary."""
    found = {}
    for number, letter in enumerate(ASPECTS):
        columns = aspect == number
        if terms is not None:
            columns = columns & terms
        mine, truth = probabilities[:, columns], labels[:, columns]
        score, threshold, count = fmax(mine, truth)
        naive, _, _ = fmax(frequencies[columns].expand_as(mine), truth)
        found[letter] = {'fmax': round(score, 4), 'threshold': round(threshold, 2), 'naive': round(naive, 4), 'proteins': count}
    return found


def validate(network, proteins, frequencies):
    """Returns two sets of figures: `all` has every validation protein with all labels and terms; `as_first` has the proteins, terms
    and labels of 2014 on which the first network is measured.
    """
    chosen = proteins.validation
    probabilities = predict(network, proteins, chosen)
    labels = proteins.labels(torch.as_tensor(chosen, device=proteins.device))
    shared = proteins.in_first_validation
    return {
        'all': figures(probabilities, labels, frequencies, proteins.aspect),
        'as_first': figures(
            probabilities[shared], proteins.swissprot_labels()[shared], frequencies, proteins.aspect, proteins.in_first_vocabulary
        ),
    }
