"""One reference process: `python -m pix_conformance.reference --port 0`."""

import sys

# PyJWT signs with HS256 here, without cryptography, whose import takes 0.2 s of the start.
sys.modules["cryptography"] = None  # type: ignore[assignment]  # Python then finds no such module

from pix_conformance.reference.process_main import main  # noqa: E402 - after the line above

del sys.modules["cryptography"]  # a mutant's rules may import it

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
