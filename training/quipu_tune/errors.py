"""What a user can put right."""


class TuneError(Exception):
    """Says what happened, to which thing, and what to do next; shown without a traceback."""
