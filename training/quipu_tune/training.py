"""The training loop: steps, validation, checkpoints, and going on after a stop.

The order of the examples follows from seed and epoch, dropout from seed and step. So a run that was
stopped and gone on with takes the same steps as one that was not.
"""

import io
import math
import pickle
import random
import resource
import sys
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from . import losses
from .adapter import write_matrices
from .conversation import Encoded
from .errors import TuneError
from .files import write_whole
from .model import lora_matrices, lora_parameters
from .passes import Passes
from .progress import Progress, duration
from .run_folder import Parameters, RunFolder, save_record

WARM_UP_STEPS = 10
LARGEST_GRADIENT = 1.0
SAVED_EVERY = 60.0
"""Most seconds of work that a kill may cost, beyond the step that was under way."""
SEED_STRIDE = 1_000_003


@dataclass(frozen=True)
class Length:
    """How long a run lasts; may change between two commands of one run."""

    epochs: int
    steps: int | None
    patience: int
    """Validations in a row without a better loss after which the run ends; 0: never."""
    cool_down: float = 0.0
    """The last share of the steps, over which the rate falls to 0."""


@dataclass
class State:
    """Where a run stands."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    best_step: int | None = None
    best_loss: float = math.inf
    base_loss: float | None = None
    """Validation loss before the first step."""
    worse: int = 0
    """Validations since the best one."""
    finished: bool = False


@dataclass
class Score:
    """What a validation measured."""

    loss: float
    accuracy: float


@dataclass
class Plan:
    """Which examples make which step."""

    beginnings: Sequence[Hashable]
    """For each example how it begins. Examples that begin alike make a step, as far as possible:
    their beginning is then read once."""
    parameters: Parameters
    length: Length

    @property
    def count(self) -> int:
        """Examples in an epoch."""
        return len(self.beginnings)

    @property
    def a_step(self) -> int:
        """Examples in a step."""
        return self.parameters.batch * self.parameters.accumulate

    @property
    def steps_an_epoch(self) -> int:
        """The last step of an epoch may have fewer examples."""
        return math.ceil(self.count / self.a_step)

    @property
    def steps(self) -> int:
        """Steps of the whole run."""
        if self.length.steps is not None:
            return self.length.steps
        return self.length.epochs * self.steps_an_epoch

    @property
    def validate_every(self) -> int:
        """Steps between two validations: as asked, else an epoch, at most 50."""
        return self.parameters.validate_every or min(50, self.steps_an_epoch)

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        rate = self.parameters.learning_rate * min(1.0, step / WARM_UP_STEPS)
        cooling = self.length.cool_down * self.steps
        return rate * min(1.0, (self.steps - step + 1) / cooling) if cooling >= 1.0 else rate

    def examples(self, step: int) -> list[int]:
        """The examples of a step; steps count from 1."""
        epoch, place = divmod(step - 1, self.steps_an_epoch)
        chance = random.Random(f"{self.parameters.seed}/{epoch}")
        order = list(range(self.count))
        chance.shuffle(order)
        alike: dict[Hashable, list[int]] = {}
        for index in order:
            alike.setdefault(self.beginnings[index], []).append(index)
        whole, rest = [], []
        for indices in alike.values():
            end = len(indices) - len(indices) % self.a_step
            whole += [indices[at : at + self.a_step] for at in range(0, end, self.a_step)]
            rest += indices[end:]
        whole += [rest[at : at + self.a_step] for at in range(0, len(rest), self.a_step)]
        chance.shuffle(whole)
        return whole[place]

    def is_validated(self, step: int) -> bool:
        """Whether a validation follows a step; the last one always is."""
        return step % self.validate_every == 0 or step >= self.steps


@dataclass
class Trainer:
    """One run. `run` goes from where `state` stands to the end."""

    folder: RunFolder
    record: dict[str, Any]
    plan: Plan
    train: list[Encoded]
    validation: list[Encoded]
    passes: Passes
    progress: Progress
    state: State = field(default_factory=State)

    def __post_init__(self) -> None:
        self.tuned = self.passes.tuned
        self.weights = lora_parameters(self.tuned)
        self.optimizer = torch.optim.AdamW(
            self.weights.values(), lr=self.plan.parameters.learning_rate, weight_decay=0.0
        )
        self.rows: list[losses.Row] = []
        self._saved = time.monotonic()
        self._begun = time.monotonic()
        self._steps_here = 0
        self._seconds_before = 0.0

    def run(self) -> None:
        """Trains to the end. May be killed at any moment; `restore` goes on."""
        try:
            self._run()
        except torch.OutOfMemoryError:
            raise TuneError(
                "the GPU has too little memory; lower --batch or --max-tokens, or add "
                "--checkpointing, with another --out"
            ) from None

    def _run(self) -> None:
        self._begun = time.monotonic() - self.state.seconds
        self._seconds_before = self.state.seconds
        if self.state.step == 0 and not self.rows:
            self._first_row()
        while self.state.step < self.plan.steps and not self._patience_is_over():
            self._one_step(self.state.step + 1)
        self.state.finished = True
        self._save()
        self._results("finished")

    def _first_row(self) -> None:
        """The base's own loss, to compare with."""
        losses.begin(self.folder.losses_file)
        score = self._validate()
        self.state.base_loss = score.loss if score else None
        self._add_row(None, score)
        if score:
            self.progress.say(
                f"before training: validation loss {score.loss:.3f}, "
                f"{score.accuracy:.1%} of the tokens right"
            )

    def _one_step(self, step: int) -> None:
        loss = self._learn(step)
        state = self.state
        state.step = step
        self._steps_here += 1
        score = self._validate() if self.plan.is_validated(step) else None
        self._add_row(loss, score)
        validated = self.plan.is_validated(step)
        if validated:
            self._keep_if_best(score)
        if validated or time.monotonic() - self._saved > SAVED_EVERY:
            self._save()
            self._results("running")
        if validated or self.progress.is_due(5.0):
            self.progress.say(self._line(loss, score))

    def _learn(self, step: int) -> float:
        """One step of the optimiser; the loss is the mean over the step's learnt tokens."""
        parameters = self.plan.parameters
        examples = [self.train[index] for index in self.plan.examples(step)]
        learnt = sum(example.learnt for example in examples)
        torch.manual_seed(parameters.seed * SEED_STRIDE + step)
        self.tuned.train()
        total, done = 0.0, 0

        def use(logits: torch.Tensor, targets: torch.Tensor) -> None:
            nonlocal total, done
            loss = torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
            (loss / learnt).backward()  # type: ignore[no-untyped-call]
            total += loss.item()
            done += len(targets)
            self.progress.alive(f"step {step}: {done / learnt:.0%}")

        self.passes.run(examples, use)
        if not math.isfinite(total):
            raise TuneError(
                f"the loss of step {step} is not finite; lower --learning-rate, "
                "or take --dtype float32, with another --out"
            )
        for group_of_weights in self.optimizer.param_groups:
            group_of_weights["lr"] = self.plan.rate(step)
        torch.nn.utils.clip_grad_norm_(self.weights.values(), LARGEST_GRADIENT)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.state.tokens += sum(len(example.tokens) for example in examples)
        return total / learnt

    def _validate(self) -> Score | None:
        """Loss and accuracy a token over all validation examples; None where there are none."""
        if not self.validation:
            return None
        total, right, learnt = 0.0, 0, 0
        whole = sum(example.learnt for example in self.validation)

        def use(logits: torch.Tensor, targets: torch.Tensor) -> None:
            nonlocal total, right, learnt
            total += torch.nn.functional.cross_entropy(logits, targets, reduction="sum").item()
            right += int((logits.argmax(-1) == targets).sum())
            learnt += len(targets)
            self.progress.alive(f"validation: {learnt / whole:.0%}")

        self.tuned.eval()
        with torch.no_grad():
            self.passes.run(self.validation, use)
        return Score(total / learnt, right / learnt)

    def _keep_if_best(self, score: Score | None) -> None:
        """Without validation examples the latest checkpoint is the best one."""
        state = self.state
        loss = score.loss if score else -float(state.step)
        if loss < state.best_loss:
            state.best_step, state.best_loss, state.worse = state.step, loss, 0
            write_matrices(self.folder.best_file, lora_matrices(self.tuned))
        else:
            state.worse += 1

    def _patience_is_over(self) -> bool:
        patience = self.plan.length.patience
        if patience and self.state.worse >= patience:
            self.progress.say(f"stopped: {patience} validations in a row were no better")
            return True
        return False

    def _add_row(self, loss: float | None, score: Score | None) -> None:
        state = self.state
        state.seconds = time.monotonic() - self._begun
        row = losses.Row(
            state.step,
            state.tokens,
            loss,
            score.loss if score else None,
            score.accuracy if score else None,
            state.seconds,
        )
        losses.append(self.folder.losses_file, row)
        self.rows.append(row)

    def _line(self, loss: float, score: Score | None) -> str:
        state, plan = self.state, self.plan
        here = state.seconds - self._seconds_before
        a_step = here / self._steps_here
        parts = [
            f"step {state.step} of {plan.steps}",
            f"epoch {state.step / plan.steps_an_epoch:.1f}",
            f"loss {loss:.3f}",
        ]
        if score:
            best = " (best)" if state.best_step == state.step else ""
            parts.append(f"validation {score.loss:.3f}{best}, {score.accuracy:.1%} right")
        left = duration(a_step * (plan.steps - state.step))
        return "  ".join([*parts, f"{a_step:.1f} s a step", f"{left} left"])

    def _save(self) -> None:
        content = io.BytesIO()
        torch.save(
            {
                "state": vars(self.state),
                "weights": {key: value.detach().cpu() for key, value in self.weights.items()},
                "optimizer": self.optimizer.state_dict(),
            },
            content,
        )
        write_whole(self.folder.checkpoint_file, content.getvalue())
        self._saved = time.monotonic()

    def restore(self) -> None:
        """Takes up the state of the last checkpoint."""
        file = self.folder.checkpoint_file
        try:
            stored = torch.load(file, map_location=self.passes.device, weights_only=True)
            self.optimizer.load_state_dict(stored["optimizer"])
            with torch.no_grad():
                for key, parameter in self.weights.items():
                    parameter.copy_(stored["weights"][key])
            self.state = State(**stored["state"])
        except (RuntimeError, KeyError, TypeError, ValueError, EOFError, pickle.PickleError):
            raise TuneError(f"{file} is damaged; begin anew in another folder") from None
        self.state.finished = False
        self.rows = losses.read(self.folder.losses_file, self.state.step)
        losses.begin(self.folder.losses_file, self.rows)

    def _results(self, state_word: str) -> None:
        state = self.state
        losses.draw(self.folder.drawing_file, self.rows, state.best_step)
        save_record(
            self.folder,
            self.record,
            state=state_word,
            results={
                "steps": state.step,
                "epochs": round(state.step / self.plan.steps_an_epoch, 2),
                "tokens": state.tokens,
                "seconds": round(state.seconds, 1),
                "validation_loss_before": state.base_loss,
                "best_step": state.best_step,
                "best_validation_loss": state.best_loss if self.validation else None,
                "peak_memory_mib": peak_memory_mib(self.passes.device),
            },
        )


def peak_memory_mib(device: str) -> int:
    """The most memory that the process, or its GPU, has held so far."""
    if device == "cuda":
        return int(torch.cuda.max_memory_allocated() // 2**20)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak // 2**20 if sys.platform == "darwin" else peak // 2**10)
