import type { Argument, Command, Option } from 'commander';

/** A command as help texts and the manual page show it. */
export interface ShownCommand {
  /** Names of the commands from the program on: `kindred`, `reference`, `pack`. */
  path: string[];
  description: string;
  /** Usage after the name, such as `[options] <list>`. */
  usage: string;
  arguments: readonly Argument[];
  /** Options that are not hidden. */
  options: readonly Option[];
  commands: ShownCommand[];
}

/** The program with all its commands that are not hidden. */
export function shownCommand(command: Command, above: readonly string[] = []): ShownCommand {
  const help = command.createHelp();
  const path = [...above, command.name()];
  return {
    path,
    description: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments,
    options: help.visibleOptions(command),
    commands: help
      .visibleCommands(command)
      .filter((one) => one.name() !== 'help')
      .map((one) => shownCommand(one, path)),
  };
}

/** The command and all below it, in the order of the help. */
export function allCommands(command: ShownCommand): ShownCommand[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
