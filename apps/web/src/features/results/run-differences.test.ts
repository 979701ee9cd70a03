import { describe, expect, it } from 'vitest';
import { tableOf } from './overview-model.js';
import { compareRuns, comparisonTable } from './run-differences.js';

const term = (
  go_id: string,
  certainty: 'strong' | 'likely' | 'possible' | null,
  kind = 'predicted' as const,
) => ({
  ...{ kind, go_id, certainty, probability: certainty === null ? null : 0.5, score: 0.5 },
  ...{ source_id: 'P1', evidence_code: 'IDA', identity: 0.5 },
});
const run = (proteins: Record<string, object[]>) =>
  tableOf([
    {
      ...{ next: null, terms: {}, organisms: {} },
      proteins: Object.entries(proteins).map(([accession, terms], position) => ({
        ...{
          accession,
          position,
          header: accession,
          name: null,
          organism: null,
          predicted_name: null,
          length: 9,
          known_as: null,
        },
        ...{
          reference: null,
          known_by: null,
          is_namesake: false,
          no_answer: null,
          is_sequence_only: false,
          certainty: null,
        },
        ...{ term_count: terms.length, terms: terms as ReturnType<typeof term>[] },
      })),
    },
  ]).rows;

describe('two runs', () => {
  const here = run({
    A: [term('GO:1', 'likely'), term('GO:2', 'strong'), term('GO:4', null)],
    B: [term('GO:1', 'possible')],
    C: [term('GO:1', 'possible')],
  });
  const there = run({
    A: [term('GO:3', 'likely'), term('GO:2', 'possible'), term('GO:4', 'likely')],
    C: [term('GO:1', 'possible')],
    D: [],
  });

  it('differ by terms gained, lost, surer and less sure, and by proteins of one alone', () => {
    expect(compareRuns(here, there)).toEqual({
      shared: 2,
      onlyHere: ['B'],
      onlyThere: ['D'],
      differences: [
        {
          accession: 'A',
          changes: [
            { goId: 'GO:3', group: 'gained', from: null, to: 'likely' },
            { goId: 'GO:2', group: 'lessSure', from: 'strong', to: 'possible' },
            { goId: 'GO:4', group: 'surer', from: 'uncalibrated', to: 'likely' },
            { goId: 'GO:1', group: 'lost', from: 'likely', to: null },
          ],
        },
      ],
    });
  });

  it('have nothing in common where no protein has the same name, instead of losing all terms', () => {
    expect(compareRuns(here, run({ X: [term('GO:1', 'likely')] }))).toMatchObject({
      shared: 0,
      differences: [],
    });
  });

  it('are the same where the answers are', () => {
    expect(compareRuns(here, here)).toEqual({ shared: 3, onlyHere: [], onlyThere: [], differences: [] });
  });

  it('are written as a table with one line a change', () => {
    const lines = comparisonTable(compareRuns(here, there), (goId) => `name of ${goId}`).split('\n');
    expect(lines).toEqual([
      'protein\tchange\tgo_id\tterm\tfrom\tto',
      'A\tNew terms\tGO:3\tname of GO:3\t\tlikely',
      'A\tLess sure terms\tGO:2\tname of GO:2\tstrong\tpossible',
      'A\tSurer terms\tGO:4\tname of GO:4\tnot calibrated\tlikely',
      'A\tLost terms\tGO:1\tname of GO:1\tlikely\t',
      'B\tOnly in this run\t\t\t\t',
      'D\tOnly in the other run\t\t\t\t',
      '',
    ]);
  });
});
