"""Train a convolutional network on the digits of scikit-learn, and print its accuracy on images that it never saw."""

from __future__ import annotations

import argparse
from time import perf_counter

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import xtensor as xp
from xtensor import autograd, nn, optim


def network(rng: xp.random.Generator) -> nn.Module:
    """Return a network of two convolutions and two linear layers."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1, rng=rng),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1, rng=rng),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.3, rng=rng),
        nn.Linear(64 * 4 * 4, 128, rng=rng),
        nn.ReLU(),
        nn.Linear(128, 10, rng=rng),
    )


def main() -> None:
    """Train and test."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--device", default=None, help="device of the arrays; default: xtensor's default device")
    options = parser.parse_args()
    digits = load_digits()
    with xp.use_device(options.device or xp.default_device()):
        images = xp.asarray(digits.images[:, None] / 16, dtype=xp.float32)
        labels = xp.asarray(digits.target)
        train, test = (
            xp.asarray(part) for part in train_test_split(range(len(labels)), test_size=0.25, random_state=0)
        )
        rng = xp.random.default_rng(0)
        model = network(rng)
        steps = options.epochs * (len(train) // 64 + 1)
        optimizer = optim.AdamW(model, lr=optim.cosine(3e-3, steps=steps, warmup=20), weight_decay=0.01)

        @xp.fuse
        def step(model: nn.Module, optimizer: optim.Optimizer, x: xp.Array, y: xp.Array) -> xp.Array:
            value, gradient = autograd.value_and_grad(lambda m: nn.functional.cross_entropy(m(x), y))(model)
            optimizer.update(model, gradient)
            return value

        start = perf_counter()
        for epoch in range(options.epochs):
            losses = [
                step(model, optimizer, x, y)
                for x, y in nn.batches(xp.take(images, train, axis=0), xp.take(labels, train), size=64, rng=rng)
            ]
            print(f"epoch {epoch + 1:2}: loss {float(xp.mean(xp.stack(losses))):.4f}, {perf_counter() - start:.1f} s")
        model.eval()
        predicted = xp.argmax(model(xp.take(images, test, axis=0)), axis=1)
        accuracy = float(xp.mean(xp.astype(predicted == xp.take(labels, test), xp.float64)))
    print(f"accuracy {accuracy:.2%} on {len(test)} images that were not used for training")


if __name__ == "__main__":
    main()
