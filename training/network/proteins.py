"""Packed proteins on the device. Windows of residues and labels of any batch are made there without a wait for the host."""

import os
import zlib

import numpy as np
import torch

from model import PADDING
from prepare import TRAINING, UNKNOWN, VALIDATION

AMINO_ACIDS = 20


class Proteins:
    """The proteins. `length` and `split` are numpy arrays with one entry for each protein, ordered by length; `terms` is the number of
    outputs; `aspect` is a tensor, 0 to 2 for each term.
    """

    def __init__(self, folder, device):
        data = np.load(os.path.join(folder, 'data.npz'))
        with open(os.path.join(folder, 'residues.z'), 'rb') as file:
            residues = np.frombuffer(zlib.decompress(file.read(), -15), np.uint8).copy()
        self.device = device
        self.length = data['length'].astype(np.int64)
        self.split = data['split']
        if len(residues) != self.length.sum():
            raise ValueError(f'{folder}: residues.z and data.npz are not of the same run')
        self._residues = torch.from_numpy(residues).to(device)
        self._lengths = torch.from_numpy(self.length).to(device)
        self._starts = torch.cumsum(self._lengths, 0) - self._lengths
        self.terms = len(data['aspect'])
        self.aspect = torch.from_numpy(data['aspect'].astype(np.int64)).to(device)
        # The terms are padded by one column that no closure reads, and to a multiple of 8, which matrix units need.
        self._columns = (self.terms + 8) // 8 * 8
        number = torch.bfloat16 if device.type == 'cuda' else torch.float32
        self._closure = torch.zeros(self._columns, self._columns, dtype=number, device=device)
        child, ancestor = (torch.from_numpy(data[name].astype(np.int64)).to(device) for name in ('child', 'ancestor'))
        self._closure[child, ancestor] = 1
        if device.type == 'cpu':
            # The matrix is sparse on processors, because nearly all of it is 0, which matrix units do not mind and processors do.
            self._closure = self._closure.to_sparse_csr()
        self._of_aspect = torch.nn.functional.one_hot(self.aspect, 3).to(number)
        self._specific = self._table(data['terms'], data['offsets'])
        self._swissprot = self._table(data['swissprot_terms'], data['swissprot_offsets'])
        self.in_first_vocabulary = torch.from_numpy(data['in_first_vocabulary']).to(device)
        self.in_first_validation = torch.from_numpy(data['in_first_validation']).to(device)

    @property
    def training(self):
        return np.flatnonzero(self.split == TRAINING)

    @property
    def validation(self):
        return np.flatnonzero(self.split == VALIDATION)

    def _table(self, terms, offsets):
        """Returns each protein's most specific terms as a row, filled up with the column that means none."""
        counts = np.diff(offsets.astype(np.int64))
        table = np.full((len(counts), max(1, counts.max(initial=1))), self.terms, np.int16)
        rows = np.repeat(np.arange(len(counts)), counts)
        places = np.arange(len(terms)) - np.repeat(offsets[:-1].astype(np.int64), counts)
        table[rows, places] = terms
        return torch.from_numpy(table).to(self.device)

    def _close(self, specific):
        carried = torch.zeros(len(specific), self._columns, dtype=self._closure.dtype, device=self.device)
        carried.scatter_(1, specific.long(), 1)
        return (carried @ self._closure)[:, : self.terms] > 0

    def labels(self, chosen):
        """Returns (B, terms) bool: the terms of the proteins `chosen` (a tensor of places) with all ancestors."""
        return self._close(self._specific[chosen])

    def swissprot_labels(self):
        """Returns (validation proteins, terms) bool: the labels by Swiss-Prot of 2014 alone."""
        return self._close(self._swissprot)

    def aspects_of(self, labels):
        """Returns (B, 3) bool: the aspects in which a protein has a label."""
        return (labels.to(self._of_aspect.dtype) @ self._of_aspect) > 0

    def tokens(self, chosen, width, random_window=False):
        """Returns (B, width) codes; of a longer protein the beginning, or a random window."""
        lengths, starts = self._lengths[chosen], self._starts[chosen]
        kept = lengths.clamp(max=width)
        if random_window:
            starts = starts + (torch.rand(len(chosen), device=self.device) * (lengths - kept + 1)).long()
        places = torch.arange(width, device=self.device)[None]
        codes = self._residues[(starts[:, None] + places).clamp(max=len(self._residues) - 1)].long()
        return torch.where(places < kept[:, None], codes, PADDING)


def corrupt(tokens, hidden=0.06, replaced=0.03):
    """Turns a share of the residues into X, and another share into any amino acid."""
    draw = torch.rand(tokens.shape, device=tokens.device)
    present = tokens != PADDING
    tokens = torch.where(present & (draw < hidden), UNKNOWN, tokens)
    return torch.where(present & (draw > 1 - replaced), torch.randint_like(tokens, AMINO_ACIDS), tokens)
