"""Trains a small convolutional network that tells proteins from noise, and gives its log odds of sequences.

usage: noise_net.py train FOLDER RUN --seconds S [--seed S]    FOLDER: what noise-fasta.mjs wrote
       noise_net.py score FOLDER RUN                           writes <network>-<set>.net (float32) beside <network>-<set>.txt
       noise_net.py golden RUN                                 writes RUN/golden.json: sequences with their log odds, for the product's tests

RUN gets noise-net.f32 and noise-net.json, the running average of the weights, several times during training.

Layers: a convolution of one-hot residues, residual convolutions with gaps, a layer of each position,
the mean and the maximum over positions, and two small layers. A position outside the sequence is zero.
"""

import argparse
import json
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

LETTERS = 'ACDEFGHIKLMNPQRSTVWYX'
UNKNOWN, PADDING = 20, 21
CHANNELS, POOLED, HIDDEN = 64, 64, 32
STEM_WIDTH, WIDTH, DILATIONS = 9, 7, (1, 2, 4, 8)
LONGEST = 320
WIDTHS = [96, 128, 160, 192, 224, 256, 288, 320]
BATCH_RESIDUES = 16_384
# How often each kind of noise is drawn: reversed, shuffled by pairs, wrong frame, shuffled or drawn alike.
KINDS = (0.35, 0.35, 0.15, 0.15)
HELD_OUT = 1500
PEAK_RATE, LAST_RATE, WEIGHT_DECAY, WARM_UP_STEPS = 3e-3, 0.01, 0.02, 200
LARGEST_GRADIENT = 1.0
AVERAGE_KEEPS = 0.995

CODES = np.full(256, UNKNOWN, np.uint8)
for code, letter in enumerate(LETTERS):
    CODES[ord(letter)] = code
encode = lambda text: CODES[np.frombuffer(text.encode(), np.uint8)]


class NoiseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(len(LETTERS), CHANNELS, STEM_WIDTH, padding='same')
        self.blocks = nn.ModuleList(
            nn.Conv1d(CHANNELS, CHANNELS, WIDTH, padding='same', dilation=dilation) for dilation in DILATIONS
        )
        self.position = nn.Conv1d(CHANNELS, POOLED, 1)
        self.inner = nn.Linear(2 * POOLED, HIDDEN)
        self.outer = nn.Linear(HIDDEN, 1)

    def forward(self, tokens):
        """Log odds [n] of tokens [n, length]."""
        inside = (tokens != PADDING)[:, None]
        letters = F.one_hot(tokens, PADDING + 1)[:, :, :PADDING].to(self.stem.weight.dtype).transpose(1, 2)
        x = F.relu(self.stem(letters)) * inside
        for block in self.blocks:
            x = (x + F.relu(block(x))) * inside
        x = F.relu(self.position(x)).float() * inside
        pooled = torch.cat([x.sum(2) / inside.sum(2), x.amax(2)], 1)
        return self.outer(F.relu(self.inner(pooled)))[:, 0]


class Learners:
    """The lines of learn.txt as codes, kind 0 the proteins and the others their noise."""

    def __init__(self, path):
        with open(path) as file:
            lines = [line.rstrip('\n').split('\t') for line in file]
        self.parts = []
        for kind in range(1 + len(KINDS)):
            texts = [line[kind] for line in lines]
            ends = np.cumsum([len(text) for text in texts])
            self.parts.append((encode(''.join(texts)), ends))

    def crop(self, kind, place, width, random):
        codes, ends = self.parts[kind]
        start = ends[place - 1] if place else 0
        whole = codes[start : ends[place]]
        return cropped(whole, random.integers(max(1, len(whole) - width + 1)), width)

    def lengths(self):
        _, ends = self.parts[0]
        return np.diff(ends, prepend=0)

    def batch(self, places, width, random):
        """Returns tokens and 1 for proteins, 0 for noise. A protein and its noise are two rows."""
        kinds = random.choice(len(KINDS), len(places), p=KINDS) + 1
        rows = [self.crop(0, place, width, random) for place in places]
        rows += [self.crop(kind, place, width, random) for kind, place in zip(kinds, places)]
        is_protein = torch.cat([torch.ones(len(places)), torch.zeros(len(places))])
        return torch.from_numpy(np.stack(rows)).long(), is_protein


def cropped(codes, start, width):
    row = np.full(width, PADDING, np.uint8)
    part = codes[start : start + width]
    row[: len(part)] = part
    return row


def endless_batches(lengths, random):
    """Yields (places, width) for ever, each protein once in an epoch but for what does not fill a batch."""
    width_of = np.searchsorted(WIDTHS, np.minimum(lengths, LONGEST))
    while True:
        batches = []
        for number, width in enumerate(WIDTHS):
            places, size = random.permutation(np.flatnonzero(width_of == number)), BATCH_RESIDUES // width // 2
            batches += [(places[i : i + size], width) for i in range(0, len(places) - size + 1, size)]
        for i in random.permutation(len(batches)):
            yield batches[i]


def log_odds(network, sequences):
    """Float32 [sequences]; each is asked whole."""
    result = np.zeros(len(sequences), np.float32)
    order = np.argsort([len(sequence) for sequence in sequences], kind='stable')
    with torch.inference_mode():
        start = 0
        while start < len(order):
            width = 64
            end = start
            while end < len(order) and (end == start or (end - start + 1) * len(sequences[order[end]]) <= 2 * BATCH_RESIDUES):
                width = len(sequences[order[end]])
                end += 1
            rows = np.stack([cropped(encode(sequences[i]), 0, width) for i in order[start:end]])
            result[order[start:end]] = network(torch.from_numpy(rows).long()).numpy()
            start = end
    return result


