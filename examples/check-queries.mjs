// Annotates examples/queries.fasta against the example set, and answers this question: of the queries that have a close relative in the
// reference (best blastp hit above 60 % identity), for how many is the first predicted term one of the known terms (queries_truth.tsv,
// spread over is_a and part_of)? The script prints a table, and ends with 1 if the share is below 80 %.
//
//   node examples/check-queries.mjs [--url <address> --api-key <key>]
//
// Without --url, it uses the service that runs on SVC_DATA_DIR (default ./data).
import { createReadStream, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { OntologyGraph, readObo } from '@kindred/kernels/ontology';
import { apiClient, formatTable, readTsv, serviceOf, serviceOptions } from './client.mjs';

const identityAbove = 60;
const shareWanted = 0.8;
const { values: options } = parseArgs({ options: serviceOptions });
const client = apiClient(serviceOf(options));
const example = (file) => new URL(file, import.meta.url);
const text = (file) => readFileSync(example(file), 'utf8');

/** Reads the known terms of each query with everything above them, without roots, as GO ids. */
async function readTruth() {
  const packed = createReadStream(example('go-basic-2022-07-01.obo.gz'));
  const graph = OntologyGraph.fromDocument(await readObo(packed.pipe(createGunzip())));
  const roots = new Set(['P', 'F', 'C'].flatMap((aspect) => [...graph.roots(aspect)]));
  const direct = new Map();
  for (const { accession, go_id } of readTsv(text('queries_truth.tsv'))) {
    const term = graph.liveIndexOf(go_id);
    if (term >= 0) direct.set(accession, [...(direct.get(accession) ?? []), term]);
  }
  const spread = (terms) => [...graph.ancestorsOf(terms)].filter((term) => !roots.has(term));
  return new Map(
    [...direct].map(([accession, terms]) => [
      accession,
      new Set(spread(terms).map((term) => graph.termIds[term])),
    ]),
  );
}

/**
 * Returns the terms of each query as lists show them: known terms first, then predicted ones that go beyond them and that no other term
 * implies.
 */
async function predict() {
  const path = '/v1/annotate?reference=human-4000';
  const started = await client.upload(path, text('queries.fasta'), { name: 'check-queries' });
  await client.finish(started.embedding_job_id);
  const job = await client.queue('/v1/embeddings/predict', started.predict_payload);
  const rows = readTsv(
    await client.text(
      `/v1/embeddings/prediction-sets/${job.result.prediction_set_id}/export?format=tsv&all=true&contradicted=true`,
    ),
  );
  const terms = new Map();
  for (const row of rows)
    if (
      row.kind === 'known' ||
      (row.kind === 'predicted' && row.is_known !== 'yes' && row.folded_under === '')
    )
      terms.set(row.protein, [...(terms.get(row.protein) ?? []), row]);
  return terms;
}

const [truth, predicted] = [await readTruth(), await predict()];
const queries = readTsv(text('blast_top_hits.tsv')).map((hit) => {
  const [first] = predicted.get(hit.query) ?? [];
  // A term that annotations of the very protein name is right, even if the annotation is younger than the list.
  const right = first?.kind === 'known' || (truth.get(hit.query)?.has(first?.go_id) ?? false);
  return { ...hit, first, right };
});
const rows = queries.map(({ query, best_hit, identity_percent, class: kind, first, right }) => [
  query,
  kind,
  `${best_hit} ${Number(identity_percent).toFixed(0)} %`,
  first?.source_id ?? '',
  first === undefined || first.score === '' ? '' : Number(first.score).toFixed(3),
  right ? 'yes' : 'no',
  `${first?.go_id ?? 'none'} ${first?.go_name ?? ''}`,
]);
console.log(
  formatTable([['query', 'class', 'best blastp hit', 'source', 'score', 'known', 'first term'], ...rows]),
);

/** Prints a line. @returns the share of the chosen queries whose first term is known */
function report(words, chosen) {
  const right = chosen.filter((query) => query.right).length;
  console.log(`${words}: ${right} of ${chosen.length} (${((100 * right) / chosen.length).toFixed(0)} %)`);
  return right / chosen.length;
}
console.log('\nFirst term known');
report('  all queries', queries);
report(
  '  class close (40 % identity over 60 % of the query)',
  queries.filter((query) => query.class === 'close'),
);
const share = report(
  `  best hit above ${identityAbove} % identity`,
  queries.filter((query) => Number(query.identity_percent) > identityAbove),
);
if (share < shareWanted) {
  console.error(`Fewer than ${100 * shareWanted} %.`);
  process.exitCode = 1;
}
