import { randomUUID } from 'node:crypto';
import { cafaAspectOf, type PayloadOf, ProblemError } from '@kindred/contracts';
import type { PredictionTriples } from '@kindred/kernels/evaluation';
import { holdoutCategories as categories, type HoldoutCategory } from '@kindred/kernels/holdout';
import { evaluateCategory, evaluatorOptions } from './evaluate-category.js';
import { type ScoreSource, scoreSource } from './score-sources.js';
import { submission } from './submission.js';
import { inTransaction } from '../store/postgres/db.js';
import {
  findEqualResult,
  insertEvaluationResult,
  type NewEvaluationResult,
} from '../store/evaluation/evaluation-results.repository.js';
import { type TruthColumns, truthColumns } from '../store/evaluation/evaluation-truth.repository.js';
import { findPredictionSet } from '../store/predictions/prediction-sets.repository.js';
import { ontologyColumns, type StoredOntology } from '../store/ontology/ontology-columns.repository.js';
import { type ResolvedAccretion, resolveAccretion } from './evaluation-accretion.js';
import { discardArtifacts, storeArtifacts } from './evaluation-artifacts.js';
import { type EvaluationSubject, findEvaluationSubject } from './evaluation-subject.js';
import { optionsOf, readTermsOfInterest, sha256OfOptions } from './evaluation-options.js';
import { type CategoryEvaluation, resultOf } from './evaluation-report.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';

type Payload = PayloadOf<'run_cafa_evaluation'>;

const name = 'run_cafa_evaluation';

