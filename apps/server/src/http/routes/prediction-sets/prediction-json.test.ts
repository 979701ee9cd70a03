import { predictionReply } from '@kindred/contracts/resources/prediction-sets';
import { expect, it } from 'vitest';
import { repliedColumns } from '../../../store/predictions/predictions.repository.js';
import { predictionsJson } from './prediction-json.js';

const terms = [
  { go_id: 'GO:0003674', name: 'a "quoted"\nname', aspect: 'F' as const, parents: [] },
  { go_id: 'GO:0005575', name: 'λ', aspect: 'C' as const, parents: [1] },
];
const cells = (values: Record<string, string>) => repliedColumns.map((name) => values[name] ?? null);
const always = {
  score: '0.5',
  is_nearest: 't',
  source_kind: 'protein',
  similar_proteins: '0',
  supporters: '0',
};

it('is the reply of the schema, of the text that PostgreSQL writes', () => {
  const rows = [
    cells({ ...always, distance: '1e-05', source_id: 'P\\1', evidence_code: 'IDA', answer_rank: '7' }),
    cells({ ...always, is_nearest: 'f', source_kind: 'own_annotation', source_id: 'P2', distance: 'NaN' }),
  ];
  const reply = JSON.parse(predictionsJson({ terms, cells: rows }));
  expect(reply).toEqual(predictionReply.array().parse(reply));
  expect(Object.keys(reply[0])).toEqual(Object.keys(predictionReply.shape));
  expect(reply[0]).toMatchObject({
    go_id: 'GO:0003674',
    name: 'a "quoted"\nname',
    aspect: 'F',
    score: 0.5,
    distance: 0.00001,
    is_nearest: true,
    source_id: 'P\\1',
    ref_protein_accession: 'P\\1',
    evidence_code: 'IDA',
    answer_rank: 7,
    probability: null,
  });
  expect(reply[1]).toMatchObject({
    name: 'λ',
    distance: null,
    is_nearest: false,
    ref_protein_accession: null,
    evidence_code: null,
  });
  expect(predictionsJson({ terms: [], cells: [] })).toBe('[]');
});
