import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { aspectOfCafa, cafaAspects, categories, ProblemError } from '@kindred/contracts';
import { type ReferenceVersion, referenceText } from '@kindred/contracts/reference-words';
import { maxBodyBytes, mostAccessions } from '@kindred/contracts/route';
import type { Client, Input, Reply } from '@kindred/client';
import { Command } from 'commander';
import { fileForm, serviceClient } from './api-client.js';
import { wholeNumber } from './option-values.js';
import { openProgress, showJob } from './progress.js';
import {
  alignedColumns,
  completeReference,
  type Reference,
  referenceName as nameOf,
} from './reference-text.js';
import { addServiceOptions, type ServiceOptions, withService } from './with-service.js';

interface HoldoutOptions extends ServiceOptions {
  resamples: number;
  json?: string;
  quiet?: boolean;
}
type Result = Reply<'GET', '/annotations/evaluation-sets/:id/results/:rid'>;
type PredictBody = Input<'POST', '/embeddings/predict'>['body'];

/** Every method should be above the first two, and the last is the default method. */
const methods = ['naive', 'sequence_similarity', 'combined'] as const;
type Method = (typeof methods)[number];

export function holdoutCommand(): Command {
  return addServiceOptions(new Command('holdout'))
    .argument('<from>', 'older reference: name, or name@version')
    .argument('<to>', 'newer reference')
    .option('--resamples <n>', 'resamples of the proteins for the intervals', wholeNumber, 1000)
    .option('--json <file>', 'also write all figures with their intervals to this file')
    .option('-q, --quiet', 'no progress bar')
    .action(holdout);
}

