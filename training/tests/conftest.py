"""Tiny models are slower on two threads than on one; and other programs may use the cores."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
