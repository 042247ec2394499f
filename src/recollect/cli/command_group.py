"""The help of a group of commands: one line for each, whole, on one screen."""

from typing import Any

from typer.core import TyperGroup

_SCREEN = 24  # lines


def summary(command: Any) -> str:
    """The first sentence of a command's help, on one line."""
    paragraph = " ".join((command.help or "").strip().split("\n\n")[0].split())
    first, stop, _ = paragraph.partition(". ")
    return f"{first}." if stop else paragraph


def summaries(group: Any, context: Any, names: Any) -> list[str]:
    """The commands of these names, a line each."""
    width = max(map(len, names)) + 2
    return [f"  {name:<{width}}{summary(group.get_command(context, name))}" for name in names]


class CommandGroup(TyperGroup):
    """Prints usage, purpose and commands. `-h` itself needs no line: whoever reads this knows it."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The whole help."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        names = [name for name, command in commands.items() if command and not command.hidden]
        options = [param for param in self.get_params(ctx) if param.name != "help"]
        usage = "[OPTIONS] [COMMAND]" if self.invoke_without_command else "COMMAND"
        lines = [f"Usage: {ctx.command_path} {usage} ...", self.help or ""]
        if len(lines) + len(names) > _SCREEN:
            lines = [" ".join(lines)] if len(names) < _SCREEN else []
        if options:
            lines.append("Options: " + ", ".join(f"{'/'.join(param.opts)}" for param in options))
        formatter.write("\n".join([*lines, *summaries(self, ctx, names)]) + "\n")
