import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@kindred/kernels/arrays';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackend } from '../backend.js';
import { modelsFolder } from '../testing/golden.js';
import { chooseLayers, parseCandidates } from './choose.js';
import { compareLayers, layerCandidates, recommended } from './compare.js';
import { embedLayers } from './embed-layers.js';
import { type LayerReference, readReference } from './reference.js';
import { layerTable } from './table.js';

const models = modelsFolder('esm2');
const place = { modelsDir: models, modelDevice: 'cpu', sharedWeights: false } as const;
const folder = mkdtempSync(join(tmpdir(), 'kindred-layers-'));
afterAll(() => {
  for (const one of [models, folder]) rmSync(one, { recursive: true });
});

const namespaces = ['biological_process', 'molecular_function', 'cellular_component'];
const termOf = (namespace: number, n: number) => `GO:${String(1000 * (namespace + 1) + n).padStart(7, '0')}`;
const obo = [
  'format-version: 1.2',
  ...namespaces.flatMap((name, namespace) =>
    Array.from({ length: 5 }, (_, n) =>
      ['', '[Term]', `id: ${termOf(namespace, n)}`, `name: ${name} ${n}`, `namespace: ${name}`]
        .concat(n === 0 ? [] : [`is_a: ${termOf(namespace, 0)}`])
        .join('\n'),
    ),
  ),
].join('\n');

/** The proteins form four families; the members of a family share a motif and their terms. */
const random = new Random(7);
const residues = 'ACDEFGHIKLMNPQRSTVWY';
const text = (length: number) => Array.from({ length }, () => residues[random.integer(20)]).join('');
const motifs = Array.from({ length: 4 }, () => text(12));
const proteins = Array.from({ length: 48 }, (_, i) => ({
  accession: `P${String(i).padStart(5, '0')}`,
  family: i % 4,
  sequence: text(4) + motifs[i % 4] + text(8),
}));
const option = { k: 3, resamples: 50, seed: 1 };
let reference: LayerReference;
const files = {
  fasta: join(folder, 'r.fasta'),
  annotations: join(folder, 'r.tsv'),
  obo: join(folder, 'r.obo'),
};
beforeAll(async () => {
  writeFileSync(files.fasta, proteins.map((one) => `>${one.accession}\n${one.sequence}\n`).join(''));
  const rows = proteins.flatMap((one) =>
    namespaces.map((_, n) => [one.accession, termOf(n, 1 + one.family)]),
  );
  writeFileSync(files.annotations, rows.map((row) => `${row.join('\t')}\n`).join(''));
  writeFileSync(files.obo, `${obo}\n`);
  reference = await readReference({ ...files, maxProteins: 100, seed: 1 });
});

describe('the layers of a model', () => {
  it('give the same figures together, in one pass, as in runs of their own', async () => {
    const together = await chooseLayers(place, reference, { model: 'esm2', candidates: null, ...option });
    expect(together.figures.map(({ layers }) => layers)).toEqual([[0], [1], [2], [0, 1]]);
    for (const row of together.figures) {
      const alone = await chooseLayers(place, reference, {
        ...option,
        model: 'esm2',
        candidates: [row.layers],
      });
      expect(alone.figures).toEqual([{ ...row, difference: null }]);
    }
    const table = layerTable(together.figures).split('\n');
    expect(table[0]).toMatch(/^layers +biological_process +.*mean Fmax +minus layers 0$/);
    expect(table).toHaveLength(6);
  });

  it('are embedded in one pass over the sequences', async () => {
    const seen: string[] = [];
    const real = createBackend(place);
    let opened = 0;
    const counting: typeof real = {
      ...real,
      open: async (recipe) => {
        opened++;
        const session = await real.open(recipe);
        const embed = session.embed.bind(session);
        session.embed = (sequences, signal) => {
          seen.push(...sequences);
          return embed(sequences, signal);
        };
        return session;
      },
    };
    const { sequences } = reference;
    const recipe = { model_name: 'esm2', max_length: 1022 };
    await embedLayers(counting, recipe, { sequences, layers: [0, 1, 2] });
    expect([opened, seen.length]).toEqual([1, sequences.length]);
    expect(seen.sort()).toEqual([...sequences].sort());
  });

  it('that are not there are refused by their numbers', async () => {
    const run = (candidates: number[][]) =>
      chooseLayers(place, reference, { model: 'esm2', candidates, ...option });
    await expect(run([[9]])).rejects.toMatchObject({ code: 'validation_failed' });
    expect(parseCandidates('0, 1,0+2')).toEqual([[0], [1], [0, 2]]);
    for (const wrong of ['x', '0+0', '-1', '1.5'])
      expect(() => parseCandidates(wrong)).toThrow(/list of layers/);
    expect(layerCandidates(33).slice(-2)).toEqual([
      [0, 17],
      [0, 11, 22],
    ]);
  });
});

describe('the recommended layers', () => {
  const noise = (width: number) => Float32Array.from({ length: 48 * width }, () => random.normal());
  const families = () =>
    Float32Array.from(
      proteins.flatMap(({ family }) =>
        [0, 1, 2, 3].map((one) => (one === family ? 1 : 0.01 * random.normal())),
      ),
    );

  it('are those that are clearly better than the last, otherwise the last', () => {
    const clear = compareLayers(
      reference,
      new Map([
        [0, noise(4)],
        [1, families()],
      ]),
      [[0], [1], [0, 1]],
      option,
    );
    expect(clear[1].mean.estimate).toBeGreaterThan(0.95);
    expect(clear[1].difference?.low).toBeGreaterThan(0);
    expect(recommended(clear).layers).toEqual([1]);
    const alike = compareLayers(
      reference,
      new Map([
        [0, noise(4)],
        [1, noise(4)],
      ]),
      [[0], [1]],
      option,
    );
    expect(recommended(alike).layers).toEqual([0]);
  });

  it('count a protein against others, not against its copies', async () => {
    const copies = proteins.map(({ accession }) => `>${accession}\n${proteins[0].sequence}\n`).join('');
    writeFileSync(join(folder, 'copies.fasta'), copies);
    const same = await readReference({
      ...files,
      fasta: join(folder, 'copies.fasta'),
      maxProteins: 100,
      seed: 1,
    });
    const [row] = compareLayers(same, new Map([[0, families()]]), [[0]], option);
    expect(row.mean.estimate).toBe(0);
  });
});

describe('a reference', () => {
  it('can be a sample, the same for the same seed', async () => {
    const sample = (seed: number) => readReference({ ...files, maxProteins: 10, seed });
    const { accessions, start } = await sample(1);
    expect([accessions.length, start.at(-1)]).toEqual([10, 30]);
    expect((await sample(1)).accessions).toEqual(accessions);
    expect((await sample(2)).accessions).not.toEqual(accessions);
  });

  it('whose files do not fit each other or are not there is refused in words', async () => {
    const other = join(folder, 'other.tsv');
    writeFileSync(other, 'Q1\tGO:0001001\n');
    await expect(readReference({ ...files, annotations: other, maxProteins: 9, seed: 1 })).rejects.toThrow(
      /Only 0 proteins of .*must be the same in both/,
    );
    await expect(
      readReference({ ...files, obo: join(folder, 'none'), maxProteins: 9, seed: 1 }),
    ).rejects.toMatchObject({
      code: 'bad_file',
    });
  });
});
