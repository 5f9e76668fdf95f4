"""Shared beginnings and padding change neither logits nor gradients."""

import pytest
import torch

import tiny
from quipu_tune.conversation import Encoded
from quipu_tune.model import lora_parameters, with_lora
from quipu_tune.passes import LEAST_SHARED, Group, Passes, groups_of
from quipu_tune.run_folder import Parameters

BEGINNING = tuple(range(40, 40 + LEAST_SHARED + 3))
EXAMPLES = [
    Encoded((*BEGINNING, 5, 80, 81, 99, 7), len(BEGINNING) + 3),
    Encoded((*BEGINNING, 6, 17), len(BEGINNING) + 1),
    Encoded((9, 8, 7), 2),
    Encoded((*BEGINNING, 6, 80, 12, 11), len(BEGINNING) + 2),
]


def gradients(batch: int, shares: bool) -> tuple[dict[str, torch.Tensor], float]:
    """Gradients of all LoRA matrices, and the summed loss."""
    parameters = Parameters(4, 8.0, 0.0, 1.0, batch, 1, 1, 1, 0, "float32")
    tuned = with_lora(tiny.network("llama"), parameters)
    weights = lora_parameters(tuned)
    with torch.no_grad():
        for weight in weights.values():
            weight.normal_(std=0.2)
    total = 0.0

    def use(logits: torch.Tensor, targets: torch.Tensor) -> None:
        nonlocal total
        loss = torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
        loss.backward()  # type: ignore[no-untyped-call]
        total += loss.item()

    Passes(tuned, "cpu", batch, shares).run(EXAMPLES, use)
    return {key: weight.grad for key, weight in weights.items() if weight.grad is not None}, total


@pytest.mark.parametrize("batch", [1, 2, 4])
@pytest.mark.parametrize("shares", [True, False])
def test_gradients_are_those_of_single_passes(batch: int, shares: bool) -> None:
    """Whatever is read together."""
    expected, loss = gradients(batch=1, shares=False)
    got, shared_loss = gradients(batch, shares)
    assert shared_loss == pytest.approx(loss, rel=1e-4)
    assert got.keys() == expected.keys()
    for key, gradient in expected.items():
        assert gradient.abs().max() > 0
        assert torch.allclose(got[key], gradient, rtol=1e-3, atol=1e-4), key


def test_examples_are_grouped_by_what_they_share() -> None:
    """A single one shares nothing."""
    groups = groups_of(EXAMPLES)
    assert [(len(group.examples), group.shared) for group in groups] == [
        (1, 0),
        (3, len(BEGINNING)),
    ]


def test_a_target_is_never_shared() -> None:
    """Nor the token that predicts its first one."""
    tokens = tuple(range(2 * LEAST_SHARED))
    group = groups_of([Encoded(tokens, 50), Encoded(tokens, 50)])
    assert [made.shared for made in group] == [49]
    assert groups_of([Encoded(tokens, 9), Encoded(tokens, 50)])[0] == Group([Encoded(tokens, 9)], 0)
