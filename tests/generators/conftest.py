"""Path of modules that tests of generators import."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "importable"))
