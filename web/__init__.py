"""Web pages to view datasets, collect annotations and hold exams."""

from importlib import import_module

from ..errors import MissingExtra, install_command

_NEEDED = ("starlette", "uvicorn", "jinja2", "multipart")


def require() -> None:
    """Raise MissingExtra if the packages of the extra are not installed."""
    for name in _NEEDED:
        try:
            import_module(name)
        except ImportError as error:
            raise MissingExtra(f"pages need {error.name}: {install_command('web')}") from None
