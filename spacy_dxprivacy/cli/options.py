"""What commands share: options, errors as one line and an exit status, and progress bars."""

from __future__ import annotations

import errno
import inspect
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator
from configparser import InterpolationError
from contextlib import contextmanager, suppress
from dataclasses import MISSING, fields
from functools import partial, wraps
from pathlib import Path
from threading import Event, Thread
from typing import Annotated, Any, NoReturn, get_args, get_origin, get_type_hints

import typer
from spacy.cli._util import parse_config_overrides
from thinc.api import ConfigValidationError
from tqdm import tqdm
from typer import Argument, Option

from ..config.options import FileOptions, PipelineOptions, ServiceOptions
from ..errors import DxError, DxWarning, UsageError
from ..progress import bar, lines

Force = Annotated[bool, Option("--force", "-F", help="Overwrite existing files")]
Field = Annotated[str, Option("--field", help="Field of .jsonl and .csv that holds the text")]
Receipt = Annotated[Path | None, Option("--receipt", help="Receipt of the release")]
Code = Annotated[
    Path | None, Option("--code", help="Python file to run first, with your own components")
]
Mechanism = Annotated[
    str | None,
    Option("--mechanism", "-m", help="Mechanism: path (default), 'mahalanobis lam=1', ..."),
]
Epsilon = Annotated[
    float | None, Option("--epsilon", "-e", help="Privacy parameter: smaller is more private")
]
Space = Annotated[
    str, Option("--space", help="Word vectors: builtin, a saved space, or a pipeline")
]
MaxWords = Annotated[
    int | None, Option("--max-words", min=2, help="Use the first N words of the space")
]
Mechanisms = Annotated[
    list[str] | None,
    Option("--mechanism", "-m", help="Mechanism, such as 'nadp tau=0.5'; may be repeated"),
]
Epsilons = Annotated[
    str | None,
    Option("--epsilon", "-e", help="Values of epsilon: LOW:HIGH:STEPS, or a list 1.8,2.2,3"),
]
AsJson = Annotated[bool, Option("--json", help="Print JSON")]
Target = Annotated[Path, Argument(metavar="OUT", show_default=False, help="Folder to write")]

# -- settings as options ---------------------------------------------------------------------------

SETTINGS = (FileOptions, PipelineOptions, ServiceOptions)