async function holdout(from: string, to: string, options: HoldoutOptions): Promise<void> {
  await withService(options, async (service) => {
    const found = await runHoldout(serviceClient(service), { from, to }, options);
    if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(found, null, 1)}\n`);
    process.stdout.write(tableOf(found));
  });
}

interface Holdout {
  from: string;
  to: string;
  /** The references are named by the hashes of their content. */
  references: { from: ReferenceVersion; to: ReferenceVersion };
  evaluation_set_id: string;
  statistics: Reply<'GET', '/annotations/evaluation-sets/:id'>['stats'];
  results: Record<Method, { prediction_set_id: string; result: Result }>;
}

async function runHoldout(
  client: Client,
  names: { from: string; to: string },
  { resamples, quiet }: HoldoutOptions,
): Promise<Holdout> {
  const [from, to] = [await completeReference(client, names.from), await completeReference(client, names.to)];
  const bar = openProgress(quiet === true);
  try {
    const made = await client.post('/annotations/evaluation-sets/generate', {
      body: {
        old_annotation_set_id: from.annotation_set_id as string,
        new_annotation_set_id: to.annotation_set_id as string,
      },
    });
    const { result: set } = await client.finish(made.id, { onUpdate: showJob(bar, 'gains') });
    const id = String(set?.evaluation_set_id);
    const { stats } = await client.get('/annotations/evaluation-sets/:id', { params: { id } });
    const queries = await queriesWithTruth(client, id);
    if (queries === null)
      throw new ProblemError(
        'conflict',
        `No protein gained a term by experiments from ${nameOf(from)} to ${nameOf(to)}: take versions that are further apart.`,
      );
    const results = {} as Holdout['results'];
    for (const method of methods) {
      const predicted = await predict(client, { method, from, queries, show: showJob(bar, method) });
      const run = await client.post('/annotations/evaluation-sets/:id/run', {
        params: { id },
        body: { prediction_set_id: predicted, resamples },
      });
      const { result } = await client.finish(run.id, { onUpdate: showJob(bar, `${method}: figures`) });
      const params = { id, rid: String(result?.evaluation_result_id) };
      results[method] = {
        prediction_set_id: predicted,
        result: await client.get('/annotations/evaluation-sets/:id/results/:rid', { params }),
      };
    }
    return {
      from: nameOf(from),
      to: nameOf(to),
      references: { from: identityOf(from), to: identityOf(to) },
      evaluation_set_id: id,
      statistics: stats,
      results,
    };
  } finally {
    bar.stop();
  }
}

const identityOf = ({ name, version, content_sha256 }: Reference): ReferenceVersion => ({
  name,
  version,
  content_sha256,
});

type Queries = { query_accessions: string[] } | { query_set_id: string };

/**
 * Gives the proteins with truth as queries: by name, or uploaded if a body has no room for their names. Null
 * means that none has truth.
 */
export async function queriesWithTruth(
  client: Pick<Client, 'download' | 'post'>,
  id: string,
): Promise<Queries | null> {
  const reply = await client.download('/annotations/evaluation-sets/:id/delta-proteins.fasta', {
    params: { id },
  });
  const fasta = await reply.text();
  const headers = fasta.split('\n').filter((line) => line.startsWith('>'));
  const accessions = headers.map((line) => line.slice(1).split(/\s/)[0]);
  if (accessions.length === 0) return null;
  const isShort = Buffer.byteLength(JSON.stringify(accessions)) < maxBodyBytes - roomForOthers;
  if (isShort && accessions.length <= mostAccessions) return { query_accessions: accessions };
  const file = { name: 'delta-proteins.fasta.gz', bytes: gzipSync(fasta) };
  const made = await client.post('/query-sets', {
    // Predictions of a set that is not listed are in no list and no benchmark.
    form: fileForm(file, { name: `Proteins of evaluation set ${id}`, visibility: 'listed' }),
  });
  return { query_set_id: made.id };
}

/** A body needs this many bytes besides its list of names. */
const roomForOthers = 4096;

interface Asked {
  method: Method;
  from: Reference;
  queries: Queries;
  show: ReturnType<typeof showJob>;
}

/** Makes predictions from the older reference alone. */
async function predict(client: Client, { method, from, queries, show }: Asked): Promise<string> {
  const frame = {
    annotation_set_id: from.annotation_set_id as string,
    ontology_snapshot_id: from.ontology_snapshot_id as string,
    ...queries,
  };
  const job =
    method === 'combined'
      ? await client.post('/embeddings/predict', {
          body: {
            ...frame,
            method,
            embedding_config_id: from.vectors[0].embedding_config_id,
            limit_per_entry: 50,
          } as PredictBody,
        })
      : await client.post('/jobs', {
          body: {
            operation: 'predict_baseline',
            queue_name: 'svc.predictions',
            payload: { ...frame, method },
          },
        });
  const { result } = await client.finish(job.id, { onUpdate: show });
  return String(result?.prediction_set_id);
}

/** Tabulates Fmax of each method with its 95 % interval, by category and aspect. */
function tableOf({ references, evaluation_set_id: id, statistics, results }: Holdout): string {
  const { delta_proteins, nk_proteins, lk_proteins, pk_proteins } = statistics;
  const cells = categories.flatMap((category) =>
    cafaAspects.map((aspect) => [
      category,
      aspect,
      String(statistics.by_aspect[category][aspectOfCafa[aspect]].proteins),
      ...methods.map((method) => figureOf(results[method].result, category, aspect)),
    ]),
  );
  const head = ['known', 'aspect', 'proteins', ...methods.map((method) => method.replaceAll('_', ' '))];
  return [
    `From ${referenceText(references.from)}`,
    `to   ${referenceText(references.to)}`,
    `${delta_proteins} proteins gained terms (NK ${nk_proteins}, LK ${lk_proteins}, PK ${pk_proteins}).`,
    'Fmax with its 95 % interval (bootstrap over proteins); naive and sequence similarity are the floors.',
    '',
    alignedColumns([head, ...cells]),
    `Stored as evaluation set ${id}.\n`,
  ].join('\n');
}

function figureOf(
  { results, intervals }: Result,
  category: (typeof categories)[number],
  aspect: (typeof cafaAspects)[number],
): string {
  const value = results[category]?.[aspect]?.fmax ?? null;
  if (value === null) return '-';
  const interval = intervals?.[category]?.[aspect]?.fmax;
  return interval === undefined
    ? value.toFixed(3)
    : `${value.toFixed(3)} (${interval.low.toFixed(3)}-${interval.high.toFixed(3)})`;
}
