import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { patienceMs, repositoryRoot } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Reader } from './testing/reader.js';
import { type RunningExample, startService } from './testing/service.js';

const page = readFileSync(join(repositoryRoot(), 'docs/reference/coverage.md'), 'utf8');
const [, before] = /^```sh\n(.*?)^```$/ms.exec(page) as RegExpExecArray;
const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => {
    const [, number, wish, does, text, command, prints] = line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    return { number: Number(number), wish, does, text, command, prints };
  });
const codeIn = (cell: string) => /^`(.*)`$/.exec(cell)?.[1] ?? null;
const withCommand = rows.filter(({ command }) => codeIn(command) !== null);

describe('what people ask for', () => {
  let service: RunningExample;
  let reader: Reader;
  beforeAll(async () => {
    service = await startService({ SVC_LOAD_EXAMPLES: 'starter' });
    reader = new Reader(service);
  }, 6 * patienceMs);
  afterAll(() => service?.stop());

  it('is twenty wishes, and each that is not done whole says what is missing', () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    for (const { wish, does, text, command } of rows) {
      expect(['yes', 'yes, with gaps', 'partly', 'no'], wish).toContain(does);
      expect(text.includes('Missing: '), wish).toBe(does !== 'yes');
      if (does !== 'no') expect(codeIn(command), wish).not.toBeNull();
    }
  });

  it('is done by the commands of the page, which print what it says', async () => {
    const run = (await reader.run(`${before}echo "$RUN"`)).trim();
    expect(run).toMatch(/^[0-9a-f-]{36}$/);
    for (const { wish, command, prints } of withCommand) {
      const said = await reader.run(`RUN=${run}\n${codeIn(command)}`);
      expect(said.replaceAll(/\s+/g, ' '), `${wish}: ${codeIn(command)}`).toContain(codeIn(prints));
    }
  });
});
