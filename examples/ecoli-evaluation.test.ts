import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningExample, runScript, startService } from './testing/service.js';

const ecoli = sharedData('data', 'ecoli-k12');
if (ecoli === null)
  console.warn('skipped: the E. coli evaluation needs the shared data (KINDRED_SHARED, or ../shared)');

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

describe.skipIf(ecoli === null)('the temporal holdout on E. coli through the API alone', () => {
  let service: RunningExample;
  let evaluation: Evaluation;
  beforeAll(async () => {
    service = await startService({ SVC_LOAD_EXAMPLES: 'false', SVC_RATELIMIT_JOBS: '10000/minute' });
    const out = join(service.folder, 'out');
    const shared = dirname(dirname(ecoli as string));
    const args = ['--shared', shared, '--import-dir', join(service.folder, 'data', 'import'), '--out', out];
    // The figures do not depend on the resamples; few of them keep the test short.
    const run = await runScript('ecoli-evaluation.mjs', [...service.access, ...args, '--resamples', '50']);
    expect(run.code, run.output).toBe(0);
    evaluation = JSON.parse(readFileSync(join(out, 'ecoli-evaluation.json'), 'utf8'));
  }, 1_200_000);
  afterAll(() => service?.stop());

  const fmax = (method: string, category: string, aspect: string): number | null =>
    evaluation.figures.find(
      (row) => row.method === method && row.category === category && row.aspect === aspect,
    )?.fmax ?? null;

  it('has the targets that a script apart from this service counted', () => {
    expect(evaluation.targets).toBe(781);
    expect(evaluation.stats).toMatchObject({ nk_proteins: 63, lk_proteins: 255, pk_proteins: 568 });
  });

  it('gives the figures of docs/explanation/accuracy.md', () => {
    // What the guide prints, in its order; a figure that moves by more than rounding needs a new table there.
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

  it('is above sequence similarity in at least seven of nine cells, with and without alignments', () => {
    expect(evaluation.above['kmer-1024, votes of 50 by alignment']).toBeGreaterThanOrEqual(7);
    expect(evaluation.above['kmer-1024, votes of 50 by distance']).toBeGreaterThanOrEqual(7);
  });

  it('is above what blastp itself gives on the same reference, in at least seven of nine', () => {
    // Fmax of data/ecoli-k12/golden/predictions/blast.tsv.gz in the same frame.
    const blastp = [0.256, 0.309, 0.185, 0.334, 0.473, 0.173, 0.187, 0.243, 0.161];
    const cells = ['NK', 'LK', 'PK'].flatMap((c) => ['BPO', 'MFO', 'CCO'].map((a) => [c, a]));
    const above = cells.filter(
      ([c, a], i) => (fmax('kmer-1024, votes of 50 by alignment', c, a) ?? 0) > blastp[i],
    );
    expect(above.length).toBeGreaterThanOrEqual(7);
  });

  it('finds what blastp finds: the two similarity baselines differ little on the whole', () => {
    const blastp = { LK: [0.334, 0.473, 0.173], PK: [0.187, 0.243, 0.161] };
    for (const [category, values] of Object.entries(blastp))
      values.forEach((value, i) => {
        const own = fmax('sequence similarity', category, ['BPO', 'MFO', 'CCO'][i]) as number;
        expect(Math.abs(own - value)).toBeLessThan(0.02);
      });
  });
});
