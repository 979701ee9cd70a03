"""Trains a network on what prepare.py packed, within a stated time or number of steps.

usage: train.py DATA OUT (--seconds S | --steps N) [--mode eager|graphs|compiled] [--rate R]

OUT gets weights-0.f16, weights-1.f16 and weights.json (names, shapes, figures), several times during the run and at its end. They
are always the running average of the weights. DATA may be a packed sample; on a CPU give --steps.

Some guards protect the run. A step whose gradient is not finite changes nothing and is counted. After five such steps in a row the
network goes back to the average, forgets the optimizer's moments and halves the rate. The average is validated at every save, so a
run that dies leaves measured weights.

There are three modes. `eager` is PyTorch as it is. `graphs` has one CUDA graph for each width of batches, which saves the time of
launching some 1,500 small kernels a step. `compiled` is the same with kernels that torch.compile fused, in one compilation for all
widths.
"""

import argparse
import json
import math
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from model import Network
from proteins import Proteins, corrupt
from validate import validate

SEED = 7
# The widths of batches. Each batch has as many proteins as fill BATCH_RESIDUES, so that there are few shapes and little padding.
WIDTHS = [64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024]
BATCH_RESIDUES = 98_304
MOST_PROTEINS = 1024
WEIGHT_DECAY = 0.03
LARGEST_GRADIENT = 1.0
WARM_UP_STEPS = 600
LAST_RATE = 0.02
AVERAGE_EVERY, AVERAGE_KEEPS = 10, 0.99
CHECK_EVERY = 20
BAD_STEPS_IN_A_ROW = 5
SAVE_AT = (0.2, 0.4, 0.6, 0.8)
PART_WEIGHTS = 7_800_000


class Log:
    def __init__(self, path):
        self._file, self._start = open(path, 'a'), time.time()

    def __call__(self, *words):
        line = ' '.join([f'{time.time() - self._start:7.1f}', *map(str, words)])
        print(line, flush=True)
        print(line, file=self._file, flush=True)


