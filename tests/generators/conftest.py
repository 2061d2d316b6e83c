"""Path of modules that tests of generators import."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "importable"))
sys.path.append(str(Path(__file__).parents[1] / "core" / "importable"))  # scorer_probes
