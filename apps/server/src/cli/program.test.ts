import { expect, it, vi } from 'vitest';
import { commandLine } from './program.js';

it('leaves a --version after a command to that command', async () => {
  const program = commandLine();
  const build = program.commands
    .find((command) => command.name() === 'reference')
    ?.commands.find((command) => command.name() === 'build');
  const given = vi.fn();
  build?.action((_proteins, options) => given(options.version));
  const words = 'reference build --name n --fasta f --gaf g --obo o --version 2026-01';
  await program.parseAsync(words.split(' '), { from: 'user' });
  expect(given).toHaveBeenCalledWith('2026-01');
});