/** Scores a prediction set against NK, LK and PK truth; equal sets and options are evaluated once. */
export const runCafaEvaluation: Operation<'run_cafa_evaluation'> = {
  name,
  async run(payload, context) {
    const startMs = performance.now();
    const subject = await findEvaluationSubject(payload, context.db);
    const { evaluation_set_id, prediction_set_id } = payload;
    await context.emit(`${name}.start`, { evaluation_set_id, prediction_set_id });
    const ontology = await ontologyColumns(context.db, subject.set.ontology_snapshot_id);
    const accretion = await resolveAccretion(payload, { set: subject.set, ontology }, context);
    if (accretion) await context.emit(`${name}.ia_resolved`, accretion.identity);
    const toi = await readTermsOfInterest(payload, context);
    const scores = await scoreSource(payload, subject.predictionSet, context);
    if (scores.options.reranker) await context.emit(`${name}.reranker_loaded`, scores.options.reranker);
    const options = optionsOf(payload, {
      accretion: accretion?.identity ?? null,
      toi,
      scores: scores.options,
    });
    const identity = {
      evaluationSetId: evaluation_set_id,
      predictionSetId: prediction_set_id,
      optionsSha256: sha256OfOptions(options),
    };
    const equal = await findEqualResult(context.db, identity);
    if (equal !== undefined) {
      await context.emit(`${name}.idempotent_reuse`, { evaluation_result_id: equal.id });
      const result = { evaluation_result_id: equal.id, skipped: true, results: equal.results };
      return { kind: 'done', result };
    }
    const material = await readMaterial(subject, scores, context);
    const evaluated = await evaluateAll(payload, { ...material, ontology, accretion, toi }, context);
    const stored = await store({ identity, options, subject, material, accretion, evaluated, toi }, context);
    const result = { ...stored, elapsed_seconds: (performance.now() - startMs) / 1000 };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};

export interface Material {
  truth: Record<HoldoutCategory, TruthColumns>;
  known: TruthColumns;
  predictions: PredictionTriples;
}

async function readMaterial(
  { set, predictionSet }: EvaluationSubject,
  scores: ScoreSource,
  context: OperationContext,
): Promise<Material> {
  const truthOf = (category: HoldoutCategory | 'known'): Promise<TruthColumns> =>
    truthColumns(context.db, set.number, category);
  const truth = { NK: await truthOf('NK'), LK: await truthOf('LK'), PK: await truthOf('PK') };
  const targets = [...new Set(categories.flatMap((category) => truth[category].proteins))].sort();
  await context.emit(`${name}.reading_predictions`, { delta_proteins: targets.length });
  const predictions = await submission(scores.pages(targets), context.signal);
  const counts = {
    delta_proteins: targets.length,
    with_predictions: predictions.proteins.length,
    predictions: predictions.score.length,
  };
  if (predictions.proteins.length === 0) {
    if ((await findPredictionSet(context.db, predictionSet.id)) === undefined) throw goneMeanwhile();
    throw new ProblemError(
      'conflict',
      `Prediction set ${predictionSet.id} has no prediction for any of the ${targets.length} proteins of the evaluation set: predict for these (delta-proteins.fasta) first.`,
    );
  }
  const complete = predictions.proteins.length === targets.length;
  await context.emit(`${name}.predictions_read`, counts, complete ? 'info' : 'warning');
  return { truth, known: await truthOf('known'), predictions };
}

interface Inputs extends Material {
  ontology: StoredOntology;
  accretion: ResolvedAccretion | null;
  toi: string[] | null;
}

async function evaluateAll(
  payload: Payload,
  inputs: Inputs,
  context: OperationContext,
): Promise<CategoryEvaluation[]> {
  const evaluated: CategoryEvaluation[] = [];
  const options = evaluatorOptions(payload);
  for (const [done, category] of categories.entries()) {
    context.signal.throwIfAborted();
    const truth = inputs.truth[category];
    if (truth.term.length === 0) continue;
    await context.emit(`${name}.evaluating`, { setting: category, proteins: truth.proteins.length });
    const material = { ...inputs, truth, accretion: inputs.accretion?.values ?? null };
    const output = await evaluateCategory(
      context.compute,
      category,
      { material, options },
      {
        signal: context.signal,
        progress: (part, total) => {
          // A lost database shows at the next step, so a lost step of the progress bar must not fail the job.
          context.progress(done * 1000 + Math.floor((1000 * part) / total), 3000).catch(() => {});
        },
      },
    );
    evaluated.push({ category, output });
    await context.progress((done + 1) * 1000, 3000);
    const fmax = output.aspects.map(({ aspect, figures }) => [cafaAspectOf[aspect], figures.fmax]);
    await context.emit(`${name}.setting_done`, { setting: category, fmax: Object.fromEntries(fmax) });
  }
  return evaluated;
}

interface Evaluation {
  identity: Pick<NewEvaluationResult, 'evaluationSetId' | 'predictionSetId' | 'optionsSha256'>;
  options: Record<string, unknown>;
  subject: EvaluationSubject;
  material: Material;
  accretion: ResolvedAccretion | null;
  toi: string[] | null;
  evaluated: CategoryEvaluation[];
}

/** Stores the files first, and then the row, so a result never names missing files. */
async function store(evaluation: Evaluation, context: OperationContext): Promise<Record<string, unknown>> {
  const id = randomUUID();
  const { identity, options, subject, evaluated } = evaluation;
  const report = resultOf(evaluated, subject, options);
  const artifacts = await storeArtifacts(id, { ...evaluation, frame: report.frame }, context);
  let kept = false;
  try {
    kept = await inTransaction(context.db, (trx) =>
      insertEvaluationResult(trx, { id, jobId: context.jobId, ...identity, options, artifacts, ...report }),
    );
  } catch (error) {
    throw namedFault(error);
  } finally {
    if (!kept) await discardArtifacts(artifacts, context);
  }
  const equal = kept ? undefined : await findEqualResult(context.db, identity);
  return { evaluation_result_id: equal?.id ?? id, skipped: !kept, results: report.results };
}

/**
 * A result can't name a set that was deleted while it was evaluated: PostgreSQL answers with
 * foreign_key_violation.
 */
function namedFault(error: unknown): unknown {
  return (error as { code?: unknown }).code === '23503' ? goneMeanwhile(error) : error;
}

function goneMeanwhile(cause?: unknown): ProblemError {
  return new ProblemError('conflict', 'One of the two sets was deleted while it was being evaluated.', {
    cause,
  });
}
