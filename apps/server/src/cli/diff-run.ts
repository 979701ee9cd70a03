import { ProblemError } from '@kindred/contracts';
import type { Client, Input, Reply } from '@kindred/client';
import { sourceChoice } from '@kindred/contracts/resources/prediction-sets';
import { referenceText } from '@kindred/contracts/reference-words';
import type { AnswerLine } from '@kindred/kernels/answer';
import { tableText } from '@kindred/kernels/formats';
import { Command } from 'commander';
import { answerTable, readAnnotations } from './annotation-table.js';
import { serviceClient } from './api-client.js';
import { fraction } from './option-values.js';
import { endOutput, openOutput, write } from './output.js';
import { openProgress, type Progress, showJob } from './progress.js';
import { alignedColumns, completeReference, type Reference, referenceName } from './reference-text.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

interface DiffOptions extends ServiceOptions {
  reference: string;
  minChange: number;
  all?: boolean;
  output?: string;
  quiet?: boolean;
}
type PredictionSet = Reply<'GET', '/embeddings/prediction-sets/:id'>;
type PredictBody = Input<'POST', '/embeddings/predict'>['body'];

export function diffRunCommand(): Command {
  return addServiceOptions(new Command('diff-run'))
    .argument('<run>', 'prediction set')
    .requiredOption('--reference <name>', 'the newer reference: name, or name@version')
    .option('--min-change <score>', 'least difference of the scores of a changed term', fraction, 0.05)
    .option('--all', 'also the less certain terms below the end of the answers')
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option('-q, --quiet', 'no progress bar')
    .action(diffRun);
}

async function diffRun(run: string, options: DiffOptions): Promise<void> {
  await withStoredData(options, async (service) => {
    const output = await openOutput(options.output);
    const client = serviceClient(service);
    const bar = openProgress(options.quiet === true);
    try {
      const set = await client.get('/embeddings/prediction-sets/:id', { params: { id: run } });
      const reference = await completeReference(client, options.reference);
      const newer = await predictAgain(client, { set, reference: referenceName(reference), bar });
      const all = options.all ?? false;
      const [before, after] = [await answersOf(client, set.id, all), await answersOf(client, newer, all)];
      const changes = changesBetween(before, after, options.minChange);
      await write(output, tableText(columns, changes));
      await endOutput(output);
      const count = (kind: string) => changes.filter(({ change }) => change === kind).length;
      const best = new Set(bestAnswerChanges(before, after).map(({ protein }) => protein)).size;
      process.stderr.write(
        `${count('gained')} terms gained, ${count('lost')} lost, ${count('changed')} with another score; ${count('now_known')} predicted terms are known now, ${count('no_longer_known')} known ones only predicted; ${best} proteins have another best answer. The new run is ${newer}, made with ${referenceText(reference)}.\n`,
      );
    } finally {
      bar.stop();
    }
  });
}

/** Gives a run with each of two references; one of them may be the given run itself. */
export async function answersOfBoth(
  client: Client,
  run: string,
  { from, to, quiet }: { from: Reference; to: Reference; quiet: boolean },
): Promise<{ before: AnsweredTerms; after: AnsweredTerms }> {
  const bar = openProgress(quiet);
  try {
    const set = await client.get('/embeddings/prediction-sets/:id', { params: { id: run } });
    const answers: AnsweredTerms[] = [];
    for (const reference of [from, to]) {
      const isOwn = set.reference?.id === reference.id;
      const id = isOwn
        ? set.id
        : await predictAgain(client, { set, reference: referenceName(reference), bar });
      answers.push(await answersOf(client, id, false));
    }
    return { before: answers[0], after: answers[1] };
  } finally {
    bar.stop();
  }
}

interface Again {
  set: PredictionSet;
  reference: string;
  bar: Progress;
}

/**
 * Predicts the same queries with the same choices and the other reference, after the vectors that it needs.
 */
