"""Tests the training: python -m unittest test_training.py      (a minute on one processor)"""

import os
import tempfile
import unittest
import zlib

import numpy as np
import torch

import export
import noise_net
from model import PADDING, Network
from prepare import encode, pack_labels
from proteins import Proteins, corrupt
from train import Average, Step, batch_size, epoch_of_batches, optimizer_of
from validate import fmax

TERMS = 12


def write_sample(folder, proteins=40):
    """Writes random proteins of 10 to 90 residues; term i implies the term i // 2 and all that this one implies."""
    random = np.random.default_rng(1)
    length = np.sort(random.integers(10, 90, proteins)).astype(np.uint16)
    offsets = np.arange(proteins + 1, dtype=np.uint32)
    pairs = [(term, term >> shift) for term in range(TERMS) for shift in range(5)]
    child, ancestor = np.array(sorted(set(pairs)), np.uint16).T
    validation = np.zeros(proteins, np.uint8)
    validation[::10] = 1
    np.savez(
        os.path.join(folder, 'data.npz'),
        length=length,
        split=validation,
        terms=random.integers(0, TERMS, proteins).astype(np.uint16),
        offsets=offsets,
        child=child,
        ancestor=ancestor,
        aspect=(np.arange(TERMS) % 3).astype(np.uint8),
        swissprot_terms=np.zeros(4, np.uint16),
        swissprot_offsets=np.arange(5, dtype=np.uint32),
        in_first_vocabulary=np.ones(TERMS, bool),
        in_first_validation=np.ones(4, bool),
    )
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    residues = random.integers(0, 20, int(length.sum())).astype(np.uint8)
    with open(os.path.join(folder, 'residues.z'), 'wb') as file:
        file.write(packer.compress(residues.tobytes()) + packer.flush())
    return residues


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(1)
        cls.folder = tempfile.TemporaryDirectory()
        cls.residues = write_sample(cls.folder.name)
        cls.proteins = Proteins(cls.folder.name, torch.device('cpu'))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_tokens_are_the_residues_and_padding(self):
        tokens = self.proteins.tokens(torch.tensor([1]), 128)[0].numpy()
        first, second = self.proteins.length[:2]
        np.testing.assert_array_equal(tokens[:second], self.residues[first : first + second])
        self.assertTrue((tokens[second:] == PADDING).all())

    def test_a_window_is_a_stretch_of_the_protein(self):
        place = len(self.proteins.length) - 1
        whole = self.residues[-self.proteins.length[place] :].tobytes()
        for _ in range(20):
            window = self.proteins.tokens(torch.tensor([place]), 16, random_window=True)[0].numpy().astype(np.uint8)
            self.assertIn(window.tobytes(), whole)

    def test_corruption_leaves_padding(self):
        tokens = self.proteins.tokens(torch.arange(10), 128)
        self.assertTrue(torch.equal(corrupt(tokens) == PADDING, tokens == PADDING))

    def test_labels_carry_every_ancestor(self):
        labels = self.proteins.labels(torch.arange(len(self.proteins.length)))
        for row in labels:
            carried = set(torch.nonzero(row)[:, 0].tolist())
            self.assertEqual(carried, {term >> shift for term in carried for shift in range(5)})

    def test_specific_terms_give_the_closure_back(self):
        class Chain:
            closure = staticmethod(lambda term: frozenset(range(term + 1)))

        terms, offsets = pack_labels(['a', 'b'], {'a': {0, 1, 2}, 'b': set()}, {0: 0, 1: 1, 2: 2}, Chain)
        self.assertEqual((terms.tolist(), offsets.tolist()), ([2], [0, 1, 1]))

    def test_unknown_letters_are_x(self):
        self.assertEqual(encode('AXJ*').tolist(), [0, 20, 20, 20])

    def test_an_epoch_has_every_protein_and_fixed_shapes(self):
        batches = epoch_of_batches(self.proteins.length, self.proteins.training, np.random.default_rng(1), residues=640)
        self.assertEqual({place for _, places in batches for place in places}, set(self.proteins.training))
        for width, places in batches:
            self.assertEqual(len(places), batch_size(width, 640))
            self.assertLessEqual(self.proteins.length[places].max(), width)

    def test_padding_changes_nothing(self):
        network = Network(TERMS).eval()
        tokens = self.proteins.tokens(torch.tensor([5]), 64)
        wider = torch.nn.functional.pad(tokens, (0, 64), value=PADDING)
        with torch.no_grad():
            torch.testing.assert_close(network(tokens)[0], network(wider)[0], atol=1e-5, rtol=1e-5)

    def test_a_step_that_is_not_finite_changes_nothing_and_is_counted(self):
        network = Network(TERMS)
        step = Step(network, self.proteins, 'eager')
        optimizer = optimizer_of(network, step, 1e-3)
        chosen = torch.arange(4)
        step(chosen, 64)
        optimizer.step()
        good = [weight.detach().clone() for weight in network.parameters()]
        vectors, step.vectors = step.vectors, lambda tokens: vectors(tokens) * float('nan')
        step(chosen, 64)
        optimizer.step()
        self.assertTrue(all(map(torch.equal, good, network.parameters())))
        self.assertEqual((step.skipped.item(), step.bad_in_a_row.item()), (1, 1))
        step.vectors = vectors
        step(chosen, 64)
        optimizer.step()
        self.assertFalse(all(map(torch.equal, good, network.parameters())))
        self.assertEqual((step.skipped.item(), step.bad_in_a_row.item()), (1, 0))

    def test_the_average_swaps_in_and_out(self):
        network = Network(TERMS)
        average, before = Average(network), network.head.bias.detach().clone()
        with torch.no_grad():
            network.head.bias.add_(1)
        average.swap()
        self.assertTrue(torch.equal(network.head.bias, before))
        average.swap()
        self.assertTrue(torch.equal(network.head.bias, before + 1))

    def test_fmax_of_a_perfect_answer_is_1(self):
        labels = torch.tensor([[True, False], [False, True], [False, False]])
        self.assertEqual(fmax(labels.float() * 0.9, labels)[0::2], (1.0, 2))

    def test_exported_weights_are_where_the_layout_says(self):
        weights = {name: tensor.numpy() for name, tensor in Network(TERMS).state_dict().items()}
        path = os.path.join(self.folder.name, 'weights.bin')
        tensors = export.write_weights(weights, path)
        with open(path, 'rb') as file:
            content = file.read()
        for tensor in tensors:
            shape, offset = tensor['shape'], tensor['offset']
            self.assertEqual(offset % 4, 0)
            found = np.frombuffer(content, '<f4', shape[0], offset)
            if tensor['type'] == 'int8':
                values = np.frombuffer(content, np.int8, shape[0] * shape[1], offset + 4 * shape[0])
                found = values.reshape(shape).astype(np.float32) * found[:, None]
                bound = np.abs(weights[tensor['name']]).max(1) / 254 + 1e-7
                self.assertTrue((np.abs(found - weights[tensor['name']]).max(1) <= bound).all())
            else:
                np.testing.assert_array_equal(found, weights[tensor['name']])

    def test_a_sequence_beside_longer_ones_has_the_same_log_odds(self):
        torch.manual_seed(1)
        network = noise_net.NoiseNet()
        sequences = ['MKTAYIAKQRQISFVKSHFSRQ', 'GAVL' * 30, 'MSTNPKPQRKTKRNTNRRPQDVKFPGG']
        together = noise_net.log_odds(network, sequences)
        alone = [noise_net.log_odds(network, [sequence])[0] for sequence in sequences]
        np.testing.assert_allclose(together, alone, atol=1e-5)
        self.assertEqual(len(set(together)), 3)

    def test_a_batch_of_the_small_network_has_proteins_and_their_noise(self):
        path = os.path.join(self.folder.name, 'learn.txt')
        with open(path, 'w') as file:
            file.write('ACDEF\tFEDCA\tFEDCA\tFEDCA\tFEDCA\nWWWWWWW\tYYYYYYY\tYYYYYYY\tYYYYYYY\tYYYYYYY\n')
        learners = noise_net.Learners(path)
        tokens, is_protein = learners.batch(np.array([0, 1]), 6, np.random.default_rng(1))
        self.assertEqual(is_protein.tolist(), [1, 1, 0, 0])
        texts = [''.join((noise_net.LETTERS + '.')[code] for code in row) for row in tokens.tolist()]
        self.assertEqual(texts, ['ACDEF.', 'WWWWWW', 'FEDCA.', 'YYYYYY'])


if __name__ == '__main__':
    unittest.main()
