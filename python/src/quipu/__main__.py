"""`python -m quipu` is the `quipu` command."""

from ._command import main

main()
