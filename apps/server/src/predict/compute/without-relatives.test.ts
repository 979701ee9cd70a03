import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { encodeResidues } from '@kindred/kernels/alignment';
import { Random } from '@kindred/kernels/arrays';
import { parseFasta } from '@kindred/kernels/formats';
import {
  buildSeedIndex,
  compositionCorrection,
  correctedLogEValue,
  findRelatives,
  searchSpaceOf,
} from '@kindred/kernels/homology';
import { createCandidateFinder } from '@kindred/native';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { withoutRelatives } from './without-relatives.js';

const folder = sharedData('data', 'human-2018-2022');
// The body of a skipped suite is run, too, so the file is read only where it is.
const human = folder === null ? [] : parseFasta(gunzipSync(readFileSync(`${folder}/human.fasta.gz`)));
describe.skipIf(folder === null)('queries without a relative', () => {
  const sequenceOf = new Map(human.map(({ accession, sequence }) => [accession, sequence]));
  // Every eighth protein, and the relatives in question.
  const reference = [
    ...human.filter((_, i) => i % 8 === 0),
    ...human.filter(({ accession }) => ['Q9Y2D2', 'P17096', 'Q92954', 'Q7KZ85'].includes(accession)),
  ];
  const index = buildSeedIndex(reference.map(({ sequence }) => encodeResidues(sequence)));
  const search = { index, finder: createCandidateFinder(index) };
  const found = (sequences: string[]) => {
    const names = sequences.map((one) => reference.findIndex(({ sequence }) => sequence === one));
    const excluded = Int32Array.from(names);
    const table = findRelatives(search, sequences.map(encodeResidues), {
      maxTargets: 50,
      maxLogEValue: 2,
      excluded,
    });
    const hits = sequences.map((_, q) => [...table.query.keys()].filter((row) => table.query[row] === q));
    const relatives = {
      ...{ sequences, excluded, table, hits },
      maxLogEValue: 2,
      asked: sequences.map(() => true),
    };
    return { table, hits, unlike: withoutRelatives(relatives, search, () => false) };
  };
  const refused = (sequences: string[]) => found(sequences).unlike.map((one) => one !== null);
  const named = (...accessions: string[]) => accessions.map((accession) => sequenceOf.get(accession)!);

  it('are not those whose similar stretches lie in membranes or between runs of few letters', () => {
    expect(refused(named('Q96G79', 'P52926'))).toEqual([false, false]);
  });

  it('are those that are similar in runs of few letters alone', () => {
    expect(refused(named('Q14978', 'P06454'))).toEqual([true, true]);
  });

  it('name the nearest protein where it is distant, and none that is nearer or farther', () => {
    const sequences = human.filter((_, i) => i % 96 === 5).map(({ sequence }) => sequence);
    const { table, hits, unlike } = found(sequences);
    let distant = 0;
    for (const [q, one] of unlike.entries()) {
      const logEValue = hits[q].length === 0 ? Number.POSITIVE_INFINITY : table.logEValue[hits[q][0]];
      if (logEValue > -1) expect(one).toEqual({ distant: null });
      else if (logEValue > -3) {
        expect(one).toEqual({ distant: { sequence: table.sequence[hits[q][0]], logEValue } });
        distant++;
      } else if (one?.distant) {
        // The whole sequence has relatives, but the rest without its runs of few letters has none.
        expect(one.distant.logEValue).toBeGreaterThan(-3);
        expect(one.distant.logEValue).toBeLessThanOrEqual(-1);
      }
    }
    expect(distant).toBeGreaterThan(3);
  });

  it('are hardly ever given a relative by the correction where residues are in random order', () => {
    const random = new Random(4);
    const shuffled = human
      .filter(({ sequence }, i) => i % 40 === 3 && sequence.length <= 700)
      .map(({ sequence }) => random.shuffle(encodeResidues(sequence)));
    const table = findRelatives(search, shuffled, { maxTargets: 8, maxLogEValue: -3 });
    const space = searchSpaceOf(index);
    const isRelative = (row: number): boolean => {
      const query = shuffled[table.query[row]];
      const [from, to] = [index.start[table.sequence[row]], index.start[table.sequence[row] + 1] - 1];
      const correction = compositionCorrection(query);
      return correctedLogEValue(query, index.codes.subarray(from, to), { correction, space }) <= -3;
    };
    // Proteins of few letters are similar to others of them in any order.
    const similar = new Set(table.query);
    const related = new Set([...table.query.keys()].filter(isRelative).map((row) => table.query[row]));
    expect(similar.size).toBeGreaterThan(5);
    expect(related.size).toBeLessThanOrEqual(similar.size / 5);
    expect(related.size / shuffled.length).toBeLessThan(0.005);
  });
});
