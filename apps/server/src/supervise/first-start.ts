import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ApiClient, type JobView, type ServiceAccess } from '../cli/api-client.js';

const files = [
  'go-basic-2022-07-01.obo.gz',
  'reference.fasta.gz',
  'reference.gaf.gz',
  'nodes.dmp.gz',
  'names.dmp.gz',
];
const exampleVersion = 'NCBI gene2go 2022-09-12';

/**
 * Loads the example set through the service's own API, as a user would: ontology, 4,000 human proteins with their annotations, and their
 * vectors. Each step is idempotent, so that a first start that was interrupted goes on where it stopped.
 */
export async function loadExamples(
  service: ServiceAccess,
  folder: string,
  say: (step: string) => void,
): Promise<void> {
  const client = new ApiClient(service);
  const address = (file: string) => pathToFileURL(join(folder, file)).href;

  say('ontology: Gene Ontology of 2022-07-01');
  const ontology = await submit(client, '/v1/annotations/snapshots/load', { obo_url: address(files[0]) });
  say('taxonomy: lineages of human and the example organisms');
  await submit(client, '/v1/jobs', {
    operation: 'load_taxonomy',
    queue_name: 'svc.jobs',
    payload: { nodes_url: address(files[3]), names_url: address(files[4]) },
  });
  say('proteins: 4,000 human sequences');
  await submit(client, '/v1/jobs', {
    operation: 'insert_proteins',
    queue_name: 'svc.jobs',
    payload: { fasta_url: address(files[1]) },
  });
  say('annotations: 77,317 rows');
  await submit(client, '/v1/annotations/sets/load-goa', {
    gaf_url: address(files[2]),
    ontology_snapshot_id: ontology.result?.ontology_snapshot_id,
    source_version: exampleVersion,
  });
  say('vectors: embedding the proteins');
  await submit(client, '/v1/jobs', {
    operation: 'compute_embeddings',
    queue_name: 'svc.embeddings',
    payload: { embedding_config_id: await exampleConfig(client) },
  });
}

async function submit(client: ApiClient, path: string, body: unknown): Promise<JobView> {
  const { id } = await client.post<{ id: string }>(path, body);
  return client.finish(id);
}

async function exampleConfig(client: ApiClient): Promise<string> {
  const configs =
    await client.get<{ id: string; model_backend: string; model_name: string }[]>('/v1/embeddings/configs');
  const known = configs.find(
    (config) => config.model_backend === 'kmer' && config.model_name === 'kmer-1024',
  );
  if (known !== undefined) return known.id;
  const created = await client.post<{ id: string }>('/v1/embeddings/configs', {
    model_name: 'kmer-1024',
    model_backend: 'kmer',
    layer_indices: [0],
    description: 'k-mer spectra, no weights: works offline',
  });
  return created.id;
}
