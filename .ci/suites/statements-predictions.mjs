// The statements of the specification on predictions and their scores.
import { ask, id, is, post, problem, rows, state, uuid } from './statements-lib.mjs';

// The statements on embeddings and prediction sets.
{
  const of = 'Embeddings and prediction sets';
  const set = (path = '') => `/embeddings/prediction-sets/${id('knn')}${path}`;
  const columns = (said) => rows(said)[0].split('\t');
  state(
    of,
    'predictions.tsv has 32 columns',
    () => ask('GET', set('/predictions.tsv')),
    is(
      200,
      ({ said }) => columns(said).length === 32 && rows(said).every((line) => line.split('\t').length === 32),
    ),
  );
  for (const aspect of ['P', 'F', 'C'])
    state(
      of,
      `predictions.tsv filters by aspect ${aspect}`,
      () => ask('GET', set(`/predictions.tsv?aspect=${aspect}`)),
      is(200, ({ said }) => {
        const at = columns(said).indexOf('go_aspect');
        return (
          rows(said)
            .slice(1)
            .every((line) => line.split('\t')[at] === aspect) || 'another aspect'
        );
      }),
    );
  state(
    of,
    'predictions.tsv filters by accession',
    () => ask('GET', set(`/predictions.tsv?accession=${id('accession')}`)),
    is(
      200,
      ({ said }) =>
        rows(said).length > 1 &&
        rows(said)
          .slice(1)
          .every((line) => line.startsWith(`${id('accession')}\t`)),
    ),
  );
  state(
    of,
    'predictions.tsv filters by distance',
    () => ask('GET', set('/predictions.tsv?max_distance=0.5')),
    is(200, ({ said }) => {
      const at = columns(said).indexOf('distance');
      return (
        at >= 0 &&
        rows(said)
          .slice(1)
          .every((line) => Number(line.split('\t')[at]) <= 0.5)
      );
    }),
  );
  state(
    of,
    'predictions-cafa.tsv has protein, term and score',
    () => ask('GET', set('/predictions-cafa.tsv')),
    is(200, ({ said }) =>
      rows(said).every((line) => /^\S+\tGO:\d{7}\t(0\.\d+|1(\.0+)?|\d(\.\d+)?e-\d+)$/.test(line)),
    ),
  );
  state(
    of,
    'predictions-cafa.tsv has scores above 0 and up to 1',
    () => ask('GET', set('/predictions-cafa.tsv')),
    is(200, ({ said }) =>
      rows(said)
        .map((line) => Number(line.split('\t')[2]))
        .every((score) => score > 0 && score <= 1),
    ),
  );
  state(
    of,
    'proteins of the set',
    () => ask('GET', set('/proteins')),
    is(200, ({ body }) => body.total === 3 && body.items.length === 3),
  );
  state(
    of,
    'go-terms is a distribution',
    () => ask('GET', set('/go-terms')),
    is(
      200,
      ({ body }) => body.top_terms.length > 0 && ['P', 'F', 'C'].every((aspect) => aspect in body.by_aspect),
    ),
  );
  state(
    of,
    'prediction sets are listed with entry counts',
    () => ask('GET', '/embeddings/prediction-sets', { as: 'admin' }),
    is(200, ({ body }) =>
      body.every((row) => Number.isInteger(row.prediction_count) && Number.isInteger(row.protein_count)),
    ),
  );
  state(
    of,
    'optional features are NULL unless asked for',
    () => ask('GET', `/embeddings/prediction-sets/${id('own')}/proteins/${id('accession')}`),
    is(
      200,
      ({ body }) =>
        body.length > 0 && body.every((row) => row.identity_nw === null && row.identity_sw === null),
    ),
  );
  const config = { model_name: 'kmer-1024', model_backend: 'kmer' };
  state(
    of,
    'a config with another parameter is a new row',
    async () => ({
      made: (await post('/embeddings/configs', { ...config, max_length: 500 }, 'cleo')).body.id,
    }),
    ({ made }) => (uuid.test(made) && made !== id('config')) || String(made),
  );
  state(
    of,
    'configs are immutable: there is no PATCH',
    () => ask('PATCH', `/embeddings/configs/${id('config')}`, { as: 'admin', body: {} }),
    problem(405),
  );
  state(
    of,
    'a config that is used is not deleted: 409',
    () => ask('DELETE', `/embeddings/configs/${id('config')}`, { as: 'cleo' }),
    problem(409),
  );
  state(
    of,
    'predict queues predict_go_terms',
    () =>
      post(
        '/embeddings/predict',
        {
          embedding_config_id: id('config'),
          annotation_set_id: id('coli'),
          ontology_snapshot_id: id('snapshot'),
          query_set_id: id('query_set'),
          limit_per_entry: 1,
        },
        'ada',
      ),
    is(202, ({ body, headers }) => headers.get('location') === `/v1/jobs/${body.id}`),
  );
  for (const name of ['embedding_config_id', 'annotation_set_id', 'ontology_snapshot_id'])
    state(
      of,
      `predict needs ${name}`,
      () =>
        post(
          '/embeddings/predict',
          {
            embedding_config_id: id('config'),
            annotation_set_id: id('coli'),
            ontology_snapshot_id: id('snapshot'),
            [name]: undefined,
          },
          'ada',
        ),
      problem(422, undefined, ({ errors }) => errors.some(({ path }) => path === `/${name}`)),
    );
}

