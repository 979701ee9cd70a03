// The statements of the specification on proteins, ontologies, annotations and evaluations.
import { createHash } from 'node:crypto';
import { ask, finished, id, is, places, post, problem, rows, state, world } from './statements-lib.mjs';

// The statements on proteins and annotations.
{
  const proteins = (query) => ask('GET', `/proteins?${query}`);
  state(
    'Proteins',
    'GET /proteins is paginated',
    () => proteins('limit=5&offset=3'),
    is(
      200,
      ({ body }) => body.items.length === 5 && body.offset === 3 && body.limit === 5 && body.total > 4000,
    ),
  );
  state(
    'Proteins',
    'pages do not overlap',
    async () => ({ pages: await Promise.all([0, 5].map((offset) => proteins(`limit=5&offset=${offset}`))) }),
    ({ pages: [a, b] }) =>
      a.body.items.every(({ accession }) => !b.body.items.some((row) => row.accession === accession)),
  );
  state(
    'Proteins',
    'GET /proteins filters by organism',
    () => proteins('organism=Escherichia'),
    is(200, ({ body }) => body.total === 300),
  );
  state(
    'Proteins',
    'GET /proteins filters by reviewed',
    () => proteins('reviewed=true'),
    is(200, ({ body }) => body.items.every(({ reviewed }) => reviewed === true)),
  );
  state(
    'Proteins',
    'GET /proteins/{accession} gives one protein',
    () => ask('GET', '/proteins/YE00001'),
    is(200, ({ body }) => body.accession === 'YE00001'),
  );
  state(
    'Proteins',
    'an unknown accession is 404',
    () => ask('GET', '/proteins/NOPE1'),
    problem(404, '/problems/not-found'),
  );
  state(
    'Proteins',
    'annotations are of all annotation sets',
    () => ask('GET', `/proteins/${id('human_accession')}/annotations?limit=500`),
    is(200, ({ body }) => new Set(body.map((row) => row.annotation_set_id)).size > 1),
  );
  state(
    'Proteins',
    'proteins are never created through the API',
    () => post('/proteins', {}, 'admin'),
    problem(405),
  );
  state(
    places.resources,
    'Sequence: deduplicated by MD5',
    () => ask('GET', '/proteins/EC00001'),
    is(200, ({ body }) => body.sequence_md5 === createHash('md5').update(body.sequence).digest('hex')),
  );
  state(
    places.resources,
    'the snapshot list has term counts per aspect',
    () => ask('GET', '/annotations/snapshots'),
    is(200, ({ body }) => ['P', 'F', 'C'].every((aspect) => body[0].term_counts[aspect] > 1000)),
  );
  state(
    places.resources,
    'an aspect is one of P, F, C',
    () => ask('GET', `/annotations/snapshots/${id('snapshot')}`),
    is(
      200,
      ({ body }) => body.terms.length > 40_000 && body.terms.every(({ aspect }) => 'PFC'.includes(aspect)),
    ),
  );
  state(
    'Annotations',
    'PATCH ia-url sets the IA file URL',
    () =>
      ask('PATCH', `/annotations/snapshots/${id('snapshot')}/ia-url`, {
        as: 'cleo',
        body: { ia_url: 'https://example.org/ia.tsv' },
      }),
    is(200, ({ body }) => body.ia_url === 'https://example.org/ia.tsv'),
  );
  state(
    'Annotations',
    'PATCH ia-url takes it away',
    () =>
      ask('PATCH', `/annotations/snapshots/${id('snapshot')}/ia-url`, { as: 'cleo', body: { ia_url: null } }),
    is(200, ({ body }) => body.ia_url === null),
  );
  state(
    'Annotations',
    'subgraph is the ancestor closure',
    () => ask('GET', `/annotations/snapshots/${id('snapshot')}/subgraph?go_ids=GO:0005515`),
    is(
      200,
      ({ body }) =>
        ['GO:0005515', 'GO:0005488', 'GO:0003674'].every((term) =>
          body.nodes.some(({ go_id }) => go_id === term),
        ) && body.nodes.length === 3,
    ),
  );
  state(
    'Annotations',
    'subgraph takes several terms',
    () => ask('GET', `/annotations/snapshots/${id('snapshot')}/subgraph?go_ids=GO:0005515,GO:0005634`),
    is(200, ({ body }) => body.nodes.some(({ go_id }) => go_id === 'GO:0005575')),
  );
  state(
    'Annotations',
    'GET sets has counts',
    () => ask('GET', '/annotations/sets'),
    is(
      200,
      ({ body }) =>
        body.length === 5 && body.every((set) => set.annotation_count > 0 && set.protein_count > 0),
    ),
  );
  state(
    'Annotations',
    'one set has summary statistics',
    () => ask('GET', `/annotations/sets/${id('coli')}`),
    is(200, ({ body }) => body.statistics.by_aspect.P > 0),
  );
  state(
    'Annotations',
    'a set that predictions use is not deleted: 409',
    () => ask('DELETE', `/annotations/sets/${id('coli')}`, { as: 'cleo' }),
    problem(409),
  );
  state(
    'Annotations',
    'POST snapshots/load queues load_ontology_snapshot',
    () => post('/annotations/snapshots/load', { obo_url: world.file('broken.obo') }, 'cleo'),
    is(202, ({ body, headers }) => headers.get('location') === `/v1/jobs/${body.id}`),
  );
  state(
    'Annotations',
    'POST sets/load-goa queues load_goa_annotations',
    () =>
      post(
        '/annotations/sets/load-goa',
        { gaf_url: world.file('coli.gaf'), ontology_snapshot_id: id('snapshot'), source_version: 'coli' },
        'cleo',
      ),
    is(202, ({ body, headers }) => headers.get('location') === `/v1/jobs/${body.id}`),
  );
  state(
    'Annotations',
    'POST sets/load-quickgo asks for its fields',
    () => post('/annotations/sets/load-quickgo', {}, 'cleo'),
    problem(422),
  );
}

