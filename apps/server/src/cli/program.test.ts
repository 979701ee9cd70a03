import { expect, it, vi } from 'vitest';
import { commandLine } from './program.js';

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

it('has the command that is wanted as the whole command line has it, and all where it may be another', async () => {
  const named = async (wanted?: string) => (await commandLine(wanted)).commands.map((one) => one.name());
  const all = await named();
  const shown = (program: Awaited<ReturnType<typeof commandLine>>, name: string) =>
    program.commands.find((command) => command.name() === name)?.helpInformation();
  const whole = await commandLine();
  for (const name of all) {
    const alone = await commandLine(name);
    expect(shown(alone, name), name).toBe(shown(whole, name));
  }
  for (const name of ['worker', 'export', '--version'])
    expect(await named(name), name).not.toContain('annotate');
  for (const other of ['help', '--help', 'anotate', 'ontology'])
    expect(await named(other), other).toEqual(all);
});
