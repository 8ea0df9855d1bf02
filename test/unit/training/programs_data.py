"""Datasets, samplers and loaders: orders from a seed, batches."""

from collections import namedtuple

import numpy
from programs import numbers, program, programs_of, raised

Pair = namedtuple("Pair", "a b")


def ten(torch):
    return torch.utils.data.TensorDataset(torch.arange(10), torch.arange(10.0) * 2)


LOADERS = {
    "in order": {"batch_size": 4},
    "whole batches": {"batch_size": 4, "drop_last": True},
    "shuffled": {"batch_size": 3, "shuffle": True},
    "one by one": {"batch_size": None},
    "shuffled one by one": {"batch_size": None, "shuffle": True},
    "batches given": {"batch_sampler": [[1, 2], [0]]},
    "indices given": {"sampler": [3, 1, 2], "batch_size": 2},
    "collated": {"batch_size": 5, "collate_fn": len},
}


@programs_of(LOADERS)
def loader(torch, options):
    torch.manual_seed(4)
    made = torch.utils.data.DataLoader(ten(torch), **options)
    passes = [numbers(list(made)) for _ in range(2)]
    return [passes, len(made), torch.rand(1).item(), made.batch_size, made.drop_last]


@program
def loader_with_generator(torch):
    g = torch.Generator()
    g.manual_seed(3)
    torch.manual_seed(0)
    made = torch.utils.data.DataLoader(ten(torch), 4, shuffle=True, generator=g)
    return [numbers(list(made)), torch.rand(1).item(), torch.rand(1, generator=g).item()]


@program
def samplers(torch):
    data = torch.utils.data
    torch.manual_seed(9)
    source = range(10)
    made = [
        data.SequentialSampler(source),
        data.RandomSampler(source),
        data.RandomSampler(source, num_samples=25),
        data.RandomSampler(source, replacement=True, num_samples=40),
        data.SubsetRandomSampler([5, 7, 9]),
        data.WeightedRandomSampler([0.1] * 5 + [1.0] * 5, 7),
        data.WeightedRandomSampler([0.1, 1.0, 0.5], 3, replacement=False),
        data.BatchSampler(data.SequentialSampler(source), 3, False),
        data.BatchSampler(data.SequentialSampler(source), 3, True),
    ]
    return [[list(sampler) for sampler in made], [len(sampler) for sampler in made]]


@program
def splits(torch):
    data = torch.utils.data
    torch.manual_seed(1)
    whole = data.random_split(ten(torch), [3, 7])
    parts = data.random_split(ten(torch), [0.25, 0.25, 0.5])
    g = torch.Generator()
    g.manual_seed(2)
    drawn = data.random_split(ten(torch), [5, 5], generator=g)
    subset = data.Subset(ten(torch), [3, 1])
    both = ten(torch) + subset
    return [
        [part.indices for part in [*whole, *parts, *drawn]],
        numbers([subset[0], subset[1], len(subset), len(both), both[10], both[-1]]),
    ]


@program
def collating(torch):
    collate = torch.utils.data.default_collate
    found = [
        collate([1, 2]), collate([1.5, 2.0]), collate([True, False]), collate(["a", "b"]),
        collate([torch.ones(2), torch.zeros(2)]), collate([(1, 2.0), (3, 4.0)]),
        collate([[1, (2.0, "x")], [3, (4.0, "y")]]),
        collate([{"a": 1, "b": [2]}, {"a": 3, "b": [4]}]),
        collate([Pair(1, 2), Pair(3, 4)]),
    ]  # fmt: skip
    kinds = [type(value).__name__ for value in found]
    dtypes = [str(found[place].dtype).split(".")[-1] for place in (0, 1, 2, 4)]
    return [
        numbers(found), kinds, dtypes, raised(lambda: collate([object()])),
        raised(lambda: collate([None])), raised(lambda: collate([(1, 2), (3,)])),
    ]  # fmt: skip


@program
def collating_arrays(torch):
    collate = torch.utils.data.default_collate
    found = [
        collate([numpy.ones(2), numpy.zeros(2)]),
        collate([numpy.float32(1), numpy.float32(2)]),
        torch.utils.data.default_convert({"a": [numpy.ones(2, dtype="int16"), 3, "x"]}),
    ]
    return [numbers(found), str(found[0].dtype).split(".")[-1], str(found[1].dtype).split(".")[-1]]


@program
def streams(torch):
    data = torch.utils.data

    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(range(7))

    class Sized(Stream):
        def __len__(self):
            return 7

    return [
        numbers(list(data.DataLoader(Stream(), 3))),
        numbers(list(data.DataLoader(Stream(), 3, drop_last=True))),
        numbers(list(data.DataLoader(Stream(), None))),
        len(data.DataLoader(Sized(), 3)),
        raised(lambda: len(data.DataLoader(Stream()))),
        raised(lambda: data.DataLoader(Stream(), shuffle=True)),
        raised(lambda: data.DataLoader(Stream(), sampler=[1])),
    ]


@program
def wrong_data(torch):
    data, ds = torch.utils.data, ten(torch)
    return [
        raised(lambda: data.DataLoader(ds, shuffle=True, sampler=[1])),
        raised(lambda: data.DataLoader(ds, batch_size=0)),
        raised(lambda: data.DataLoader(ds, batch_size=None, drop_last=True)),
        raised(lambda: data.DataLoader(ds, batch_sampler=[[1]], shuffle=True)),
        raised(lambda: data.DataLoader(ds, num_workers=-1)),
        raised(lambda: data.DataLoader(ds, timeout=-1)),
        raised(lambda: data.DataLoader(ds, prefetch_factor=2)),
        raised(lambda: data.DataLoader(ds, persistent_workers=True)),
        raised(lambda: data.random_split(ds, [1, 2])),
        raised(lambda: data.random_split(ds, [0.5, 0.7, -0.2])),
        raised(lambda: data.TensorDataset(torch.ones(2), torch.ones(3))),
        raised(lambda: data.RandomSampler(ds, num_samples=0)),
        raised(lambda: data.WeightedRandomSampler([1.0], 0)),
        raised(lambda: data.BatchSampler([1], 0, False)),
        raised(lambda: data.Dataset()[0]),
    ]
