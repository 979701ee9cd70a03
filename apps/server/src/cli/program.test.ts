import type { Command } from 'commander';
import { expect, it, vi } from 'vitest';
import { calledCommand, commandLine } from './program.js';

it('leaves a --version after a command to that command', async () => {
  const program = await commandLine();
  const build = program.commands
    .find((command) => command.name() === 'reference')
    ?.commands.find((command) => command.name() === 'build');
  const given = vi.fn();
  build?.action((_proteins, options) => given(options.version));
  const words = 'reference build --name n --fasta f --gaf g --obo o --version 2026-01';
  await program.parseAsync(words.split(' '), { from: 'user' });
  expect(given).toHaveBeenCalledWith('2026-01');
});

it('makes only the command that is called, and lists all', async () => {
  const whole = await commandLine();
  const named = (program: Command, name: string) => program.commands.find((one) => one.name() === name);
  for (const command of whole.commands) {
    const program = await commandLine((name) => name === command.name());
    expect(named(program, command.name())?.helpInformation()).toBe(command.helpInformation());
    expect(program.helpInformation()).toBe(whole.helpInformation());
  }
  const exporting = await commandLine((name) => name === 'export');
  expect(named(exporting, 'export')?.options).not.toEqual([]);
  expect(named(exporting, 'annotate')?.options).toEqual([]);
});

it.each([
  ['export r1 --format gaf', 'export'],
  ['help export', 'export'],
  ['-- export r1', 'export'],
  ['--help', undefined],
  ['help', undefined],
  ['', undefined],
])('finds the command that is called by kindred %s', (line, command) => {
  expect(calledCommand(line.split(' ').filter(Boolean))).toBe(command);
});