async function predictAgain(client: Client, { set, reference, bar }: Again): Promise<string> {
  if (
    set.query_set_id === null ||
    !(set.method === 'combined' || set.method === 'knn' || set.runner !== null)
  )
    throw new ProblemError(
      'conflict',
      `Prediction set ${set.id} does not hold a run of uploaded proteins by combined, knn or another runner, so this command cannot make it again.`,
    );
  const newer = await completeReference(client, reference);
  const ids = newer.vectors.map(({ embedding_config_id }) => embedding_config_id);
  const asked = [set.embedding_config_id, ...set.more_embedding_configs.map(({ id }) => id)];
  const kept = ids.filter((id) => asked.includes(id));
  const config = kept.find((id) => id === set.embedding_config_id) ?? kept[0] ?? ids[0];
  const more = kept.filter((id) => id !== config);
  for (const embedding_config_id of [config, ...more])
    await client.run(
      {
        operation: 'compute_embeddings',
        queue_name: 'svc.embeddings',
        payload: { embedding_config_id, query_set_id: set.query_set_id },
      },
      { onUpdate: showJob(bar, 'embedding') },
    );
  const job = await client.post('/embeddings/predict', {
    body: {
      ...choicesOf(set),
      reference: referenceName(newer),
      embedding_config_id: config,
      ...(more.length > 0 && { more_embedding_config_ids: more }),
      query_set_id: set.query_set_id,
    } as PredictBody,
  });
  const { result } = await client.finish(job.id, { onUpdate: showJob(bar, 'searching') });
  return String(result?.prediction_set_id);
}

/** Gives the choices of the run; columns of features play no part in answers. */
function choicesOf({
  method,
  runner,
  limit_per_entry,
  distance_threshold,
  metric,
  parameters,
}: PredictionSet) {
  const { aspect = null, include_self = false, aspect_separated_knn = true } = parameters;
  const { runner_parameters = null, use_hits = false, sequence_only = false } = parameters;
  return {
    method: method === 'combined' ? method : ('knn' as const),
    ...(runner !== null && { runner: runner.name, runner_parameters }),
    limit_per_entry,
    ...sourceChoice.parse(parameters),
    ...(method === 'combined'
      ? {
          aspect,
          ...(use_hits === true && { use_hits }),
          ...(sequence_only === true && { sequence_only }),
        }
      : { distance_threshold, metric, include_self, aspect_separated_knn }),
  };
}

export type AnsweredTerms = Map<string, AnswerLine>;

/**
 * Reads known and predicted terms by protein and term. A term that is both counts as known, with the score of
 * its prediction.
 */
async function answersOf(client: Client, id: string, all: boolean): Promise<AnsweredTerms> {
  return answeredTerms(readAnnotations(await answerTable(client, id, { all })));
}

export async function answeredTerms(table: AsyncIterable<AnswerLine>): Promise<AnsweredTerms> {
  const found: AnsweredTerms = new Map();
  for await (const line of table) {
    // An annotation with NOT says that the protein does not have the term.
    const isNegated = line.kind === 'known' && line.is_known === false;
    if (line.kind === 'no_answer' || isNegated) continue;
    const key = `${line.protein}\t${line.go_id}`;
    const known = found.get(key);
    found.set(key, known === undefined ? line : { ...line, kind: 'known' });
  }
  return found;
}

/** Returns true if the protein is known to have the term, or one that implies it. */
const isKnown = (line: AnswerLine) => line.kind === 'known' || line.is_known === true;

const columns = [
  'protein',
  'change',
  'go_id',
  'go_name',
  'aspect',
  'kind_before',
  'kind_after',
  'score_before',
  'score_after',
  'source_before',
  'source_after',
] as const;
type TermChange = Record<(typeof columns)[number], string | number | null>;

const changeKinds = ['gained', 'lost', 'now_known', 'no_longer_known', 'changed'] as const;
type ChangeKind = (typeof changeKinds)[number];

/** Null means that the term is known in both runs, or predicted with about the same score. */
function changeOf(
  old: AnswerLine | undefined,
  fresh: AnswerLine | undefined,
  minChange: number,
): ChangeKind | null {
  if (old === undefined) return 'gained';
  if (fresh === undefined) return 'lost';
  if (isKnown(old) !== isKnown(fresh)) return isKnown(fresh) ? 'now_known' : 'no_longer_known';
  const difference = Math.abs(Number(old.score) - Number(fresh.score));
  return isKnown(old) || difference === 0 || difference < minChange ? null : 'changed';
}

const kindOf = (line: AnswerLine | undefined) =>
  line === undefined ? null : isKnown(line) ? 'known' : 'predicted';

