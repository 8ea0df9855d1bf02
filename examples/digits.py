"""A small convolutional network that reads the handwritten digits of scikit-learn.

    python examples/digits.py                               with PyTorch
    python -m cepheid.as_torch examples/digits.py           with cepheid

From one seed both give the same losses. --help says what can be chosen.
"""

import report
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Network(nn.Module):
    """Two convolutions with batch norm, a pool, two linear layers."""

    def __init__(self, dropout):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classify = nn.Sequential(
            nn.Flatten(),
            nn.Linear(32 * 4 * 4, 64),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(64, 10),
        )

    def forward(self, images):
        return self.classify(self.features(images))


def batches(loader):
    """Batches without end, pass after pass."""
    while True:
        yield from loader


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    right = sum((model(images).argmax(1) == labels).sum().item() for images, labels in loader)
    return right / len(loader.dataset)


def main():
    args = report.parser(__doc__, dropout=0.2).parse_args()
    torch.set_default_dtype(getattr(torch, args.dtype))
    torch.manual_seed(args.seed)
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.get_default_dtype()).unsqueeze(1) / 16
    dataset = TensorDataset(images, torch.tensor(digits.target))
    train, test = random_split(dataset, [0.8, 0.2])

    model = Network(args.dropout)
    print(model)
    loss_of = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(
        model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4
    )
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=100, gamma=0.2)

    losses = []
    loader = batches(DataLoader(train, batch_size=64, shuffle=True, drop_last=True))
    steps = report.progress(args.steps, lambda: f"loss {losses[-1]:.4f}")
    for _, (pictures, labels) in zip(steps, loader):
        optimizer.zero_grad()
        loss = loss_of(model(pictures), labels)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())

    print(f"first loss {losses[0]:.4f}, last {losses[-1]:.4f}")
    print(f"right on unseen digits: {accuracy(model, DataLoader(test, batch_size=100)):.1%}")
    report.plot(losses)
    if args.losses:
        report.write_losses(losses, args.losses)
    if args.picture:
        report.picture(losses, args.picture)
    if args.checkpoint:
        report.save(model, args.checkpoint)
        report.load(torch, model, args.checkpoint)


if __name__ == "__main__":
    main()
