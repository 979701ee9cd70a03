import type { Command } from 'commander';
import { allCommands, type ShownCommand, shownCommand } from './command-tree.js';

/** Makes the manual page of the program as roff: every command with its arguments and options. */
export function manualPage(program: Command, version: string): string {
  const shown = shownCommand(program);
  const [name] = shown.path;
  const commands = allCommands(shown).slice(1);
  const lines = [
    `.TH ${name.toUpperCase()} 1 "" "${name} ${version}"`,
    '.SH NAME',
    `${name} \\- ${roff(shown.description)}`,
    '.SH SYNOPSIS',
    `.B ${name}`,
    roff(shown.usage),
    '.SH OPTIONS',
    ...optionsOf(shown),
    '.SH COMMANDS',
    ...commands.flatMap(sectionOf),
  ];
  return `${lines.join('\n')}\n`;
}

function sectionOf(command: ShownCommand): string[] {
  const { path, usage, description } = command;
  const named = command.arguments.filter((argument) => argument.description !== '');
  return [
    `.SS ${roff(`${path.join(' ')} ${usage}`)}`,
    roff(description),
    ...named.flatMap((argument) => ['.TP', `.I ${roff(argument.name())}`, roff(argument.description)]),
    ...optionsOf(command),
  ];
}

function optionsOf({ options }: ShownCommand): string[] {
  return options.flatMap((option) => ['.TP', `.B ${roff(option.flags)}`, roff(option.description)]);
}

/** Escapes backslashes and hyphens, and lines that look like a request of roff. */
function roff(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll(/\s+/g, ' ');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
