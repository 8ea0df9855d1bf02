"""A small GPT that learns six sonnets of Shakespeare, character by character.

    python examples/char_gpt.py                             with PyTorch
    python -m cepheid.as_torch examples/char_gpt.py         with cepheid

From one seed both give the same losses. --help says what can be chosen.
"""

import math
from pathlib import Path

import report
import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = Path(__file__).parent / "text" / "sonnets.txt"


class Attention(nn.Module):
    """Causal attention of several heads."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        n, time, width = x.shape
        parts = self.qkv(x).split(width, dim=2)
        q, k, v = (p.view(n, time, self.heads, -1).transpose(1, 2) for p in parts)
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        return self.out(y.transpose(1, 2).contiguous().view(n, time, width))


class Block(nn.Module):
    """Attention and two linear layers, each added to its normalised input."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, dropout)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout)
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """Blocks between a table of characters and places, and a head that shares the table."""

    def __init__(self, characters, context, width=64, layers=2, heads=4, dropout=0.0):
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(characters, width)
        self.places = nn.Embedding(context, width)
        self.blocks = nn.ModuleList([Block(width, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, characters, bias=False)
        self.head.weight = self.characters.weight
        self.apply(self.first_values)

    @staticmethod
    def first_values(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, ids, targets=None):
        x = self.characters(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def write(self, ids, count):
        """`count` characters that follow `ids` [1, time]."""
        for _ in range(count):
            logits, _ = self(ids[:, -self.context :])
            chances = F.softmax(logits[:, -1] / 0.8, dim=-1)
            ids = torch.cat([ids, torch.multinomial(chances, 1)], dim=1)
        return ids


def batch(data, context, size):
    """`size` pieces of the text, and the same pieces one character on."""
    starts = torch.randint(len(data) - context, (size,)).tolist()
    x = torch.stack([data[start : start + context] for start in starts])
    y = torch.stack([data[start + 1 : start + 1 + context] for start in starts])
    return x, y


def main():
    parser = report.parser(__doc__, dropout=0.0)
    parser.add_argument("--write", type=int, default=200, help="characters to write in the end")
    args = parser.parse_args()
    torch.set_default_dtype(getattr(torch, args.dtype))
    torch.manual_seed(args.seed)
    text = TEXT.read_text()
    alphabet = sorted(set(text))
    numbers = {character: number for number, character in enumerate(alphabet)}
    data = torch.tensor([numbers[character] for character in text])

    model = GPT(len(alphabet), context=64, dropout=args.dropout)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(text)} characters")
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95))
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps, eta_min=3e-4)

    losses = []
    for _ in report.progress(args.steps, lambda: f"loss {losses[-1]:.4f}"):
        optimizer.zero_grad()
        _, loss = model(*batch(data, 64, 16))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())

    print(
        f"first loss {losses[0]:.4f} (chance: {math.log(len(alphabet)):.4f}), last {losses[-1]:.4f}"
    )
    report.plot(losses)
    if args.losses:
        report.write_losses(losses, args.losses)
    if args.picture:
        report.picture(losses, args.picture)
    if args.checkpoint:
        report.save(model, args.checkpoint)
        report.load(torch, model, args.checkpoint)
    model.eval()
    if args.write:
        written = model.write(data[:1].unsqueeze(0), args.write)
        print("".join(alphabet[number] for number in written[0].tolist()))


if __name__ == "__main__":
    main()
