"""The losses of a run: `losses.csv` grows step by step, `losses.svg` draws it."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .files import write_whole

COLUMNS = (
    "step",
    "tokens",
    "train_loss",
    "validation_loss",
    "validation_token_accuracy",
    "seconds",
)


@dataclass(frozen=True)
class Row:
    """One step. Losses are nats a token; what was not measured at this step is None."""

    step: int
    tokens: int
    """Tokens read since the run began, prompts included."""
    train_loss: float | None
    validation_loss: float | None
    validation_token_accuracy: float | None
    seconds: float
    """Since the run began, without the time it lay stopped."""

    def cells(self) -> list[str]:
        """The row as CSV; repr keeps every digit of a float."""
        values = [getattr(self, column) for column in COLUMNS]
        values[-1] = round(self.seconds, 1)
        return ["" if value is None else str(value) for value in values]


def begin(file: Path, rows: Sequence[Row] = ()) -> None:
    """Writes the header and the rows that are known already."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(row.cells() for row in rows)
    write_whole(file, text.getvalue().encode())


def append(file: Path, row: Row) -> None:
    """Adds a row."""
    with file.open("a", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerow(row.cells())


def read(file: Path, last_step: int) -> list[Row]:
    """The rows up to a step. Later ones, and one that was cut short, belong to a broken-off try."""
    rows = []
    with file.open(encoding="utf-8", newline="") as stream:
        for cells in csv.DictReader(stream):
            row = _row(cells)
            if row is None or row.step > last_step:
                break
            rows.append(row)
    return rows


def _row(cells: dict[str, str]) -> Row | None:
    """A row, or nothing where it was cut short."""

    def number(column: str) -> float | None:
        return float(cells[column]) if cells[column] else None

    try:
        return Row(
            int(cells["step"]),
            int(cells["tokens"]),
            number("train_loss"),
            number("validation_loss"),
            number("validation_token_accuracy"),
            float(cells["seconds"]),
        )
    # A cell that is not there is None.
    except (KeyError, ValueError, TypeError):
        return None


WIDTH, HEIGHT, MARGIN = 720, 360, 48
SERIES = (("train_loss", "training", "#8a8f98"), ("validation_loss", "validation", "#c2410c"))


def draw(file: Path, rows: Sequence[Row], best_step: int | None) -> None:
    """Draws both losses over the steps, with a line at the exported checkpoint."""
    losses = [
        loss for row in rows for loss in (row.train_loss, row.validation_loss) if loss is not None
    ]
    if not losses:
        return
    last = max(row.step for row in rows) or 1
    top = max(losses) * 1.05 or 1.0

    def x(step: int) -> float:
        return round(MARGIN + (WIDTH - 2 * MARGIN) * step / last, 1)

    def y(loss: float) -> float:
        return round(HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * loss / top, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for tick in range(5):
        loss = top * tick / 4
        parts += [
            f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y(loss)}" y2="{y(loss)}" '
            'stroke="#e5e7eb"/>',
            f'<text x="{MARGIN - 6}" y="{y(loss) + 4}" text-anchor="end">{loss:.2f}</text>',
        ]
    parts += [
        f'<text x="{x(step)}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{step}</text>'
        for step in sorted({0, last // 2, last})
    ]
    parts.append(
        f'<text x="{WIDTH // 2}" y="{HEIGHT - 8}" text-anchor="middle">step '
        "(loss in nats a token)</text>"
    )
    if best_step is not None:
        parts.append(
            f'<line x1="{x(best_step)}" x2="{x(best_step)}" y1="{MARGIN}" '
            f'y2="{HEIGHT - MARGIN}" stroke="#c2410c" stroke-dasharray="3 3"/>'
        )
    for place, (column, label, colour) in enumerate(SERIES):
        points = [
            (x(row.step), y(getattr(row, column)))
            for row in rows
            if getattr(row, column) is not None
        ]
        listed = " ".join(f"{left},{above}" for left, above in points)
        parts.append(
            f'<polyline points="{listed}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(f'<text x="{MARGIN + 110 * place}" y="24" fill="{colour}">{label} loss</text>')
    write_whole(file, ("\n".join([*parts, "</svg>"]) + "\n").encode())
