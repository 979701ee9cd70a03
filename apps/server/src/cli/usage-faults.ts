import type { Command, CommanderError } from 'commander';

/** The exit code of a wrong command line, as of every other wrong input (EX_USAGE). */
export const usageFault = 64;

/**
 * Makes the program and all its commands refuse a wrong command line by one line that says where help is, and by the exit code of wrong
 * input.
 */
export function refuseInOneLine(command: Command): void {
  command.showHelpAfterError(false);
  command.configureOutput({
    outputError: (text, write) => write(`${oneLine(text)} Help: ${pathOf(command)} --help\n`),
  });
  command.exitOverride(({ exitCode }: CommanderError) => process.exit(exitCode === 0 ? 0 : usageFault));
  for (const one of command.commands) refuseInOneLine(one);
}

/** Joins the lines of a fault, of which the second one is a guess of what was meant. */
function oneLine(text: string): string {
  const [fault, guess] = text.trim().split('\n');
  const sentence = `kindred: ${fault.replace(/^error: /, '').replace(/\.$/, '')}`;
  return guess === undefined ? `${sentence}.` : `${sentence} ${guess.replace('(Did', '(did')}.`;
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