def batch_size(width, residues=BATCH_RESIDUES):
    return max(1, min(MOST_PROTEINS, residues // width))


def epoch_of_batches(lengths, members, random, residues=BATCH_RESIDUES):
    """Yields batches in random order as (width, places). The last batch of a width is filled up with proteins of that width drawn
    again.
    """
    width_of = np.searchsorted(WIDTHS, np.minimum(lengths[members], WIDTHS[-1]))
    batches = []
    for number, width in enumerate(WIDTHS):
        places, size = random.permutation(members[width_of == number]), batch_size(width, residues)
        if len(places) and len(places) % size:
            places = np.concatenate([places, random.choice(places, size - len(places) % size)])
        batches += [(width, places[i : i + size]) for i in range(0, len(places), size)]
    return [batches[i] for i in random.permutation(len(batches))]


def term_frequencies(proteins, members):
    """Returns the share of the proteins with a label in the term's aspect that carry the term (with pseudocounts)."""
    carried = torch.zeros(proteins.terms, device=proteins.device)
    labelled = torch.zeros(3, device=proteins.device)
    for part in np.array_split(members, max(1, len(members) // 8192)):
        labels = proteins.labels(torch.as_tensor(part, device=proteins.device))
        carried += labels.sum(0)
        labelled += proteins.aspects_of(labels).sum(0)
    return ((carried + 1) / (labelled[proteins.aspect] + 20)).clamp(1e-5, 0.95)


class Step:
    """Loss and gradient of one batch, which a GPU replays as one graph for each width."""

    def __init__(self, network, proteins, mode):
        self.network, self.proteins, self.graphs = network, proteins, {} if mode != 'eager' else None
        self.vectors = torch.compile(network.vectors, dynamic=True) if mode == 'compiled' else network.vectors
        self.gradients = []
        for weight in network.parameters():
            weight.grad = torch.zeros_like(weight)
            self.gradients.append(weight.grad)
        number = lambda: torch.zeros((), device=proteins.device)
        self.loss_sum, self.skipped, self.bad_in_a_row = number(), number(), number()
        # The fused optimizer divides gradients by the first number, and leaves the weights alone if the second one is not zero.
        self.divisor, self.not_finite = number() + 1, number()
        if self.graphs is not None:
            self._stream, self._pool = torch.cuda.Stream(), torch.cuda.graph_pool_handle()

    def _compute(self, chosen, width):
        tokens = corrupt(self.proteins.tokens(chosen, width, random_window=True))
        labels = self.proteins.labels(chosen)
        counted = self.proteins.aspects_of(labels)[:, self.proteins.aspect]
        vectors = self.vectors(tokens)
        logits = self.network.classify(vectors)
        losses = F.binary_cross_entropy_with_logits(logits, labels.float(), reduction='none')
        loss = (losses * counted).sum() / len(chosen)
        torch._foreach_zero_(self.gradients)
        loss.backward()
        size = torch.stack(torch._foreach_norm(self.gradients)).norm()
        self.divisor.copy_((size / LARGEST_GRADIENT).clamp(min=1))
        self.not_finite.copy_(~torch.isfinite(size))
        self.skipped.add_(self.not_finite)
        self.bad_in_a_row.add_(1).mul_(self.not_finite)
        self.loss_sum.add_(torch.nan_to_num(loss.detach(), posinf=0))

    def prepare(self, widths):
        """Captures the graphs. Each shape runs twice first, so that kernels are chosen, compiled and loaded."""
        for width in sorted(widths, reverse=True):
            chosen = torch.zeros(batch_size(width), dtype=torch.long, device=self.proteins.device)
            self._stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self._stream):
                for _ in range(2):
                    self._compute(chosen, width)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self._pool, stream=self._stream):
                self._compute(chosen, width)
            self.graphs[width] = (graph, chosen)
        torch.cuda.synchronize()
        for total in (self.loss_sum, self.skipped, self.bad_in_a_row):
            total.zero_()

    def __call__(self, chosen, width):
        if self.graphs is None:
            return self._compute(chosen, width)
        graph, place = self.graphs[width]
        place.copy_(chosen)
        graph.replay()


class Average:
    """The running average of the weights."""

    def __init__(self, network):
        self._weights = [weight.detach() for weight in network.parameters()]
        self._mean = [weight.clone() for weight in self._weights]

    def update(self, step):
        torch._foreach_lerp_(self._mean, self._weights, 1 - min(AVERAGE_KEEPS, step / (step + 20)))

    def restore(self):
        torch._foreach_copy_(self._weights, self._mean)

    def swap(self):
        kept = [weight.clone() for weight in self._weights]
        self.restore()
        torch._foreach_copy_(self._mean, kept)


def optimizer_of(network, step, rate):
    matrices = [weight for weight in network.parameters() if weight.ndim > 1]
    vectors = [weight for weight in network.parameters() if weight.ndim <= 1]
    groups = [{'params': matrices, 'weight_decay': WEIGHT_DECAY}, {'params': vectors, 'weight_decay': 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=True)
    # The fused kernel reads both numbers on the device, as it does for torch.amp.GradScaler, so that no step waits for the host.
    optimizer.grad_scale, optimizer.found_inf = step.divisor, step.not_finite
    return optimizer


def save(network, out, facts):
    """Writes weights as float16 in two parts, which are written aside and renamed, so that a reader never sees half of a save."""
    state = network.state_dict()
    flat = np.concatenate([tensor.float().cpu().numpy().astype(np.float16).ravel() for tensor in state.values()])
    for number in range(2):
        path = os.path.join(out, f'weights-{number}.f16')
        flat[number * PART_WEIGHTS : (number + 1) * PART_WEIGHTS].tofile(path + '.part')
        os.replace(path + '.part', path)
    facts = {'tensors': [[name, list(tensor.shape)] for name, tensor in state.items()], **facts}
    with open(os.path.join(out, 'weights.json.part'), 'w') as file:
        json.dump(facts, file)
    os.replace(os.path.join(out, 'weights.json.part'), os.path.join(out, 'weights.json'))


class Run:
    def __init__(self, options, device):
        self.options, self.log = options, Log(os.path.join(options.out, 'log.txt'))
        torch.manual_seed(SEED)
        self.random = np.random.default_rng(SEED)
        self.proteins = Proteins(options.data, device)
        self.members = self.proteins.training
        self.network = Network(self.proteins.terms).to(device)
        if device.type == 'cuda':
            self.network.set_precision(torch.bfloat16)
        self.frequencies = term_frequencies(self.proteins, self.members)
        self.network.start_from(self.frequencies)
        self.average = Average(self.network)
        self.step = Step(self.network, self.proteins, options.mode)
        self.rate = options.rate
        self.optimizer = optimizer_of(self.network, self.step, self.rate)
        self.steps = self.seen = self.returns = 0
        self.started = self.last_loss = None
        self.log(len(self.members), 'proteins to train on,', len(self.proteins.validation), 'to validate,', self.proteins.terms, 'terms')

    def progress(self):
        if self.options.steps:
            return self.steps / self.options.steps
        return (time.time() - self.started) / self.options.seconds

    def set_rate(self, progress):
        rate = self.rate * min(1, (self.steps + 1) / WARM_UP_STEPS) * (LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * min(1, progress))))
        for group in self.optimizer.param_groups:
            group['lr'] = rate

    def check(self):
        """Reads the counters off the device, reports, and goes back to the average if steps keep failing."""
        loss = self.step.loss_sum.item() / CHECK_EVERY
        self.step.loss_sum.zero_()
        self.last_loss = loss if self.last_loss is None else 0.9 * self.last_loss + 0.1 * loss
        if self.step.bad_in_a_row.item() >= BAD_STEPS_IN_A_ROW:
            self.average.restore()
            self.optimizer.state.clear()
            self.rate *= 0.5
            self.returns += 1
            self.step.bad_in_a_row.zero_()
            self.log('back to the average at step', self.steps)
        if self.steps % (25 * CHECK_EVERY) == 0 or self.steps <= 5 * CHECK_EVERY:
            self.log(self.facts())

    def facts(self):
        return {
            'steps': self.steps,
            'epochs': round(self.seen / len(self.members), 3),
            'loss': self.last_loss and round(self.last_loss, 3),
            'skipped_steps': int(self.step.skipped.item()),
            'returns_to_average': self.returns,
            'rate': self.optimizer.param_groups[0]['lr'],
        }

    def save(self):
        self.average.swap()
        figures = validate(self.network, self.proteins, self.frequencies)
        device = torch.cuda.get_device_name() if self.proteins.device.type == 'cuda' else 'cpu'
        how = {'mode': self.options.mode, 'seed': SEED, 'peak_rate': self.options.rate, 'seconds': time.time() - self.started, 'device': device}
        how['torch'] = torch.__version__
        save(self.network, self.options.out, {'training': {**self.facts(), **how}, 'validation': figures})
        self.average.swap()
        self.network.train()
        self.log('average', json.dumps(figures))

    def epochs(self):
        while True:
            batches = epoch_of_batches(self.proteins.length, self.members, self.random, self.options.residues)
            ends = np.cumsum([len(places) for _, places in batches])
            order = torch.from_numpy(np.concatenate([places for _, places in batches])).to(self.proteins.device)
            for (width, places), end in zip(batches, ends):
                yield width, order[end - len(places) : end]

    def train(self):
        if self.step.graphs is not None:
            self.step.prepare(WIDTHS)
            self.log('graphs are ready,', torch.cuda.max_memory_allocated() // 2**20, 'MiB')
        self.network.train()
        self.started = time.time()
        marks = list(SAVE_AT)
        for width, chosen in self.epochs():
            progress = self.progress()
            if progress >= 1:
                break
            if marks and progress >= marks[0]:
                marks.pop(0)
                self.save()
            self.set_rate(progress)
            self.step(chosen, width)
            self.optimizer.step()
            self.steps += 1
            self.seen += len(chosen)
            if self.steps % AVERAGE_EVERY == 0:
                self.average.update(self.steps)
            if self.steps % CHECK_EVERY == 0:
                self.check()
        self.save()
        self.log('done', self.facts())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument('data')
    arguments.add_argument('out')
    length = arguments.add_mutually_exclusive_group(required=True)
    length.add_argument('--seconds', type=float)
    length.add_argument('--steps', type=int)
    arguments.add_argument('--mode', choices=['eager', 'graphs', 'compiled'], default='eager')
    arguments.add_argument('--rate', type=float, default=2e-3)
    arguments.add_argument('--residues', type=int, default=BATCH_RESIDUES, help='of a batch')
    options = arguments.parse_args()
    os.makedirs(options.out, exist_ok=True)
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    torch.backends.cuda.enable_cudnn_sdp(False)
    Run(options, device).train()


if __name__ == '__main__':
    main()
