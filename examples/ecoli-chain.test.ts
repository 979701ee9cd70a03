import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningExample, runScript, startService } from './testing/service.js';

const ecoli = sharedData('data', 'ecoli-k12');
if (ecoli === null)
  console.warn('skipped: the E. coli chain needs the shared data (KINDRED_SHARED, or ../shared)');

interface Count {
  what: string;
  counted: number;
  described: number | null;
  remark: string;
}

describe.skipIf(ecoli === null)('the E. coli and yeast chain through the API alone', () => {
  let service: RunningExample;
  let out: string;
  beforeAll(async () => {
    service = await startService({ SVC_LOAD_EXAMPLES: 'false' });
    out = join(service.folder, 'out');
  }, 120_000);
  afterAll(() => service?.stop());

  const counts = (): Count[] => JSON.parse(readFileSync(join(out, 'ecoli-counts.json'), 'utf8'));

  it('agrees with the descriptions of the files, and a second run changes nothing', async () => {
    const shared = dirname(dirname(ecoli as string));
    const importDir = join(service.folder, 'data', 'import');
    const args = [...service.access, '--shared', shared, '--import-dir', importDir, '--out', out];
    const first = await runScript('ecoli-chain.mjs', args);
    expect(first.code, first.output).toBe(0);
    const described = counts().filter((count) => count.described !== null);
    expect(described.map(({ counted }) => counted)).toEqual(described.map((count) => count.described));
    expect(described.map((count) => count.described)).toEqual([
      43_558, 3_910, 85_713, 3_450, 4_401, 6_156, 59_085, 14, 62_038, 15, 126_835, 37, 781, 8_685, 781, 8_685,
      781,
    ]);
    // Counted apart by a script that knows nothing of this service.
    const skipped = counts().filter(({ what }) => what.includes('skipped'));
    expect(skipped.map(({ what, counted }) => [what.trim(), counted])).toEqual([
      ['skipped: obsolete term', 993],
      ['skipped: no such protein', 72],
      ['skipped: unknown term', 4],
      ['skipped: no such protein', 3_529],
      ['skipped: obsolete term', 1_412],
    ]);

    const before = counts();
    const second = await runScript('ecoli-chain.mjs', args);
    expect(second.code, second.output).toBe(0);
    expect(counts().map(({ counted }) => counted)).toEqual(before.map(({ counted }) => counted));
  }, 600_000);

  it('gives the same terms with and without alignments, and measures them where asked', () => {
    const read = (file: string) =>
      readFileSync(join(out, file), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
    const [header, ...plain] = read('ecoli-predictions.tsv');
    const [, ...aligned] = read('ecoli-predictions-aligned.tsv');
    const identity = header.indexOf('identity_nw');
    expect(header).toHaveLength(32);
    expect(plain.map((row) => row.slice(0, 8))).toEqual(aligned.map((row) => row.slice(0, 8)));
    expect(plain.every((row) => row[identity] === '')).toBe(true);
    const measured = aligned.map((row) => Number(row[identity]));
    expect(aligned.every((row) => row[identity] !== '')).toBe(true);
    expect(Math.min(...measured)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...measured)).toBeLessThanOrEqual(1);
    // Nearest neighbours are relatives where there are any: some are closer than half of the columns.
    expect(measured.filter((share) => share > 0.5).length).toBeGreaterThan(100);
  });
});
