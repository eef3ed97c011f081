"""`dx completion SHELL`: what makes a shell complete the commands, without starting Python."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer import Argument

from ..errors import UsageError
from .mistakes import mistakes_in_a_line

Shell = Annotated[str, Argument(metavar="SHELL", show_default=False, help="bash, zsh or fish")]

BASH = """# bash: dx completion bash > ~/.local/share/bash-completion/completions/dx
_dx() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words=""
  case "${{COMP_WORDS[1]}}" in
{cases}  esac
  [ "$COMP_CWORD" -eq 1 ] && words="{commands}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ] || [ "${{current#-}}" != "$current" ]; then
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
  fi
}}
complete -o default -F _dx dx
"""
ZSH = """#compdef dx
# zsh: dx completion zsh > a folder of your $fpath, as _dx
_dx() {{
  local -a found
  if (( CURRENT == 2 )); then
    compadd -- {commands}
    return
  fi
  case "${{words[2]}}" in
{cases}  esac
  [[ "$PREFIX" == -* ]] && compadd -- $found || _files
}}
compdef _dx dx
"""


def completion_cli(context: typer.Context, shell: Shell) -> None:
    """Print what makes a shell complete the commands and their options.

    Example: dx completion bash > ~/.local/share/bash-completion/completions/dx
    """
    with mistakes_in_a_line("completion"):
        makers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
        if shell not in makers:
            raise UsageError(f"no shell {shell!r}: there are {', '.join(makers)}.")
        group = context.parent.command if context.parent is not None else context.command
        typer.echo(makers[shell](_commands(group)), nl=False)


def _commands(group: Any) -> dict[str, list[str]]:
    """The options of each command; of a group its commands come first."""
    return {name: _words(command) for name, command in _below(group).items()}


def _below(command: Any) -> dict[str, Any]:
    """The commands of a group."""
    return getattr(command, "commands", {})


def _words(command: Any) -> list[str]:
    own = [o for p in command.params for o in (*p.opts, *p.secondary_opts) if o.startswith("--")]
    below = _below(command).values()
    inner = [word for one in below for word in (str(one.name), *_words(one))]
    return list(dict.fromkeys([*inner, *own, "--help"]))


def _bash(commands: dict[str, list[str]]) -> str:
    cases = "".join(f'    {n}) words="{" ".join(words)}" ;;\n' for n, words in commands.items())
    return BASH.format(cases=cases, commands=" ".join([*commands, "--help", "--version"]))


def _zsh(commands: dict[str, list[str]]) -> str:
    cases = "".join(f"    {n}) found=({' '.join(words)}) ;;\n" for n, words in commands.items())
    return ZSH.format(cases=cases, commands=" ".join([*commands, "--help", "--version"]))


def _fish(commands: dict[str, list[str]]) -> str:
    lines = ["# fish: dx completion fish > ~/.config/fish/completions/dx.fish"]
    lines.append(f"complete -c dx -n __fish_use_subcommand -a '{' '.join(commands)}'")
    for name, words in commands.items():
        here = f"complete -c dx -n '__fish_seen_subcommand_from {name}'"
        lines += [
            f"{here} -l {word[2:]}" if word.startswith("--") else f"{here} -a {word}"
            for word in words
        ]
    return "\n".join(lines) + "\n"
