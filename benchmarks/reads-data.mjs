// The requests that the benchmarks of reads send.
import { readFileSync } from 'node:fs';

/** Returns the addresses of the reads that a page makes, by kind, after a run with the example queries. */
export async function readAddresses(api) {
  const body = new FormData();
  body.set(
    'file',
    new Blob([readFileSync(new URL('../examples/queries.fasta', import.meta.url))]),
    'q.fasta',
  );
  const { predict_job_id: id } = await api.upload('/v1/annotate?auto_predict=true', body);
  let job = { status: 'QUEUED' };
  while (job.status === 'QUEUED' || job.status === 'RUNNING') {
    await new Promise((resolve) => setTimeout(resolve, 200));
    job = await api.json(`/v1/jobs/${id}`);
  }
  const set = `/v1/embeddings/prediction-sets/${job.result.prediction_set_id}`;
  const fasta = readFileSync(new URL('../examples/queries.fasta', import.meta.url), 'utf8');
  const queries = fasta.match(/(?<=>\w+[|])\w+/g) ?? [];
  const proteins = (await api.json('/v1/proteins?limit=200')).items;
  const [{ id: snapshot }] = await api.json('/v1/annotations/snapshots?limit=1');
  const terms = await api.json(`/v1/annotations/snapshots/${snapshot}/terms?search=binding&limit=100`);
  const lists = Array.from({ length: 50 }, (_, i) => `/v1/proteins?limit=20&offset=${20 * i}`);
  return {
    health: ['/health'],
    showcase: ['/v1/showcase'],
    'one protein': proteins.map(({ accession }) => `/v1/proteins/${accession}`),
    'protein list': lists,
    'one term': terms.map(({ go_id }) => `/v1/annotations/snapshots/${snapshot}/terms/${go_id}`),
    'answer of a finished run': queries.map((query) => `${set}/proteins/${query}/answer`),
    'overview of a finished run': [`${set}/overview?limit=50`],
    'prediction rows': queries.map((query) => `${set}/proteins/${query}`),
  };
}
