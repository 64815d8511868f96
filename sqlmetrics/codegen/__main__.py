"""`python -m sqlmetrics.codegen`: write the generated files."""

import sys

from .generate import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