// The statements on scoring configurations and re-rankers.
{
  const of = 'Scoring and re-rankers';
  const set = (path) => `/scoring/prediction-sets/${id('knn')}${path}`;
  state(
    of,
    'presets make configs',
    () => ask('GET', '/scoring/configs'),
    is(200, ({ body }) => body.length > 2),
  );
  state(
    of,
    'create has a strict body',
    () => post('/scoring/configs', { name: 'x', nope: 1 }, 'cleo'),
    problem(422, undefined, ({ errors }) => errors[0].path === '/nope'),
  );
  state(
    of,
    'create, read and delete a config',
    async () => {
      const { body } = await post(
        '/scoring/configs',
        { name: `walk ${Date.now()}`, weights: { embedding_similarity: 1 } },
        'cleo',
      );
      const read = await ask('GET', `/scoring/configs/${body.id}`);
      const gone = await ask('DELETE', `/scoring/configs/${body.id}`, { as: 'cleo' });
      return [read.status, gone.status, (await ask('GET', `/scoring/configs/${body.id}`)).status].join();
    },
    (found) => found === '200,204,404' || found,
  );
  state(
    of,
    'score.tsv streams scored predictions',
    () => ask('GET', set(`/score.tsv?scoring_config_id=${id('scoring')}`)),
    is(200, ({ said }) => rows(said).length > 1),
  );
  state(
    of,
    'metrics are CAFA-style',
    () =>
      ask(
        'GET',
        `/scoring/prediction-sets/${id('evaluated')}/metrics?scoring_config_id=${id('scoring')}&evaluation_set_id=${id('evaluation_set')}`,
      ),
    is(200, ({ body }) => 'fmax' in body && 'auc_pr' in body),
  );
  state(
    of,
    'training-data.tsv has 31 columns',
    () =>
      ask(
        'GET',
        `/scoring/prediction-sets/${id('evaluated')}/training-data.tsv?evaluation_set_id=${id('evaluation_set')}`,
      ),
    is(200, ({ said }) => rows(said)[0].split('\t').length === 31),
  );
  state(
    of,
    'training-data.tsv has binary labels',
    () =>
      ask(
        'GET',
        `/scoring/prediction-sets/${id('evaluated')}/training-data.tsv?evaluation_set_id=${id('evaluation_set')}`,
      ),
    is(200, ({ said }) => {
      const at = rows(said)[0].split('\t').indexOf('label');
      return (
        at >= 0 &&
        rows(said)
          .slice(1)
          .every((line) => ['0', '1'].includes(line.split('\t')[at]))
      );
    }),
  );
  state(
    of,
    're-rankers are listed',
    () => ask('GET', '/scoring/rerankers'),
    is(200, ({ body }) => Array.isArray(body)),
  );
  state(of, 'no route trains a re-ranker', () => post('/scoring/rerankers', {}, 'admin'), problem(405));
}