def from_settings(
    *names: str, without: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace parameters of a command whose type is in SETTINGS with an option for each setting.

    names: the pipeline settings that get an option; all if empty. without: settings that get none.
    Overrides also become settings of the pipeline.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        keyword = inspect.Parameter.KEYWORD_ONLY
        kinds = {p.name: p.annotation for p in signature.parameters.values()
                 if p.annotation in SETTINGS}  # fmt: skip
        options = {
            name: {
                option.name: option.replace(kind=keyword)
                for option in options_of(kind)
                if option.name not in without
                if kind is not PipelineOptions or option.name in (names or (option.name,))
            }
            for name, kind in kinds.items()
        }

        @wraps(command)
        def with_settings(ctx: typer.Context, **values: Any) -> None:
            for name, kind in kinds.items():
                settings = {key: values.pop(key) for key in options[name]}
                if kind is PipelineOptions:
                    settings["overrides"] = parse_config_overrides(list(ctx.args), env_var=None)
                values[name] = kind(**settings)
            command(**values)

        parameters = [inspect.Parameter("ctx", keyword, annotation=typer.Context)]
        for parameter in signature.parameters.values():
            shared = options.get(parameter.name)
            parameters += shared.values() if shared else [parameter.replace(kind=keyword)]
        with_settings.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        with_settings.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_settings

    return decorate


def options_of(settings: type) -> list[inspect.Parameter]:
    """Return options for the fields of a dataclass that are annotated with help text and flags."""
    hints, options = get_type_hints(settings, include_extras=True), []
    for setting in fields(settings):
        if get_origin(hints[setting.name]) is not Annotated:
            continue
        hint, text, *flags = get_args(hints[setting.name])
        is_list = get_origin(hint) is tuple
        kind: Any = list[str] if is_list else (get_args(hint) or (hint,))[0]
        default = None if is_list or setting.default is MISSING else setting.default
        flags = [f"--{setting.name.replace('_', '-')}", *flags]
        option = Option(*flags, help=text, show_default=default not in (None, ""))
        annotation: Any = Annotated[kind if default is not None else kind | None, option]
        options.append(
            inspect.Parameter(
                setting.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
        )
    return options


REMOVED = "Incomplete outputs were removed."


# -- errors ----------------------------------------------------------------------------------------


@contextmanager
def errors_as_one_line(command: str) -> Iterator[None]:
    """Exit with status 2 for a usage error, 1 for other errors, 130 for Ctrl-C.

    No traceback is printed: messages of exceptions of other packages may quote a text.
    """
    usual = warnings.formatwarning

    def format_warning(
        message: Warning | str, category: type[Warning], *place: Any, **line: Any
    ) -> str:
        """Show DxWarnings without their line of code."""
        if issubclass(category, DxWarning):
            return f"{command}: {message}\n"
        return usual(message, category, *place, **line)

    warnings.formatwarning = format_warning
    try:
        yield
    except typer.Exit:
        raise
    except DxError as error:
        stop(command, name_options(str(error)), 2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt:
        stop(command, f"stopped. {REMOVED}", 130)
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader of stdout has closed it: click exits silently
            raise
        discard_stdout()
        # Of a hidden file that is being written, its folder is named.
        place = f"{Path(error.filename).parent}: " if error.filename else ""
        stop(command, f"{place}{error.strerror or type(error).__name__}. {REMOVED}", 1)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        stop(command, f"failed with {type(error).__name__} in {place}. {REMOVED}", 1)
    finally:
        warnings.formatwarning = usual


def stop(command: str, message: str, status: int) -> NoReturn:
    """Print a message as one line on stderr, and exit."""
    typer.echo(f"{command}: {' '.join(message.split())}", err=True)
    raise typer.Exit(status) from None


def discard_stdout() -> None:
    """Discard the buffer of stdout: if Python flushed it at exit, the status would be lost."""
    with suppress(OSError):  # stdout has no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn DxErrors into UsageErrors. Other errors may quote a text, and pass through."""
    try:
        yield
    except DxError as error:
        raise UsageError(str(error)) from None


@contextmanager
def setup_errors() -> Iterator[None]:
    """Show errors of spaCy about a config or a model: before a run, they cannot quote a text."""
    with warnings.catch_warnings():
        # Their content is also in the receipt.
        warnings.simplefilter("ignore", DxWarning)
        try:
            yield
        except ConfigValidationError as error:
            about = ConfigValidationError.from_error(error, show_config=False)
            raise UsageError(str(about).strip()) from None
        except (InterpolationError, ValueError, OSError) as error:
            raise UsageError(str(error).strip()) from None


def name_options(message: str) -> str:
    """Replace argument names in a message: "`n_process` must" becomes "--n-process must"."""

    return re.sub(r"`(\w+)`", lambda match: f"--{match[1]}".replace("_", "-"), message)


# -- progress --------------------------------------------------------------------------------------

SECONDS = 1.0
bytes_bar: Any = partial(bar, label="sanitized", unit="B", unit_scale=True)
# Where stderr is no terminal: a line in ten seconds, or in less than two from an attack or a long
# text, also where a line of one task follows that of another.
progress_lines, attack_lines = partial(lines, 10.0), partial(lines, 0.9)


@contextmanager
def pulse(label: str, total: int) -> Iterator[Any]:
    """Show every second, on a terminal, for how long a long task runs; yield its bar."""
    done = Event()
    with bar(total, label, delay=0.0) as shown:

        def beat() -> None:
            while not done.wait(SECONDS):
                shown.refresh()

        thread = Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield shown
        finally:
            done.set()
            thread.join()


def above_bar(line: str) -> None:
    """Write a line on stderr above the progress bars."""
    tqdm.write(line, file=sys.stderr)
