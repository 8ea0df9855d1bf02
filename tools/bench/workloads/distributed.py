"""Distributed: two processes on this machine, gloo."""

from __future__ import annotations

from typing import Any

from tools.bench.workloads.case import Case, Context, bench
from tools.bench.workloads.train import gpt_step

MB64 = 64 * 2**20


def process_group(torch: Any, ctx: Context) -> Any:
    dist = torch.distributed
    if not dist.is_initialized():
        init_group(torch, ctx)
    return dist


def init_group(torch: Any, ctx: Context) -> None:
    torch.distributed.init_process_group(
        "gloo", init_method=f"tcp://127.0.0.1:{ctx.port}", rank=ctx.rank, world_size=ctx.world
    )


# bytes: what two processes with shared memory would together have to read and write


@bench("distributed/all_reduce_4B")
def all_reduce_small(torch: Any, ctx: Context) -> Case:
    dist, x = process_group(torch, ctx), torch.zeros(1)
    return Case(lambda: dist.all_reduce(x))


@bench("distributed/all_reduce_64MB")
def all_reduce(torch: Any, ctx: Context) -> Case:
    dist, x = process_group(torch, ctx), torch.zeros(MB64 // 4)
    return Case(lambda: dist.all_reduce(x), bytes=4 * MB64)


@bench("distributed/broadcast_64MB")
def broadcast(torch: Any, ctx: Context) -> Case:
    dist, x = process_group(torch, ctx), torch.zeros(MB64 // 4)
    return Case(lambda: dist.broadcast(x, 0), bytes=2 * MB64)


@bench("distributed/all_gather_64MB")
def all_gather(torch: Any, ctx: Context) -> Case:
    dist, x = process_group(torch, ctx), torch.zeros(MB64 // 8)
    out = [torch.empty_like(x) for _ in range(2)]
    return Case(lambda: dist.all_gather(out, x), bytes=4 * MB64)


@bench("distributed/reduce_scatter_64MB")
def reduce_scatter(torch: Any, ctx: Context) -> Case:
    dist, x = process_group(torch, ctx), torch.zeros(MB64 // 4)
    out = torch.empty(MB64 // 8)
    return Case(lambda: dist.reduce_scatter_tensor(out, x), bytes=3 * MB64)


@bench("distributed/send_recv_64MB")
def send_recv(torch: Any, ctx: Context) -> Case:
    dist, x = process_group(torch, ctx), torch.zeros(MB64 // 4)
    return Case(lambda: dist.recv(x, 0) if ctx.rank else dist.send(x, 1), bytes=2 * MB64)


@bench("distributed/ddp_gpt_4x256_step")
def ddp(torch: Any, ctx: Context) -> Case:
    process_group(torch, ctx)
    case = gpt_step(torch, wrap=torch.nn.parallel.DistributedDataParallel)
    case.flops *= 2  # the limit is that of the whole machine, which two processes share
    return case


@bench("distributed/barrier")
def barrier(torch: Any, ctx: Context) -> Case:
    dist = process_group(torch, ctx)
    return Case(lambda: dist.barrier())


def store_case(torch: Any, ctx: Context, statement: str) -> Case:
    store = torch.distributed.TCPStore("127.0.0.1", ctx.port, ctx.world, ctx.rank == 0)
    store.set("key", "value")
    return Case((statement, {"store": store}))


@bench("distributed/store_set")
def store_set(torch: Any, ctx: Context) -> Case:
    return store_case(torch, ctx, "store.set('key', 'value')")


@bench("distributed/store_get")
def store_get(torch: Any, ctx: Context) -> Case:
    return store_case(torch, ctx, "store.get('key')")


@bench("distributed/init_process_group")
def init(torch: Any, ctx: Context) -> Case:
    """And its end. Comes last: the other workloads share one group."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()

    def run() -> Any:
        init_group(torch, ctx)
        torch.distributed.destroy_process_group()

    return Case(run)
