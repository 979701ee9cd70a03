import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlignmentMode, alignPlain, blosum62, encodeResidues, plainAligner } from './index.js';

const golden = readFileSync(new URL('./golden/parasail.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'));

describe('plain alignment', () => {
  it('gives the score and the columns of parasail for every golden pair', () => {
    expect(golden.length).toBe(800);
    for (const [mode, query, target, ...expected] of golden) {
      const counts = alignPlain(encodeResidues(query), encodeResidues(target), mode as AlignmentMode);
      const { score, identical, similar, gaps, length } = counts;
      expect([mode, query, target, score, identical, similar, gaps, length]).toEqual([
        mode,
        query,
        target,
        ...expected.map(Number),
      ]);
    }
  });

  const folder = sharedData('data', 'alignment');
  it.skipIf(folder === null)('gives the scores of EMBOSS needle and water for real pairs', () => {
    const sequences = new Map<string, Uint8Array>();
    for (const record of gunzipSync(readFileSync(`${folder}/sequences.fasta.gz`))
      .toString()
      .split('>')
      .slice(1)) {
      const [name, ...lines] = record.trimEnd().split('\n');
      sequences.set(name.split(' ')[0], encodeResidues(lines.join('')));
    }
    // EMBOSS charged 10 and 0.5 in these cases, so all scores are doubled to stay whole.
    const scoring = { matrix: blosum62.map((score) => 2 * score), gapOpen: 20, gapExtend: 1 };
    const rows = readFileSync(`${folder}/pairs.tsv`, 'utf8').trimEnd().split('\n').slice(1);
    let sameColumns = 0;
    for (const row of rows) {
      const [a, b, , program, length, identity, similarity, gaps, score] = row.split('\t');
      const mode = program === 'needle' ? 'overlap' : 'local';
      const counts = alignPlain(sequences.get(a)!, sequences.get(b)!, mode, scoring);
      expect([a, b, program, counts.score / 2]).toEqual([a, b, program, Number(score)]);
      const columns = [counts.length, counts.identical, counts.similar, counts.gaps];
      if (columns.join() === [length, identity, similarity, gaps].join()) sameColumns++;
    }
    expect(rows.length).toBe(390);
    // The other pairs have several alignments of the best score, and EMBOSS takes another one.
    expect(sameColumns).toBeGreaterThan(0.85 * rows.length);
  });

  const letters = fc.constantFrom(...'ARNDCQEGHILKMFPSTWYVX');
  const sequence = fc
    .array(letters, { minLength: 1, maxLength: 40 })
    .map((list) => encodeResidues(list.join('')));

  it('scores what its columns say, never below the trivial alignment', () => {
    fc.assert(
      fc.property(sequence, sequence, (query, target) => {
        const global = alignPlain(query, target, 'global');
        expect(2 * (global.length - global.gaps) + global.gaps).toBe(query.length + target.length);
        expect(global.score).toBeGreaterThanOrEqual(-18 - query.length - target.length);
        const local = alignPlain(query, target, 'local');
        const overlap = alignPlain(query, target, 'overlap');
        expect(local.score).toBeGreaterThanOrEqual(Math.max(0, overlap.score));
        expect(overlap.score).toBeGreaterThanOrEqual(global.score);
        expect(local.identical).toBeLessThanOrEqual(local.length - local.gaps);
      }),
    );
  });

  it('has the same score when query and target change places', () => {
    fc.assert(
      fc.property(
        sequence,
        sequence,
        fc.constantFrom<AlignmentMode>('global', 'local', 'overlap'),
        (a, b, mode) => {
          expect(alignPlain(a, b, mode).score).toBe(alignPlain(b, a, mode).score);
        },
      ),
    );
  });

  it('refuses what cannot be aligned, and stops on request', () => {
    expect(() => encodeResidues('AC-D')).toThrow("position 3: '-' is not a residue letter");
    expect(() => alignPlain(new Uint8Array(0), encodeResidues('A'), 'global')).toThrow(RangeError);
    const pairs = { sequences: [encodeResidues('A')], query: Int32Array.of(0), target: Int32Array.of(1) };
    expect(() => plainAligner.align(pairs, { mode: 'global' })).toThrow('no sequence 1');
    const one = { ...pairs, target: Int32Array.of(0) };
    expect(() => plainAligner.align(one, { mode: 'local', isAborted: () => true })).toThrow('cancelled');
  });
});
