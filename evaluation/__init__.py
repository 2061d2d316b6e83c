"""Tasks, models, their results, and reports."""

from ..errors import MissingExtra, install_command

try:
    import numpy
except ImportError:
    raise MissingExtra(f"evaluation needs numpy: {install_command('eval')}") from None
del numpy
