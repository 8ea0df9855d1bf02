"""Models built from public nn parts only. `define(torch)` gives their classes for one framework."""

import functools
from itertools import pairwise
from types import SimpleNamespace


@functools.lru_cache(None)
def define(torch):
    """Block, GPT, ResNet, LSTM and mlp, built from the parts of `torch.nn`."""
    block = define_block(torch)
    return SimpleNamespace(
        Block=block,
        GPT=define_gpt(torch, block),
        ResNet=define_resnet(torch),
        LSTM=define_lstm(torch),
        mlp=functools.partial(mlp, torch.nn),
    )


def define_attention(torch):
    """Causal self-attention with a key/value cache."""
    nn, F = torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.heads = heads
            self.qkv = nn.Linear(dim, 3 * dim)
            self.out = nn.Linear(dim, dim)

        def forward(self, x, past=None):
            b, t, d = x.shape
            qkv = self.qkv(x).view(b, t, 3, self.heads, d // self.heads)
            q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
            if past is not None:
                k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=past is None)
            return self.out(y.transpose(1, 2).reshape(b, t, d)), (k, v)

    return Attention


def define_block(torch):
    """A pre-norm transformer block."""
    nn, F = torch.nn, torch.nn.functional
    Attention = define_attention(torch)

    class Block(nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
            self.attn = Attention(dim, heads)
            self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

        def forward(self, x, past=None):
            y, kv = self.attn(self.ln1(x), past)
            x = x + y
            return x + self.down(F.gelu(self.up(self.ln2(x)), approximate="tanh")), kv

    return Block


def define_gpt(torch, Block):
    """A GPT-2 of blocks."""
    nn, F = torch.nn, torch.nn.functional

    class GPT(nn.Module):
        """GPT-2: pre-norm blocks, learned positions, head tied to the token embedding."""

        def __init__(self, vocab, context, dim, layers, heads):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(vocab, dim), nn.Embedding(context, dim)
            self.blocks = nn.ModuleList([Block(dim, heads) for _ in range(layers)])
            self.norm = nn.LayerNorm(dim)

        def forward(self, ids, past=None):
            start = past[0][0].shape[2] if past else 0
            where = torch.arange(start, start + ids.shape[1])
            x, cache = self.tokens(ids) + self.positions(where), []
            for i, block in enumerate(self.blocks):
                x, kv = block(x, past[i] if past else None)
                cache.append(kv)
            return F.linear(self.norm(x), self.tokens.weight), cache

        def loss(self, ids):
            logits, _ = self(ids[:, :-1])
            return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())

        def greedy(self, ids, count):
            """The `count` tokens that follow `ids`, with a key/value cache."""
            out, past = [], None
            for _ in range(count):
                logits, past = self(ids, past)
                ids = logits[:, -1].argmax(-1, keepdim=True)
                out.append(ids)
            return torch.cat(out, 1)

    return GPT


def conv_norm(nn, cin, cout, size, stride=1):
    """A convolution without bias and its batch norm."""
    conv = nn.Conv2d(cin, cout, size, stride, size // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(cout))


def define_residual(torch):
    """A residual block."""
    nn, F = torch.nn, torch.nn.functional

    class Residual(nn.Module):
        """ResNet's basic block (expansion 1) or bottleneck (expansion 4)."""

        def __init__(self, cin, width, stride, expansion):
            super().__init__()
            cout = width * expansion
            if expansion == 1:
                parts = [(cin, width, 3, stride), (width, width, 3, 1)]
            else:
                parts = [(cin, width, 1, 1), (width, width, 3, stride), (width, cout, 1, 1)]
            self.parts = nn.ModuleList([conv_norm(nn, *p) for p in parts])
            self.skip = conv_norm(nn, cin, cout, 1, stride) if stride > 1 or cin != cout else None

        def forward(self, x):
            y = x if self.skip is None else self.skip(x)
            for part in self.parts[:-1]:
                x = F.relu(part(x))
            return F.relu(self.parts[-1](x) + y)

    return Residual


def define_resnet(torch):
    """A residual network for images."""
    nn, F = torch.nn, torch.nn.functional
    Residual = define_residual(torch)

    class ResNet(nn.Module):
        def __init__(self, depths, expansion, classes=1000):
            super().__init__()
            self.stem = conv_norm(nn, 3, 64, 7, 2)
            blocks, cin = [], 64
            for i, depth in enumerate(depths):
                width = 64 << i
                for j in range(depth):
                    stride = 2 if i and not j else 1
                    blocks.append(Residual(cin, width, stride, expansion))
                    cin = width * expansion
            self.blocks = nn.Sequential(*blocks)
            self.head = nn.Linear(cin, classes)

        def forward(self, x):
            x = F.max_pool2d(F.relu(self.stem(x)), 3, 2, 1)
            return self.head(self.blocks(x).mean((2, 3)))

    return ResNet


def define_lstm(torch):
    """A recurrent language model."""
    nn, F = torch.nn, torch.nn.functional

    class LSTM(nn.Module):
        """A language model of two LSTM layers."""

        def __init__(self, vocab, dim, hidden):
            super().__init__()
            self.tokens = nn.Embedding(vocab, dim)
            self.lstm = nn.LSTM(dim, hidden, num_layers=2, batch_first=True)
            self.head = nn.Linear(hidden, vocab)

        def loss(self, ids):
            y, _ = self.lstm(self.tokens(ids[:, :-1]))
            return F.cross_entropy(self.head(y).flatten(0, 1), ids[:, 1:].flatten())

    return LSTM


def mlp(nn, *sizes):
    """Linear layers with ReLU between them."""
    layers = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def gpt_flops(vocab, dim, layers, tokens, seq):
    """Forward pass, causal attention counted as half of the full square."""
    return 2 * tokens * (layers * (12 * dim * dim + seq * dim) + vocab * dim)