def learn(options):
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    random = np.random.default_rng(options.seed)
    learners = Learners(os.path.join(options.folder, 'learn.txt'))
    lengths = learners.lengths()[:-HELD_OUT]
    network, average = NoiseNet(), NoiseNet()
    average.load_state_dict(network.state_dict())
    optimizer = torch.optim.AdamW(network.parameters(), PEAK_RATE, betas=(0.9, 0.99), weight_decay=WEIGHT_DECAY)
    started, loss_sum, skipped = time.time(), 0.0, 0
    batches = endless_batches(lengths, random)
    step, done = 0, 0.0
    while done < 1:
        step, done = step + 1, min(1, (time.time() - started) / options.seconds)
        left = 0.5 + 0.5 * np.cos(np.pi * done)
        rate = PEAK_RATE * min(1, step / WARM_UP_STEPS) * (LAST_RATE + (1 - LAST_RATE) * left)
        for group in optimizer.param_groups:
            group['lr'] = rate
        places, width = next(batches)
        tokens, is_protein = learners.batch(places, width, random)
        with torch.autocast('cpu', torch.bfloat16):
            logits = network(tokens)
        loss = F.binary_cross_entropy_with_logits(logits.float(), is_protein)
        optimizer.zero_grad()
        loss.backward()
        size = nn.utils.clip_grad_norm_(network.parameters(), LARGEST_GRADIENT)
        if torch.isfinite(size):
            optimizer.step()
        else:
            skipped += 1
        loss_sum += loss.item()
        with torch.no_grad():
            for kept, new in zip(average.parameters(), network.parameters()):
                kept.lerp_(new, max(1 - AVERAGE_KEEPS, 1 / step))
        if step % 500 == 0 or done == 1:
            facts = {'steps': step, 'skipped_steps': skipped, 'seconds': round(time.time() - started)}
            facts |= held_out(average, learners)
            print(f'loss {loss_sum / ((step - 1) % 500 + 1):.4f}', json.dumps(facts), flush=True)
            save(average, options.run, {**facts, 'seed': options.seed, 'torch': torch.__version__, 'device': 'one thread of a CPU'})
            loss_sum = 0.0


def held_out(network, learners):
    """Loss, and the share of proteins above 99 % of their noise, of learners that are not learnt from."""
    random = np.random.default_rng(0)
    first = len(learners.lengths()) - HELD_OUT
    logits = []
    with torch.inference_mode():
        for start in range(first, first + HELD_OUT, 50):
            tokens, is_protein = learners.batch(np.arange(start, start + 50), LONGEST, random)
            logits.append(torch.stack([network(tokens)[is_protein == kind] for kind in (1, 0)]))
    protein, noise = torch.cat(logits, 1)
    loss = (F.softplus(-protein).mean() + F.softplus(noise).mean()) / 2
    above = (protein > noise.quantile(0.99)).float().mean()
    return {'held_out_loss': round(loss.item(), 4), 'held_out_above_99': round(above.item(), 4)}


def save(network, run, facts):
    os.makedirs(run, exist_ok=True)
    tensors = {name: weight.detach().numpy().astype('<f4') for name, weight in network.named_parameters()}
    with open(os.path.join(run, 'noise-net.f32'), 'wb') as file:
        for array in tensors.values():
            file.write(array.tobytes())
    with open(os.path.join(run, 'noise-net.json'), 'w') as file:
        json.dump({**facts, 'tensors': [[name, list(array.shape)] for name, array in tensors.items()]}, file)


def load(run):
    with open(os.path.join(run, 'noise-net.json')) as file:
        shapes = json.load(file)['tensors']
    flat = torch.from_numpy(np.fromfile(os.path.join(run, 'noise-net.f32'), '<f4'))
    parts = flat.split([int(np.prod(shape)) for _, shape in shapes])
    network = NoiseNet()
    network.load_state_dict({name: part.reshape(shape) for (name, shape), part in zip(shapes, parts)})
    return network


def score(options):
    network = load(options.run)
    torch.set_num_threads(1)
    for name in sorted(os.listdir(options.folder)):
        if name == 'learn.txt' or not name.endswith('.txt'):
            continue
        path = os.path.join(options.folder, name)
        with open(path) as file:
            sequences = file.read().splitlines()
        log_odds(network, sequences).astype('<f4').tofile(path.removesuffix('.txt') + '.net')


def golden(options):
    random = np.random.default_rng(5)
    lengths = [1, 2, 8, 30, 31, 47, 64, 77, 90, 99, 100, 128, 151, 200, 256, 333, 700]
    sequences = [''.join(random.choice(list(LETTERS), length)) for length in lengths]
    sequences += ['M' + 'KL' * 20, 'G' * 40, 'ACDEFGHIKLMNPQRSTVWYXUOBZ' * 2]
    network = load(options.run)
    cases = [{'sequence': one, 'logOdds': float(log_odds(network, [one])[0])} for one in sequences]
    with open(os.path.join(options.run, 'golden.json'), 'w') as file:
        json.dump(cases, file)


def main():
    arguments = argparse.ArgumentParser()
    commands = arguments.add_subparsers(required=True)
    for act, places in ((learn, ['folder', 'run']), (score, ['folder', 'run']), (golden, ['run'])):
        command = commands.add_parser({'learn': 'train'}.get(act.__name__, act.__name__))
        command.set_defaults(act=act)
        for place in places:
            command.add_argument(place)
        if act is learn:
            command.add_argument('--seconds', type=float, required=True)
            command.add_argument('--seed', type=int, default=1)
    options = arguments.parse_args()
    options.act(options)


if __name__ == '__main__':
    main()
