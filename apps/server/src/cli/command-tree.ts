import type { Argument, Command, Option } from 'commander';

/** Help texts and the manual page show a command in this form. */
export interface ShownCommand {
  /** The path names the commands from the program on: `kindred`, `reference`, `pack`. */
  path: string[];
  description: string;
  /** The usage follows the name, such as `[options] <list>`. */
  usage: string;
  arguments: readonly Argument[];
  /** Hidden options are left out. */
  options: readonly Option[];
  commands: ShownCommand[];
}

/** Describes the program with all its commands that are not hidden. */
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

/** Lists the command and all below it, in the order of the help. */
export function allCommands(command: ShownCommand): ShownCommand[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
