import { Command } from 'commander';
import { expect, it } from 'vitest';
import { manualPage } from './manual.js';
import { commandLine } from './program.js';

it('has every command with its arguments and options', async () => {
  const page = manualPage(await commandLine(), '1.2.3');
  expect(page.startsWith('.TH KINDRED 1 "" "kindred 1.2.3"\n')).toBe(true);
  expect(page).toContain('\n.SS kindred reference install ');
  expect(page).toContain('\n.B \\-\\-slim <name>\n');
  expect(page).not.toContain('kindred isolated');
});

it('keeps what roff would read as a request', () => {
  const program = new Command('x').description('.so /etc/passwd \\n');
  expect(manualPage(program, '1')).toContain('x \\- \\&.so /etc/passwd \\en\n');
});
