"""Train a network on digits with the processes of a dask cluster, each of which computes a part of each batch."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter

from distributed import Client
from sklearn.datasets import load_digits

import xtensor as xp
from xtensor import autograd, nn, optim


def loss(model: nn.Module, x: xp.Array, y: xp.Array) -> xp.Array:
    """Return the mean loss of a batch."""
    return nn.functional.cross_entropy(model(x), y)


def train(value_and_grad: Callable[..., tuple[xp.Array, nn.Module]], epochs: int) -> list[float]:
    """Return the losses of a training, whose gradients ``value_and_grad(model, x, y)`` computes."""
    images, labels = load_digits(return_X_y=True)
    images = (images.reshape(-1, 1, 8, 8) / 16).astype("float32")
    rng = xp.random.default_rng(0)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, rng=rng),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 4 * 4, 10, rng=rng),
    )
    optimizer = optim.AdamW(model, lr=3e-3)
    losses = []
    for _ in range(epochs):
        for x, y in nn.batches(images, labels, size=128, rng=rng):
            value, gradient = value_and_grad(model, x, y)
            model = optimizer.update(model, optim.clip_by_norm(gradient, 1.0))
            losses.append(float(value))
    return losses


def timed(name: str, value_and_grad: Callable[..., tuple[xp.Array, nn.Module]], epochs: int) -> list[float]:
    """Train, and print the time and the losses."""
    start = perf_counter()
    losses = train(value_and_grad, epochs)
    seconds = perf_counter() - start
    print(f"{name}: {len(losses)} steps, loss {losses[0]:.4f} to {losses[-1]:.4f}, {seconds:.1f} s")
    return losses


def main() -> None:
    """Train in this process and on a cluster, and compare the losses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    expected = timed("one process", autograd.value_and_grad(loss), options.epochs)
    with Client(n_workers=options.workers, threads_per_worker=1, dashboard_address=":0") as client:
        parallel = nn.data_parallel(loss, client, options.workers)
        losses = timed(f"{options.workers} processes", parallel, options.epochs)
    print(f"largest difference {max(abs(a - b) for a, b in zip(expected, losses, strict=True)):.1e}")


if __name__ == "__main__":
    main()
