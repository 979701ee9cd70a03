import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AnnotationCollector } from './annotations.js';
import { columnsOfRecords } from '../../ontology/testing/columns.js';
import { linkOntology } from './evaluation-ontology.js';
import { buildFrame } from '../frame/frame.js';
import { evaluateMethod, type MethodEvaluator } from '../score/evaluate.js';
import { defaultSettings } from '../options.js';

const term = (id: string, namespace: string, parentIds: string[] = [], alternativeIds: string[] = []) => ({
  id,
  namespace,
  parentIds,
  alternativeIds,
});
const ontology = linkOntology(
  columnsOfRecords([
    term('A', 'one'),
    term('B', 'one', ['A'], ['b']),
    term('C', 'one', ['B']),
    term('X', 'two'),
    term('Y', 'two', ['X'], ['y']),
  ]),
);
const proteins = ['P1', 'P2', 'P3', 'P4'];
const terms = ['C', 'b', 'Y', 'unknown', 'A', 'y', 'B'];
const triple = fc.tuple(
  fc.nat(proteins.length - 1),
  fc.nat(terms.length - 1),
  fc.constantFrom(0, 0.2, 0.5, 1, Number.NaN),
);
const triples = fc.array(triple, { maxLength: 30 });
const columns = (rows: [number, number, number][]) => ({
  proteins,
  terms,
  protein: Int32Array.from(rows, ([protein]) => protein),
  term: Int32Array.from(rows, ([, t]) => t),
  score: Float64Array.from(rows, ([, , score]) => score),
});

it('columns are taken as the same pairs one by one', () => {
  fc.assert(
    fc.property(triples, triples, fc.option(fc.nat(3), { nil: undefined }), (truth, rows, maxTerms) => {
      const byPair = new AnnotationCollector(ontology);
      for (const [protein, t] of truth) byPair.add(proteins[protein], terms[t]);
      const byColumn = new AnnotationCollector(ontology);
      byColumn.addColumns(columns(truth));
      const table = byPair.end();
      const found = byColumn.end();
      expect(found.namespaces).toEqual(table.namespaces);
      expect(found.counts).toEqual(table.counts);
      const frame = buildFrame({ ontology, truth: table });
      const one = evaluateMethod(
        frame,
        (evaluator) => {
          for (const [protein, t, score] of rows) evaluator.add(proteins[protein], terms[t], score);
        },
        defaultSettings,
        { maxTerms },
      );
      const give = (evaluator: MethodEvaluator): void => evaluator.addColumns(columns(rows));
      expect(evaluateMethod(frame, give, defaultSettings, { maxTerms })).toEqual(one);
    }),
  );
});