// The statements on evaluation sets, results and the benchmark.
{
  const set = (path = '') => `/annotations/evaluation-sets/${id('evaluation_set')}${path}`;
  const pair = () => ({ old_annotation_set_id: id('older'), new_annotation_set_id: id('human') });
  state(
    'Annotations',
    'generate queues generate_evaluation_set',
    () => post('/annotations/evaluation-sets/generate', pair(), 'cleo'),
    is(202),
  );
  state(
    places.resources,
    'one evaluation set for a pair',
    async () => {
      const { body } = await post('/annotations/evaluation-sets/generate', pair(), 'cleo');
      return finished(body.id);
    },
    (job) => job.result.evaluation_set_id === id('evaluation_set') || JSON.stringify(job.result),
  );
  state(
    'Annotations',
    'evaluation sets are listed with statistics',
    () => ask('GET', '/annotations/evaluation-sets'),
    is(200, ({ body }) => body.length === 2 && body.every(({ stats }) => typeof stats === 'object')),
  );
  for (const category of ['NK', 'LK', 'PK'])
    state(
      'Annotations',
      `ground truth of ${category} has the format of CAFA`,
      () => ask('GET', set(`/ground-truth-${category}.tsv`)),
      is(200, ({ said }) => said === '' || rows(said).every((line) => /^\S+\tGO:\d{7}$/.test(line))),
    );
  state(
    'Annotations',
    'known-terms.tsv has old annotations',
    () => ask('GET', set('/known-terms.tsv')),
    is(200, ({ said }) => rows(said).every((line) => /^\S+\tGO:\d{7}$/.test(line))),
  );
  state(
    'Annotations',
    'delta-proteins.fasta is FASTA',
    () => ask('GET', set('/delta-proteins.fasta')),
    is(200, ({ said }) => /^>\S+.*\n[A-Z\n]+/.test(said)),
  );
  for (const category of ['NK', 'LK', 'PK'])
    for (const aspect of ['P', 'F', 'C', 'BPO', 'MFO', 'CCO']
      .slice(0, 0)
      .concat(['fmax', 'precision', 'recall', 'tau', 'coverage']))
      state(
        places.resources,
        `EvaluationResult: ${aspect} for each namespace of ${category}`,
        () => ask('GET', set('/results')),
        is(200, ({ body }) => {
          const found = body[0].results[category];
          return (
            found === undefined ||
            found === null ||
            Object.values(found).every(
              (figures) =>
                figures === null || typeof figures[aspect] === 'number' || figures[aspect] === null,
            )
          );
        }),
      );
  state(
    'Annotations',
    'metrics.tsv is a table',
    () => ask('GET', set(`/results/${id('result')}/metrics.tsv`)),
    is(200, ({ said }) => rows(said).length > 1 && rows(said)[0].includes('\t')),
  );
  state(
    'Annotations',
    'artifacts.zip is a zip',
    () => ask('GET', set(`/results/${id('result')}/artifacts.zip`)),
    is(200, ({ raw }) => raw.subarray(0, 2).toString() === 'PK'),
  );
  state(
    'Annotations',
    'run queues run_cafa_evaluation',
    () => post(set('/run'), { prediction_set_id: id('evaluated') }, 'cleo'),
    is(202),
  );
  state(
    'Annotations',
    'an evaluation set with results is not deleted: 409',
    () => ask('DELETE', set(), { as: 'cleo' }),
    problem(409),
  );
  state(
    'Showcase, support, benchmark',
    'matrix has categories NK, LK, PK',
    () => ask('GET', '/benchmark/matrix', { as: 'cleo' }),
    is(200, ({ body }) => body.categories.join() === 'NK,LK,PK'),
  );
  state(
    'Showcase, support, benchmark',
    'matrix has aspects BPO, MFO, CCO',
    () => ask('GET', '/benchmark/matrix', { as: 'cleo' }),
    is(200, ({ body }) => body.aspects.join() === 'BPO,MFO,CCO'),
  );
  state(
    'Showcase, support, benchmark',
    'benchmark/embeddings has display metadata',
    () => ask('GET', '/benchmark/embeddings'),
    is(200, ({ body }) => body.total === body.embeddings.length && 'display_name' in body.embeddings[0]),
  );
  state(
    'Showcase, support, benchmark',
    'showcase has counts',
    () => ask('GET', '/showcase'),
    is(200, ({ body }) => body.protein_stats.total > 4000 && Object.keys(body.counts).length > 2),
  );
  for (const name of ['best_fmax', 'method_comparison'])
    state(
      'Showcase, support, benchmark',
      `showcase has ${name}`,
      () => ask('GET', '/showcase'),
      is(200, ({ body }) => name in body),
    );
}
