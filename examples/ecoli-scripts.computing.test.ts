import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningExample, runScript, startService } from './testing/service.js';

const ecoli = sharedData('data', 'ecoli-k12');

interface Count {
  what: string;
  counted: number;
  described: number | null;
  remark: string;
}

interface Figure {
  method: string;
  category: string;
  aspect: string;
  fmax: number | null;
  difference: [number, number, number] | null;
}
interface Evaluation {
  targets: number;
  stats: Record<string, number>;
  figures: Figure[];
  above: Record<string, number>;
}

describe.skipIf(ecoli === null)('the E. coli scripts through the API alone', () => {
  let service: RunningExample;
  let out: string;
  let args: string[];
  beforeAll(async () => {
    // The scripts share one service, so that the second one finds the releases loaded.
    service = await startService({ SVC_RATELIMIT_JOBS: '10000/minute' });
    out = join(service.folder, 'out');
    const shared = dirname(dirname(ecoli as string));
    const importDir = join(service.folder, 'data', 'import');
    args = [...service.access, '--shared', shared, '--import-dir', importDir, '--out', out];
  });
  afterAll(() => service?.stop());

  const counts = (): Count[] => JSON.parse(readFileSync(join(out, 'ecoli-counts.json'), 'utf8'));

  it('agrees with the descriptions of the files, and a second run changes nothing', async () => {
    const first = await runScript('ecoli-chain.mjs', args);
    expect(first.code, first.output).toBe(0);
    const described = counts().filter((count) => count.described !== null);
    expect(described.map(({ counted }) => counted)).toEqual(described.map((count) => count.described));
    expect(described.map((count) => count.described)).toEqual([
      43_558, 3_910, 85_713, 3_450, 4_401, 6_156, 59_085, 14, 62_038, 15, 126_835, 37, 781, 8_685, 781, 8_685,
      781,
    ]);
    // The counts come from another script, which does not use this service.
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
  });

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
    // The nearest neighbours are relatives if there are any, so some are identical in more than half of the columns.
    expect(measured.filter((share) => share > 0.5).length).toBeGreaterThan(100);
  });

  describe('the temporal holdout after it', () => {
    let evaluation: Evaluation;
    beforeAll(async () => {
      // The figures do not depend on the resamples, and few of them keep the test short.
      const run = await runScript('ecoli-evaluation.mjs', [...args, '--resamples', '50']);
      expect(run.code, run.output).toBe(0);
      evaluation = JSON.parse(readFileSync(join(out, 'ecoli-evaluation.json'), 'utf8'));
    });

    const fmax = (method: string, category: string, aspect: string): number | null =>
      evaluation.figures.find(
        (row) => row.method === method && row.category === category && row.aspect === aspect,
      )?.fmax ?? null;

    it('has the targets that a script apart from this service counted', () => {
      expect(evaluation.targets).toBe(781);
      expect(evaluation.stats).toMatchObject({ nk_proteins: 63, lk_proteins: 255, pk_proteins: 568 });
    });

    it('gives the figures of docs/explanation/accuracy.md', () => {
      // The guide prints these figures in its order. A figure that moves by more than rounding needs a new table there.
      const guide = readFileSync(new URL('../docs/explanation/accuracy.md', import.meta.url), 'utf8');
      const cells = ['NK', 'LK', 'PK'].flatMap((c) => ['BPO', 'MFO', 'CCO'].map((a) => [c, a]));
      for (const method of Object.keys(evaluation.above)) {
        const line = guide.split('\n').find((row) => row.startsWith(`| ${method} |`));
        expect(line, `${method} in the guide`).toBeDefined();
        const printed = [...(line as string).matchAll(/\b0\.\d{3}\b/g)].map(([text]) => Number(text));
        expect(printed).toHaveLength(9);
        cells.forEach(([category, aspect], i) => {
          expect(Math.abs((fmax(method, category, aspect) as number) - printed[i])).toBeLessThan(0.0015);
        });
      }
    });

    it('is above sequence similarity in all cells with alignments, and in six of nine without', () => {
      expect(evaluation.above['kmer-1024, votes of 50 by alignment']).toBe(9);
      expect(evaluation.above['kmer-1024, votes of 50 by distance']).toBeGreaterThanOrEqual(6);
    });

    it('is above what blastp itself gives on the same reference, in at least seven of nine', () => {
      // The values are Fmax of data/ecoli-k12/golden/predictions/blast.tsv.gz in the same frame.
      const blastp = [0.256, 0.309, 0.185, 0.334, 0.473, 0.173, 0.187, 0.243, 0.161];
      const cells = ['NK', 'LK', 'PK'].flatMap((c) => ['BPO', 'MFO', 'CCO'].map((a) => [c, a]));
      const above = cells.filter(
        ([c, a], i) => (fmax('kmer-1024, votes of 50 by alignment', c, a) ?? 0) > blastp[i],
      );
      expect(above.length).toBeGreaterThanOrEqual(7);
    });

    it('finds what blastp finds: the two similarity baselines differ little on the whole', () => {
      const blastp = { LK: [0.334, 0.473, 0.173], PK: [0.187, 0.243, 0.161] };
      const differences = Object.entries(blastp).flatMap(([category, values]) =>
        values.map((value, i) => {
          const own = fmax('sequence similarity', category, ['BPO', 'MFO', 'CCO'][i]) as number;
          return Math.abs(own - value);
        }),
      );
      const mean = differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
      expect(mean).toBeLessThan(0.01);
      // The bound is small beside the 95 % interval of the cell that differs most, which is 0.11 wide.
      expect(Math.max(...differences)).toBeLessThan(0.03);
    });
  });
});
