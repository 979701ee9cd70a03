import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Client, Input, Reply } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import { sequenceOnlyCount } from '@kindred/contracts/sequence-only';
import { hitsNotMeasured, hitsOfSet, hitsText } from '@kindred/contracts/search-hits';
import { referenceText } from '@kindred/contracts/reference-words';
import { namesakesText } from '@kindred/contracts/resources/answers';
import { fileForm } from './api-client.js';
import { type Progress, showJob } from './progress.js';
import type { QueryFile } from './query-file.js';
import { requireFile } from './require-file.js';

type AnnotateQuery = NonNullable<Input<'POST', '/annotate'>['query']>;
type PredictBody = Input<'POST', '/embeddings/predict'>['body'];
export type StartedAnnotation = Reply<'POST', '/annotate'>;

export interface AnnotationChoice {
  method?: string;
  runner?: string;
  /** The JSON file with this path has the parameters of the runner. */
  runnerParameters?: string;
  neighbours?: number;
  reference?: string;
  annotationSet?: string;
  embedding?: string;
  evidence?: string;
  sources?: string;
  aspects?: string;
  sourceTaxa?: string;
  excludeTaxa?: string;
  aspect?: string;
  organism?: string;
  /** The file with this path has hits of the proteins by another program, with this name. */
  hits?: string;
  hitsProgram?: string;
  /** False leaves queries without a similar protein unanswered. @default true with combined */
  sequenceOnly?: boolean;
}

/** Uploads proteins. A second call with the same key starts nothing and gives the jobs of the first. */
export async function startAnnotation(
  client: Client,
  queries: QueryFile,
  choice: AnnotationChoice & { saved: boolean; key?: string },
): Promise<StartedAnnotation> {
  const parameters = await parametersOf(choice);
  const form = fileForm(queries, { name: `kindred annotate ${queries.name}`, ...parameters });
  await addHits(form, choice);
  const started = client.post('/annotate', {
    query: {
      save_history: choice.saved,
      auto_predict: true,
      method: choice.method,
      runner: choice.runner,
      limit_per_entry: choice.neighbours,
      reference: choice.reference,
      annotation_set_id: choice.annotationSet,
      ...embeddingsOf(choice),
      evidence: choice.evidence,
      sources: choice.sources,
      aspects: choice.aspects,
      source_taxa: choice.sourceTaxa,
      exclude_taxa: choice.excludeTaxa,
      aspect: choice.aspect,
      sequence_only: choice.sequenceOnly === false ? false : undefined,
      organism: choice.organism,
    } as AnnotateQuery,
    form,
    ...(choice.key === undefined ? {} : { headers: { 'idempotency-key': choice.key } }),
  });
  return started.catch((error: unknown) => {
    throw namingFile(error, queries.name);
  });
}

/** Names the file of a refusal, because the service knows only the line in it. */
function namingFile(error: unknown, name: string): unknown {
  if (!(error instanceof ProblemError) || !/^(line|record) \d/.test(error.message)) return error;
  return new ProblemError(error.code, `${name}, ${error.message}`);
}

/** Makes the field of the form with the parameters of the runner. */
async function parametersOf({ runnerParameters: path }: AnnotationChoice): Promise<Record<string, string>> {
  if (path === undefined) return {};
  await requireFile(path);
  return { runner_parameters: await readFile(path, 'utf8') };
}

/** Adds the hits of another program to the form. */
async function addHits(form: FormData, { hits: path, hitsProgram }: AnnotationChoice): Promise<void> {
  if (path === undefined) {
    if (hitsProgram !== undefined)
      throw new ProblemError(
        'bad_file',
        '--hits-program names the program of --hits: give the file, or leave it out.',
      );
    return;
  }
  await requireFile(path);
  form.set('hits', await openAsBlob(path), basename(path));
  if (hitsProgram !== undefined) form.set('hits_program', hitsProgram);
}

/** Gives the first configuration of the list, and the others that are searched together with it. */
function embeddingsOf({ embedding }: AnnotationChoice) {
  const [main, ...more] = embedding?.split(',').map((id) => id.trim()) ?? [];
  return {
    embedding_config_id: main,
    more_embedding_config_ids: more.length > 0 ? more.join(',') : undefined,
  };
}

/** Waits for both jobs, and returns the id of the prediction set; `onPredict` gets the id of its job. */
export async function finishAnnotation(
  client: Client,
  started: StartedAnnotation,
  { bar, onPredict }: { bar: Progress; onPredict?: (jobId: string) => Promise<void> },
): Promise<string> {
  await client.finish(started.embedding_job_id, { onUpdate: showJob(bar, 'embedding') });
  const predictJob =
    started.predict_job_id ??
    (await client.post('/embeddings/predict', { body: started.predict_payload as PredictBody })).id;
  await onPredict?.(predictJob);
  const predicted = await client.finish(predictJob, { onUpdate: showJob(bar, 'searching') });
  const hits = hitsOfSet(predicted.result);
  // --quiet does not hide this, because hits that do not count are a loss.
  if (hits !== null) process.stderr.write(`${hitsText(hits)} ${hitsNotMeasured(hits)}\n`);
  const namesakes = Number(predicted.result?.namesakes ?? 0);
  // --quiet does not hide this, because the user may expect known annotations under these names.
  if (namesakes > 0) process.stderr.write(`${namesakesText(namesakes)}\n`);
  const fromSequence = sequenceOnlyCount(predicted.result);
  // --quiet does not hide this, because these terms have no protein to check them by.
  if (fromSequence !== null) process.stderr.write(`${fromSequence}\n`);
  return String(predicted.result?.prediction_set_id);
}

/** Names the references that a run is compared with, and says how each protein gets one of them. */
export function referencesText({
  reference,
  more_references: more,
  not_searched: others,
  annotation_set_chosen_by: by,
}: Pick<
  StartedAnnotation,
  'reference' | 'more_references' | 'not_searched' | 'annotation_set_chosen_by'
>): string {
  const named = (list: typeof more) => list.map(({ name, version }) => `${name}@${version}`).join(', ');
  const lines = [
    reference === null ? null : `Reference: ${referenceText(reference)}`,
    more.length === 0
      ? null
      : by === 'operator'
        ? `For proteins that it does not answer: ${named(more)} (--reference NAME: that one alone)`
        : `Where they fit a protein better: ${named(more)} (--reference NAME: that one alone)`,
    others.length === 0 ? null : `Not searched: ${named(others)} (--reference NAME)`,
  ].filter((line) => line !== null);
  return lines.map((line) => `${line}\n`).join('');
}

/** Tells how to see the evidence for the terms of a run. */
export function explainHint(set: string): string {
  return `What a term rests on, with its papers: kindred explain ${set} PROTEIN GO_ID`;
}
