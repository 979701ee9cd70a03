import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shownCommand } from './command-tree.js';
import { completionScript } from './completion.js';
import { commandLine } from './program.js';

const program = shownCommand(await commandLine());

/** What bash offers for the last of the words. */
function offered(...words: string[]): string[] {
  const list = words.map((word) => `'${word}'`).join(' ');
  const script = `${completionScript(program, 'bash')}
COMP_WORDS=(${list}) COMP_CWORD=${words.length - 1}
_kindred_complete
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter(Boolean);
}

it('offers commands, and commands below them', () => {
  expect(offered('kindred', 'ex')).toEqual(['export', 'explain']);
  expect(offered('kindred', 'isol')).toEqual([]);
  expect(offered('kindred', 'reference', 'ins')).toEqual(['install']);
  expect(offered('kindred', '--verbose', 'reference', 'ins')).toEqual(['install']);
});

it('offers the options of the command, and the values of an option', () => {
  expect(offered('kindred', 'export', '--sl')).toEqual(['--slim', '--slim-terms']);
  expect(offered('kindred', 'export', '--slim-terms', '')).toEqual(['direct', 'all']);
  expect(offered('kindred', 'export', '--format', 'g')).toEqual(['gaf', 'gpad', 'gff3']);
  // Files: left to the shell.
  expect(offered('kindred', 'export', '--output', '')).toEqual([]);
  expect(offered('kindred', 'completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
});

it('begins what zsh needs, and quotes for fish', () => {
  expect(completionScript(program, 'zsh')).toMatch(/^autoload -U \+X bashcompinit && bashcompinit\n/);
  const fish = completionScript(program, 'fish').split('\n');
  expect(fish).toContainEqual(
    expect.stringMatching(/^complete -c kindred -f -n 'not __fish_seen_subcommand_from .*' -a export -d '/),
  );
  expect(fish).toContainEqual(
    expect.stringMatching(/-n '__fish_seen_subcommand_from export' -l slim-terms -r -f -a 'direct all'/),
  );
  // Quotes are in pairs in every line.
  for (const line of fish) expect(line.replaceAll("\\'", '').split("'").length % 2, line).toBe(1);
});