/**
 * Lists by protein the terms that only one of two runs answers, that only one run knows, or that have another
 * score; gained ones come first.
 */
export function changesBetween(before: AnsweredTerms, after: AnsweredTerms, minChange: number): TermChange[] {
  const changes: TermChange[] = [];
  for (const key of new Set([...after.keys(), ...before.keys()])) {
    const [old, fresh] = [before.get(key), after.get(key)];
    const change = changeOf(old, fresh, minChange);
    if (change === null) continue;
    const { protein, go_id, go_name, aspect } = (fresh ?? old) as AnswerLine;
    changes.push({
      protein,
      change,
      go_id,
      go_name,
      aspect,
      kind_before: kindOf(old),
      kind_after: kindOf(fresh),
      score_before: old?.score ?? null,
      score_after: fresh?.score ?? null,
      source_before: old?.source_id ?? null,
      source_after: fresh?.source_id ?? null,
    });
  }
  const order: readonly string[] = changeKinds;
  const byText = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : Number(String(a) > String(b)));
  return changes.sort(
    (a, b) =>
      byText(a.protein, b.protein) ||
      order.indexOf(String(a.change)) - order.indexOf(String(b.change)) ||
      Number(b.score_after ?? b.score_before) - Number(a.score_after ?? a.score_before) ||
      byText(a.go_id, b.go_id),
  );
}

/** A change gives the best answers for a protein in an aspect; null stands for a missing answer. */
export interface BestChange {
  protein: string;
  aspect: string;
  before: AnswerLine | null;
  after: AnswerLine | null;
}

/**
 * Lists proteins whose best answer is another term, by protein and aspect. An answer that the other run knows
 * does not count as another: either a prediction became known, or another known term now comes first.
 */
export function bestAnswerChanges(before: AnsweredTerms, after: AnsweredTerms): BestChange[] {
  const [old, fresh] = [bestTerms(before), bestTerms(after)];
  const knows = (terms: AnsweredTerms, line: AnswerLine | null) => {
    const other = line === null ? undefined : terms.get(`${line.protein}\t${line.go_id}`);
    return other !== undefined && isKnown(other);
  };
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .sort()
    .map((key) => {
      const [protein, aspect] = key.split('\t');
      return { protein, aspect, before: old.get(key) ?? null, after: fresh.get(key) ?? null };
    })
    .filter((change) => change.before?.go_id !== change.after?.go_id)
    .filter((change) => !knows(after, change.before) && !knows(before, change.after));
}

/** Describes the proteins whose best answer differs, with both answers. */
export function describeBestAnswers(changes: readonly BestChange[]): string {
  const proteins = new Set(changes.map(({ protein }) => protein)).size;
  const head = `${proteins.toLocaleString('en')} proteins have another best answer`;
  if (proteins === 0) return `${head}.\n`;
  const named = (line: AnswerLine | null) =>
    line === null
      ? 'none'
      : `${line.go_id} ${line.go_name ?? ''} (${isKnown(line) ? 'known' : Number(line.score).toFixed(3)})`;
  const rows = changes.map(({ protein, aspect, before, after }) => [
    protein,
    aspect,
    named(before),
    named(after),
  ]);
  return `${head}:\n\n${alignedColumns([['protein', 'aspect', 'before', 'after'], ...rows])}`;
}

/**
 * Finds the best term. Of the known terms, the first in the table counts, which has the strongest basis and
 * is the most specific; otherwise the highest score. In a tie, the smaller id comes first, so that the order
 * does not depend on the run.
 */
function bestTerms(terms: AnsweredTerms): Map<string, AnswerLine> {
  const best = new Map<string, AnswerLine>();
  for (const line of terms.values()) {
    const key = `${line.protein}\t${line.aspect}`;
    const held = best.get(key);
    if (held === undefined || isBetter(line, held)) best.set(key, line);
  }
  return best;
}

function isBetter(line: AnswerLine, held: AnswerLine): boolean {
  if (held.kind === 'known' || line.kind === 'known') return held.kind !== 'known';
  const ahead = Number(line.score) - Number(held.score);
  return ahead > 0 || (ahead === 0 && String(line.go_id) < String(held.go_id));
}
