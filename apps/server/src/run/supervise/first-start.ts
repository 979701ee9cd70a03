import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client, Input } from '@kindred/client';

const files = [
  'go-basic-2022-07-01.obo.gz',
  'reference.fasta.gz',
  'reference.gaf.gz',
  'nodes.dmp.gz',
  'names.dmp.gz',
];
const smallName = { name: 'human-4000', version: '2022-09' };

/** The starter reference has these files in the folder of the examples. */
const starterFiles = {
  organisms: {
    proteins: ['starter/organisms.fasta.br'],
    annotations: ['human', 'mouse', 'rat', 'zebrafish', 'fly', 'worm', 'arabidopsis'].map(
      (organism) => `starter/${organism}.gaf.br`,
    ),
    origin:
      'Gene Ontology Annotation database (EMBL-EBI), 2019-01-14; sequences of UniProtKB/Swiss-Prot 2014-01',
    citation: 'Huntley et al. 2015, doi:10.1093/nar/gku1113',
  },
  families: {
    proteins: ['starter/families.fasta.br'],
    annotations: ['starter/families.gpad.br'],
    origin: 'UniProtKB/Swiss-Prot 2014-01, by metastudent-data; its evidence is not recorded there',
    citation: 'The UniProt Consortium 2014, doi:10.1093/nar/gkt1140',
  },
};
const starterName = { name: 'seven-organisms-and-families', version: '2019-01' };
/** Only an installation with the starter reference has this file. */
export const starterMark = starterFiles.organisms.proteins[0];

/**
 * Builds the starter reference through the service's own API, as a user would. An interrupted first start
 * continues its build. The lineages, the taxon constraints and the ontology are those of the example set.
 */
export async function loadStarter(
  client: Client,
  folder: string,
  say: (step: string) => void,
): Promise<void> {
  const address = (file: string) => pathToFileURL(join(folder, file)).href;
  const sources = (kind: 'proteins' | 'annotations') =>
    Object.values(starterFiles).flatMap(({ origin, citation, ...files }) =>
      files[kind].map((file) => ({ url: address(file), origin, citation, licence: 'CC BY 4.0' })),
    );
  say(`reference ${starterName.name}@${starterName.version}:`);
  say(
    '  proteins of human, mouse, rat, zebrafish, fly, worm and Arabidopsis with what GOA of January 2019 says of them,',
  );
  say('  and one protein of each of the largest families of Swiss-Prot 2014');
  await buildReference(client, address, {
    ...starterName,
    proteins: sources('proteins'),
    annotations: sources('annotations'),
  });
}

/**
 * Builds a reference with the ontology and the lineages of the examples. It is not the default: each protein gets the one that fits it
 * best.
 */
async function buildReference(
  client: Client,
  address: (file: string) => string,
  reference: Pick<Input<'POST', '/references'>['body'], 'name' | 'version' | 'proteins' | 'annotations'>,
): Promise<void> {
  const { status, job_id } = await client.post('/references', {
    body: {
      ...reference,
      ontology: { url: address(files[0]), origin: 'Gene Ontology Consortium', licence: 'CC BY 4.0' },
      taxonomy: { nodes: { url: address(files[3]) }, names: { url: address(files[4]) } },
      embedding_config_ids: [await exampleConfig(client)],
    },
  });
  if (status !== 'complete' && job_id !== null) await client.finish(job_id);
}

/**
 * Builds the example set through the service's own API, as a user would: a reference of 4,000 human proteins. An
 * interrupted first start continues its build.
 */
export async function loadExamples(
  client: Client,
  folder: string,
  say: (step: string) => void,
): Promise<void> {
  const address = (file: string) => pathToFileURL(join(folder, file)).href;
  const example = (file: string) => ({ url: address(file), licence: 'CC BY 4.0' });
  say(`reference ${smallName.name}@${smallName.version}: 4,000 human proteins with 77,317 annotations`);
  await buildReference(client, address, {
    ...smallName,
    proteins: [
      { ...example(files[1]), origin: 'UniProtKB/Swiss-Prot 2014-01, names of genes by NCBI 2022-09-12' },
    ],
    annotations: [
      { ...example(files[2]), origin: 'NCBI gene2go 2022-09-12, by Bioconductor org.Hs.eg.db 3.16' },
    ],
  });
}

/** The run that the first page shows has this many proteins. */
export const sampleProteins = 3;

/**
 * Queues a run of a few example proteins that everyone finds; the first page of the web client shows it as a
 * sample. The start does not wait for it.
 */
export async function startSample(client: Client, folder: string): Promise<void> {
  const text = await readFile(join(folder, 'queries.fasta'), 'utf8');
  const records = text.split(/^(?=>)/m).filter((record) => record.startsWith('>'));
  const form = new FormData();
  form.set('fasta_text', records.slice(0, sampleProteins).join(''));
  form.set('name', 'Example proteins');
  await client.post('/annotate', {
    form,
    query: { auto_predict: true, save_history: true, visibility: 'listed' },
    // The key keeps a start that was interrupted here from making a second run.
    headers: { 'idempotency-key': 'first-start-sample' },
  });
}

async function exampleConfig(client: Client): Promise<string> {
  const configs = await client.get('/embeddings/configs');
  const known = configs.find(
    (config) => config.model_backend === 'kmer' && config.model_name === 'kmer-1024',
  );
  if (known !== undefined) return known.id;
  const created = await client.post('/embeddings/configs', {
    body: {
      model_name: 'kmer-1024',
      model_backend: 'kmer',
      layer_indices: [0],
      description: 'k-mer spectra, no weights: works offline',
    },
  });
  return created.id;
}
