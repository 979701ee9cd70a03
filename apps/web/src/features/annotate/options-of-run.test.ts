import { expect, it } from 'vitest';
import { optionsOf } from './options-of-run.js';

const run = {
  method: 'combined',
  runner: null,
  annotation_set_id: 'a',
  more_references: [],
  embedding_config_id: 'e',
  more_embedding_configs: [],
  limit_per_entry: 50,
  parameters: { evidence: ['experimental', 'curated'], sources: null, aspect: 'F' },
};

it('takes reference, sources and aspect of a run', () => {
  expect(optionsOf(run)).toEqual({
    annotation_set_id: 'a',
    embedding_config_id: 'e',
    evidence: 'experimental,curated',
    aspect: 'F',
  });
});

it('leaves proteins without a similar one unanswered where the run did', () => {
  const parameters = { ...run.parameters, sequence_only: false };
  expect(optionsOf({ ...run, parameters })).toHaveProperty('sequence_only', false);
  expect(optionsOf({ ...run, parameters: { ...parameters, sequence_only: true } })).not.toHaveProperty(
    'sequence_only',
  );
  expect(optionsOf({ ...run, parameters, method: 'knn' })).not.toHaveProperty('sequence_only');
});

it('leaves the reference to the service where a run was compared with several', () => {
  const other = { id: 'o', name: 'yeast', version: '1', content_sha256: null };
  expect(optionsOf({ ...run, more_references: [other] })).not.toHaveProperty('annotation_set_id');
});

it('takes the further models of a run', () => {
  const more = ['f', 'g'].map((id) => ({ id, name: `model ${id}` }));
  expect(optionsOf({ ...run, more_embedding_configs: more })).toMatchObject({
    embedding_config_id: 'e',
    more_embedding_config_ids: 'f,g',
  });
});

it('takes the number of neighbours of the method that has one, and no aspect', () => {
  expect(optionsOf({ ...run, method: 'knn', limit_per_entry: 3, annotation_set_id: null })).toEqual({
    embedding_config_id: 'e',
    method: 'knn',
    limit_per_entry: 3,
    evidence: 'experimental,curated',
  });
});

it('takes the runner of a run with its parameters', () => {
  const runner = { name: 'vote-share', version: '1.0.0' };
  const parameters = { runner_parameters: { minimum_share: 0.5 } };
  expect(optionsOf({ ...run, method: 'vote-share', runner, limit_per_entry: 3, parameters })).toMatchObject({
    method: 'knn',
    limit_per_entry: 3,
    runner: 'vote-share',
    runner_parameters: { minimum_share: 0.5 },
  });
  const knn = optionsOf({ ...run, method: 'knn', runner: { name: 'knn', version: '0.1.0' } });
  expect(knn).toMatchObject({ method: 'knn' });
  expect(knn).not.toHaveProperty('runner');
});
