import { describe, expect, it } from 'vitest';
import {
  answerColumn,
  answerColumnNames,
  answerColumnsIn,
  answeredColumns,
  type AnsweredRow,
  answerLine,
  answerReplyName,
  predictedValue,
} from './index.js';

const row: AnsweredRow = {
  go_id: 'GO:0005515',
  go_name: 'protein binding',
  go_aspect: 'F',
  score: 0.5,
  probability: 0.6,
  probability_low: 0.5,
  probability_high: 0.7,
  calibrated_on: 'yeast-2018',
  source_kind: 'protein',
  source_id: 'P2',
  evidence_code: 'IDA',
  source_identity: null,
  identity_sw: 0.4,
  distance: 0.2,
  supporters: 3,
  similar_proteins: 5,
  contradiction: null,
  source_found_by: null,
  is_known: false,
  folded_under: null,
  ec_numbers: '3.5.4.2',
  rhea_reactions: '23688',
};
const annotation = {
  qualifier: 'enables',
  with_from: null,
  assigned_by: 'UniProt',
  annotation_date: null,
};
const protein = {
  protein: 'Q1',
  no_answer: null,
  is_namesake: false,
  reference: 'mine@1',
  protein_name: 'Fumarase',
  gene_name: 'fumA',
  predicted_name: null,
  left_out: 2,
};

describe('the fields of an answered term', () => {
  it('have each a source and an output, and one name in an output', () => {
    for (const name of answerColumnNames) {
      const { predicted, known, line, outputs, meaning } = answerColumn(name);
      expect(
        [predicted, known, line].some((from) => from !== undefined),
        name,
      ).toBe(true);
      expect(outputs.length, name).toBeGreaterThan(0);
      expect(meaning, name).not.toBe('');
    }
    const names = answerColumnsIn('reply').map(answerReplyName);
    expect(new Set(names).size).toBe(names.length);
    const { is_known: _, folded_under: __, ec_numbers: ___, rhea_reactions: ____, ...columns } = row;
    expect(new Set(answeredColumns)).toEqual(new Set(Object.keys(columns)));
  });

  it('are read from the prediction, or follow from it by a rule', () => {
    expect(predictedValue('score', row, 1)).toBe(0.5);
    expect(predictedValue('certainty', row, 1)).toBe('likely');
    expect(predictedValue('probability_meaning', row, 1)).toBe('shown by experiment');
    expect(predictedValue('identity', row, 1)).toBe(0.4);
    expect(predictedValue('identity', { ...row, source_identity: 0.9 }, 1)).toBe(0.9);
    expect(predictedValue('place', row, 7)).toBe(7);
  });

  it('make a line of the table, where a kind has nulls for what it lacks', () => {
    const predicted = answerLine({ kind: 'predicted', protein, row });
    expect(predicted).toMatchObject({ protein: 'Q1', kind: 'predicted', go_id: 'GO:0005515', left_out: 2 });
    expect(predicted).toMatchObject({ protein_name: 'Fumarase', gene_name: 'fumA' });
    expect(predicted).toMatchObject({ ec_numbers: '3.5.4.2', rhea_reactions: '23688' });
    expect(predicted.db_reference).toBeNull();
    expect(predicted).toMatchObject({ predicted_name: null, predicted_name_sources: null });
    const predicted_name = {
      ...{ name: 'putative fumarase', caution: 'putative' as const, sources: ['P2', 'P3'] },
      ...{ compared: 2, identity: 0.5 },
    };
    expect(
      answerLine({ kind: 'predicted', protein: { ...protein, protein_name: null, predicted_name }, row }),
    ).toMatchObject({
      ...{ protein_name: null, predicted_name: 'putative fumarase', predicted_name_sources: 'P2|P3' },
    });
    const known = {
      accession: 'P1',
      go_id: 'GO:0003677',
      name: 'DNA binding',
      aspect: 'F' as const,
      is_negated: false,
      basis: 'experiment' as const,
      ec_numbers: null,
      rhea_reactions: '7|9',
      annotations: [
        { ...annotation, evidence_code: 'IDA', db_reference: 'PMID:1' },
        { ...annotation, evidence_code: 'IDA', db_reference: 'PMID:2' },
        { ...annotation, evidence_code: 'IEA', db_reference: null },
      ],
    };
    expect(answerLine({ kind: 'known', protein, known })).toMatchObject({
      kind: 'known',
      source_kind: 'own_annotation',
      source_id: 'P1',
      basis: 'experiment',
      evidence_code: 'IDA|IEA',
      db_reference: 'PMID:1|PMID:2',
      assigned_by: 'UniProt',
      ec_numbers: null,
      rhea_reactions: '7|9',
      score: null,
      is_known: true,
    });
    const none = answerLine({ kind: 'no_answer', protein: { ...protein, no_answer: 'too_short' } });
    expect(none).toMatchObject({ kind: 'no_answer', no_answer: 'too_short', go_id: null });
    expect(Object.keys(none)).toEqual(answerColumnsIn('table'));
  });
});
