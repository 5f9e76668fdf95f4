"""The command line: `train` and `export`. The defaults stand here and nowhere else."""

import argparse
import errno
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .base import Base, open_base
from .conversation import Fitting, encode_all, require_some
from .data import Dataset, read_dataset
from .dtype import best_dtype
from .errors import TuneError
from .files import check_room, sha256_of
from .names import LINEAR
from .progress import Progress, duration
from .run_folder import Parameters, RunFolder, identity_of, new_record, save_record
from .tokens import open_vocabulary

if TYPE_CHECKING:
    from .training import Trainer

FAILED, INTERRUPTED = 2, 130


def main(arguments: Sequence[str]) -> int:
    """Runs a command; returns the exit code: 0, 2 for what the user can put right, 130."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except TuneError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(_disk_message(error))
    except KeyboardInterrupt:
        print("\nquipu_tune: stopped; add --resume to go on", file=sys.stderr)
        return INTERRUPTED


def _fail(message: str) -> int:
    print(f"quipu_tune: {message}", file=sys.stderr)
    return FAILED


def _disk_message(error: OSError) -> str:
    place = error.filename or "the run's folder"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space is left for {place}; free some, then add --resume to go on"
    return f"{place}: {error.strerror or error}"


def parser() -> argparse.ArgumentParser:
    """The options of both commands."""
    top = argparse.ArgumentParser(
        prog="quipu_tune", description="Fine-tunes a small chat model by LoRA, to GGUF."
    )
    commands = top.add_subparsers(dest="command", required=True)
    train = commands.add_parser(
        "train",
        help="train an adapter",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    train.set_defaults(run=_train)
    _add_files(train)
    _add_parameters(train)
    _add_length(train)
    export = commands.add_parser("export", help="write RUN/adapter.gguf from the best checkpoint")
    export.set_defaults(run=_export)
    export.add_argument("folder", type=Path, metavar="RUN", help="folder of a run")
    return top


def _add_files(train: argparse.ArgumentParser) -> None:
    add = train.add_argument
    add("--data", type=Path, required=True, metavar="DIR", help="what `quipu tune export` wrote")
    add("--base", type=Path, required=True, metavar="PATH", help="GGUF, or folder of safetensors")
    add("--out", type=Path, required=True, metavar="RUN", help="folder of this run")
    add("--begin-with", type=Path, metavar="FILE", help="an adapter of this base to train further")
    add("--base-name", metavar="NAME", help="what Quipu calls the base; else its own name")
    add("--resume", action="store_true", help="go on with the run in RUN, if there is one")


def _add_parameters(train: argparse.ArgumentParser) -> None:
    add = train.add_argument
    add("--rank", type=_positive(int), default=16, help="rank of the LoRA")
    add("--alpha", type=_positive(float), default=32.0, help="alpha / rank scales the LoRA")
    add("--dropout", type=_share, default=0.05, help="dropout before the LoRA")
    add("--learning-rate", type=_positive(float), default=5e-5, help="of AdamW, KERAG's")
    add("--batch", type=_positive(int), default=1, help="examples in one sequence")
    add("--accumulate", type=_positive(int), default=8, help="batches a step")
    add("--max-tokens", type=_positive(int), default=2048, help="longer examples are left out")
    add("--validate-every", type=_positive(int), metavar="N", help="steps; else an epoch, max 50")
    add("--seed", type=int, default=0, help="of the order of examples, LoRA's start, dropout")
    add(
        "--dtype",
        choices=["auto", "bfloat16", "float32"],
        default="auto",
        help="of the base; auto: bfloat16 where the device multiplies in it, else float32",
    )
    add("--device", choices=["cpu", "cuda"], default="cpu", help="where to train")
    add("--checkpointing", action="store_true", help="less memory, a third more time")


def _add_length(train: argparse.ArgumentParser) -> None:
    add = train.add_argument
    add("--epochs", type=_positive(int), default=20, help="KERAG's; may be raised with --resume")
    add("--steps", type=_positive(int), help="end after so many steps, whatever the epochs")
    add("--patience", type=_natural, default=4, help="end after N validations no better; 0: never")
    add(
        "--cool-down",
        type=_share,
        default=0.0,
        help="the last share of the steps, over which the learning rate falls to 0",
    )


def _positive(kind: Callable[[str], float]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        value = kind(text)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError("wants a number above 0")
        return value

    return read


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("wants 0 or more")
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError("wants a number from 0 to below 1")
    return value


def _train(options: argparse.Namespace) -> int:
    progress = Progress()
    data = read_dataset(options.data)
    base = open_base(options.base, options.base_name)
    folder = RunFolder(options.out)
    folder.hold()
    parameters = Parameters(
        rank=options.rank,
        alpha=options.alpha,
        dropout=options.dropout,
        learning_rate=options.learning_rate,
        batch=options.batch,
        accumulate=options.accumulate,
        max_tokens=options.max_tokens,
        validate_every=options.validate_every or 0,
        seed=options.seed,
        dtype=_dtype(options, folder),
        begins_with=_checksum(options.begin_with),
    )
    goes_on = folder.begin(identity_of(base, data, parameters), options.resume)
    check_room(folder.path, _room_needed(base, parameters.rank))
    train, validation = _encoded(data, base, parameters.max_tokens, progress)
    _require_torch(options.device)
    trainer = _trainer(options, parameters, folder, base, data, (train, validation), progress)
    if goes_on:
        trainer.restore()
        progress.say(f"going on after step {trainer.state.step} of {trainer.plan.steps}")
    trainer.run()
    return _finish(trainer, progress)


def _checksum(file: Path | None) -> str | None:
    if file is None:
        return None
    if not file.is_file():
        raise TuneError(f"there is no {file}; --begin-with wants an adapter.gguf")
    return sha256_of(file)


def _dtype(options: argparse.Namespace, folder: RunFolder) -> str:
    """What "auto" stands for: what a run to go on with has, else what the device is fast in."""
    if options.dtype != "auto":
        return str(options.dtype)
    if options.resume and folder.record_file.is_file():
        stored = folder.record().get("identity", {}).get("parameters", {}).get("dtype")
        if stored:
            return str(stored)
    return best_dtype(options.device)


def _encoded(
    data: Dataset, base: Base, max_tokens: int, progress: Progress
) -> tuple[Fitting, Fitting]:
    """Both parts of the data in tokens; says how many there are and what was left out."""
    vocabulary = open_vocabulary(base)
    train = encode_all(data.train, vocabulary, max_tokens)
    validation = encode_all(data.validation, vocabulary, max_tokens)
    require_some(train, max_tokens)
    kinds = ", ".join(f"{count} {kind}" for kind, count in data.kinds().items())
    progress.say(
        f"{len(train.examples)} training examples ({kinds}), {len(validation.examples)} to "
        f"validate; the longest has {max(train.longest, validation.longest)} tokens"
    )
    left_out = train.left_out + validation.left_out
    if left_out:
        progress.say(
            f"LEFT OUT: {train.left_out} training and {validation.left_out} validation examples "
            f"of more than {max_tokens} tokens (--max-tokens)"
        )
    if not validation.examples:
        progress.say("no validation examples: the last checkpoint will be exported")
    return train, validation


def _trainer(
    options: argparse.Namespace,
    parameters: Parameters,
    folder: RunFolder,
    base: Base,
    data: Dataset,
    encoded: tuple[Fitting, Fitting],
    progress: Progress,
) -> "Trainer":
    progress.say("loading torch")
    from .model import DTYPES, load_network, start_from, with_lora
    from .passes import Passes
    from .training import Length, Plan, Trainer

    progress.say(f"reading {base.path.name} as {parameters.dtype}")
    network = load_network(base, DTYPES[parameters.dtype], progress)
    if options.checkpointing:
        network.gradient_checkpointing_enable({"use_reentrant": False})
    tuned = with_lora(network, parameters).to(options.device)
    if options.begin_with:
        start_from(tuned, options.begin_with, base, parameters)
        progress.say(f"beginning with {options.begin_with.name}")
    trained = sum(weight.numel() for weight in tuned.parameters() if weight.requires_grad)
    progress.say(f"{base.name}: {trained:,} trained parameters, rank {parameters.rank}")
    train, validation = encoded
    record = new_record(base, data, parameters)
    if folder.checkpoint_file.exists():
        record["results"] = folder.record().get("results", {})
    save_record(
        folder,
        record,
        device=options.device,
        examples={
            "train": len(train.examples),
            "validation": len(validation.examples),
            "left_out": train.left_out + validation.left_out,
        },
    )
    length = Length(options.epochs, options.steps, options.patience, options.cool_down)
    passes = Passes(tuned, options.device, options.batch, shares=not options.checkpointing)
    return Trainer(
        folder,
        record,
        Plan([example.beginning for example in train.examples], parameters, length),
        train.examples,
        validation.examples,
        passes,
        progress,
    )


def _finish(trainer: "Trainer", progress: Progress) -> int:
    state, folder = trainer.state, trainer.folder
    size = folder.export()
    if trainer.validation and state.base_loss is not None:
        progress.say(
            f"validation loss {state.base_loss:.3f} -> {state.best_loss:.3f} "
            f"at step {state.best_step}; {duration(state.seconds)}"
        )
        if state.best_loss >= state.base_loss:
            progress.say("WARNING: no checkpoint is better than the base; do not use the adapter")
    progress.say(f"adapter: {size / 1e6:.1f} MB")
    print(folder.adapter_file)
    return 0


def _export(options: argparse.Namespace) -> int:
    folder = RunFolder(options.folder)
    folder.record()
    folder.hold()
    size = folder.export()
    print(f"adapter: {size / 1e6:.1f} MB", file=sys.stderr)
    print(folder.adapter_file)
    return 0


def _room_needed(base: Base, rank: int) -> int:
    """Bytes of two checkpoints (weights and two moments, float32), the best and the adapter."""
    keys, prefix = base.metadata, base.architecture
    width = int(keys.get(f"{prefix}.embedding_length") or keys.get("hidden_size") or 1024)
    inner = int(
        keys.get(f"{prefix}.feed_forward_length") or keys.get("intermediate_size") or 4 * width
    )
    a_block = rank * (4 * 2 * width + (len(LINEAR) - 4) * (width + inner))
    return base.shape.blocks * a_block * (2 * 12 + 2 * 4 + 2 * 2)


def _require_torch(device: str) -> None:
    missing = [
        name for name in ("torch", "transformers", "peft") if not importlib.util.find_spec(name)
    ]
    if missing:
        raise TuneError(
            f"{missing[0]} is not installed here; training/setup.sh makes .venv-training: "
            "use its python"
        )
    if device == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise TuneError(
                "--device cuda: torch sees no CUDA GPU; leave --device out to train on the CPU"
            )
