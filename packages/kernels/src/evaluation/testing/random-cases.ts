import fc from 'fast-check';
import { compatibilities, normalisations, propagations } from '../options.js';
import { type TestCase, utf8 } from './cases.js';
import type { SimpleCase } from './reference-evaluator.js';

/** Random cases have one namespace and few terms, so that they are small enough for the simple evaluator. */

const termCount = 9;
const name = (term: number): string => `T:${term}`;
const proteins = ['P1', 'P2', 'P3', 'P4', 'P5'];

const term = fc.integer({ min: 0, max: termCount }).map(name);
const protein = fc.constantFrom(...proteins);
// T:9 is not in the ontology, and X is not in the truth. The scores are on and between the thresholds.
const score = fc.oneof(
  fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
  fc.constantFrom(0.07, 0.123456, 1, 1.5, 0.2999999),
);
const pairs = (maxLength: number): fc.Arbitrary<[string, string][]> =>
  fc.array(fc.tuple(protein, term), { maxLength });

const parents = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: termCount, maxLength: termCount })
  .map((rows) =>
    Object.fromEntries(
      rows.map((row, child) => [
        name(child),
        child === 0 ? [] : [...new Set(row.map((n) => name(n % child)))],
      ]),
    ),
  );

export const simpleCases: fc.Arbitrary<SimpleCase> = fc
  .record({
    parents,
    truth: pairs(16),
    known: fc.option(pairs(12)),
    toi: fc.option(fc.uniqueArray(term, { minLength: 1 })),
    ia: fc.dictionary(term, fc.constantFrom(0, 0.5, 1.25, 3, 0.1)),
    predictions: fc.array(fc.tuple(fc.oneof(protein, fc.constant('X')), term, score), { maxLength: 40 }),
    thresholdStep: fc.constantFrom(0.1, 0.05, 0.3),
    propagation: fc.constantFrom(...propagations),
    normalisation: fc.constantFrom(...normalisations),
    noOrphans: fc.boolean(),
    maxTerms: fc.option(fc.nat(4)),
    compatibility: fc.constantFrom(...compatibilities),
  })
  .map((test) => (test.compatibility === 'upstream' ? { ...test, known: null, toi: null } : test));

const linesOf = (rows: (string | number)[][]): Uint8Array =>
  utf8(rows.map((row) => `${row.join('\t')}\n`).join(''));

/** Writes the case as files for the kernel. */
export function asFiles(test: SimpleCase): TestCase {
  const stanzas = Object.entries(test.parents).map(
    ([id, above]) =>
      `[Term]\nid: ${id}\nnamespace: toy\n${above.map((parent) => `is_a: ${parent}\n`).join('')}\n`,
  );
  return {
    obo: utf8(stanzas.join('')),
    truth: linesOf(test.truth),
    known: test.known ? linesOf(test.known) : undefined,
    toi: test.toi ? linesOf(test.toi.map((id) => [id])) : undefined,
    ia: linesOf(Object.entries(test.ia)),
    predictions: { method: linesOf(test.predictions) },
    thresholdStep: test.thresholdStep,
    propagation: test.propagation,
    normalisation: test.normalisation,
    noOrphans: test.noOrphans,
    maxTerms: test.maxTerms ?? undefined,
    compatibility: test.compatibility,
  };
}
