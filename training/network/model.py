"""The network: residues -> vector of 512 -> a logit for each GO term.

The shapes are B proteins, W residues (even; shorter ones are padded) and C channels. Padding changes no result, because it is zero
before each convolution and masked in attention and pooling. The weights are float32; `set_precision` chooses the type of the matrix
products, their inputs and outputs. The sums along the residual path and all normalisations stay in float32.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

PADDING = 25
SYMBOLS = 26
FINE, FINE_INNER = 192, 128
COARSE, COARSE_INNER = 384, 192
HEADS, FEED_FORWARD = 12, 768
POOL_HEADS, POOL_HEAD = 8, 96
MAXIMA = 256
VECTOR = 512
DROPOUT = 0.1
# The logarithm of a usual length (330 residues), so that the feature is near 0.
USUAL_LOG_LENGTH = 5.8
HIDDEN = -1e4


class Dense(nn.Linear):
    """A linear layer whose product is computed in `precision`."""

    precision = torch.float32

    def forward(self, x):
        return F.linear(x.to(self.precision), self.weight.to(self.precision), self.bias.to(self.precision))


class Norm(nn.LayerNorm):
    def forward(self, x):
        return F.layer_norm(x.float(), self.normalized_shape, self.weight, self.bias, 1e-5)


class Embedding(Dense):
    """Turns (B, W) codes into (B, W, channels) by a product with one-hot rows: unlike that of a look-up, its gradient needs no
    sorting. The weight is [channels, symbol].
    """

    def __init__(self):
        super().__init__(SYMBOLS, FINE, bias=False)
        nn.init.normal_(self.weight)

    def forward(self, codes):
        # The number is rounded up, because matrix units need a multiple of 8 symbols.
        symbols = (SYMBOLS + 7) // 8 * 8
        one_hot = codes.unsqueeze(-1) == torch.arange(symbols, device=codes.device)
        return F.linear(one_hot.to(self.precision), F.pad(self.weight, (0, symbols - SYMBOLS)).to(self.precision)).float()


class Convolution(Dense):
    """Turns (B, W, in) into (B, W, out), with zeros beyond the ends, by one product over shifted copies. The weight is [out, tap, in]."""

    def __init__(self, channels_in, channels_out, taps, dilation=1):
        super().__init__(taps * channels_in, channels_out)
        self.taps, self.dilation = taps, dilation

    def forward(self, x):
        width, reach = x.shape[1], (self.taps - 1) // 2 * self.dilation
        padded = F.pad(x.to(self.precision), (0, 0, reach, reach))
        shifts = [padded[:, i * self.dilation : i * self.dilation + width] for i in range(self.taps)]
        return super().forward(torch.cat(shifts, 2))


class Block(nn.Module):
    """A residual block: norm, convolution of 7, GELU, back to the channels, scaled."""

    def __init__(self, channels, inner, dilation):
        super().__init__()
        self.norm = Norm(channels)
        self.convolution = Convolution(channels, inner, 7, dilation)
        self.out = Dense(inner, channels)
        self.scale = nn.Parameter(torch.full((channels,), 0.2))

    def forward(self, x, present):
        return x + self.scale * self.out(F.gelu(self.convolution(self.norm(x) * present)))


def rotate(x, cosine, sine):
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat([-second, first], -1) * sine


class Attention(nn.Module):
    """A residual block: attention with rotary positions, then a feed-forward layer."""

    def __init__(self, channels, heads, feed_forward):
        super().__init__()
        self.heads = heads
        self.norm = Norm(channels)
        self.queries_keys_values = Dense(channels, 3 * channels)
        self.out = Dense(channels, channels)
        self.scale = nn.Parameter(torch.full((channels,), 0.2))
        self.forward_norm = Norm(channels)
        self.up = Dense(channels, feed_forward)
        self.down = Dense(feed_forward, channels)
        self.forward_scale = nn.Parameter(torch.full((channels,), 0.2))

    def forward(self, x, present):
        batch, width, channels = x.shape
        each = channels // self.heads
        joined = self.queries_keys_values(self.norm(x)).view(batch, width, 3, self.heads, each)
        query, key, value = joined.permute(2, 0, 3, 1, 4)
        rates = torch.exp(torch.arange(0, each, 2, device=x.device, dtype=torch.float32) * (-math.log(10000.0) / each))
        angles = torch.arange(width, device=x.device, dtype=torch.float32)[:, None] * rates
        angles = torch.cat([angles, angles], -1)
        cosine, sine = angles.cos().to(query.dtype), angles.sin().to(query.dtype)
        mixed = F.scaled_dot_product_attention(
            rotate(query, cosine, sine), rotate(key, cosine, sine), value, attn_mask=present[:, None, None, :, 0].bool()
        )
        x = x + self.scale * self.out(mixed.transpose(1, 2).reshape(batch, width, channels))
        return x + self.forward_scale * self.down(F.gelu(self.up(self.forward_norm(x))))


class Network(nn.Module):
    def __init__(self, terms):
        super().__init__()
        self.embedding = Embedding()
        self.stem = Convolution(FINE, FINE, 5)
        self.fine = nn.ModuleList(Block(FINE, FINE_INNER, dilation) for dilation in (1, 3))
        self.halve = Dense(2 * FINE, COARSE)
        self.coarse = nn.ModuleList(Block(COARSE, COARSE_INNER, dilation) for dilation in (1, 2, 4))
        self.first_attention = Attention(COARSE, HEADS, FEED_FORWARD)
        self.late = nn.ModuleList(Block(COARSE, COARSE_INNER, dilation) for dilation in (1, 3))
        self.second_attention = Attention(COARSE, HEADS, FEED_FORWARD)
        self.norm = Norm(COARSE)
        self.pool_scores = Dense(COARSE, POOL_HEADS)
        self.pool_values = Dense(COARSE, POOL_HEADS * POOL_HEAD)
        self.maxima = Dense(COARSE, MAXIMA)
        self.to_vector = Dense(POOL_HEADS * POOL_HEAD + MAXIMA + 1, VECTOR)
        self.vector_norm = Norm(VECTOR)
        self.head = Dense(VECTOR, terms)

    def set_precision(self, dtype):
        for module in self.modules():
            if isinstance(module, Dense):
                module.precision = dtype

    def start_from(self, frequencies):
        """Starts each term at its frequency in training."""
        with torch.no_grad():
            self.head.bias.copy_(torch.logit(frequencies))
            self.head.weight.mul_(0.5)

    def vectors(self, tokens):
        """Turns (B, W) codes of residues, with W even, into (B, 512)."""
        present = (tokens != PADDING).unsqueeze(-1).float()
        batch, width = tokens.shape
        x = self.embedding(tokens) * present
        x = x + F.gelu(self.stem(x))
        for block in self.fine:
            x = block(x, present)
        x = self.halve((x * present).reshape(batch, width // 2, 2 * FINE)).float()
        present_pairs = present.view(batch, width // 2, 2, 1).amax(2)
        for block in self.coarse:
            x = block(x, present_pairs)
        x = self.first_attention(x, present_pairs)
        for block in self.late:
            x = block(x, present_pairs)
        x = self.norm(self.second_attention(x, present_pairs))
        return self.pool(x, present_pairs, present.sum((1, 2)))

    def pool(self, x, present, lengths):
        batch, width, _ = x.shape
        absent = present == 0
        weights = self.pool_scores(x).float().masked_fill(absent, HIDDEN).softmax(1)
        values = self.pool_values(x).view(batch, width, POOL_HEADS, POOL_HEAD)
        means = torch.einsum('bwh,bwhe->bhe', weights.to(values.dtype), values).reshape(batch, -1)
        maxima = self.maxima(x).masked_fill(absent, HIDDEN).amax(1)
        log_length = (lengths.clamp(min=1).log() - USUAL_LOG_LENGTH).unsqueeze(1).to(means.dtype)
        return self.vector_norm(self.to_vector(torch.cat([means, maxima, log_length], 1)))

    def classify(self, vectors):
        """Turns (B, 512) into logits (B, terms), float32."""
        return self.head(F.dropout(vectors, DROPOUT, self.training)).float()

    def forward(self, tokens):
        """Turns (B, W) codes of residues, with W even, into logits (B, terms) and vectors (B, 512), both float32."""
        vectors = self.vectors(tokens)
        return self.classify(vectors), vectors
