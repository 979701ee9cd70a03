import { cafaAspectOf } from '@kindred/contracts';
import { runCafaEvaluationPayload } from '@kindred/contracts/resources/evaluation-sets';
import type { metricCategory, scoreMetricsReply } from '@kindred/contracts/resources/scoring';
import { listedThresholds, printedThreshold } from '@kindred/kernels/evaluation';
import type { z } from 'zod';
import type { AspectEvaluation } from '../predict/compute/tasks/evaluate.js';
import type { ComputePool } from '../ground/pool/pool.js';
import { evaluateCategory, evaluatorOptions, needsKnownTerms } from './evaluate-category.js';
import { submission } from './submission.js';
import type { ScoredTermRow } from '../store/evaluation/evaluation-predictions.repository.js';
import type { NamedEvaluationSetRow } from '../store/evaluation/evaluation-sets.repository.js';
import { truthColumns } from '../store/evaluation/evaluation-truth.repository.js';
import { ontologyColumns } from '../store/ontology/ontology-columns.repository.js';
import type { Database } from '../store/postgres/db.js';

export interface ScoreMetricsRequest {
  predictionSetId: string;
  evaluationSet: NamedEvaluationSetRow;
  category: z.output<typeof metricCategory>;
  /**
   * Reads the scored terms of the given proteins, the best of a protein first, in pages of whole proteins.
   */
  scores: (accessions: readonly string[]) => AsyncIterable<readonly ScoredTermRow[]>;
  signal: AbortSignal;
}

/**
 * Computes CAFA metrics of any scores against one category of an evaluation set, per aspect. These are the
 * unweighted figures that run_cafa_evaluation gives by default for the same submission.
 */
export async function scoreMetrics(
  { db, compute }: { db: Database; compute: ComputePool },
  { predictionSetId, evaluationSet, category, scores, signal }: ScoreMetricsRequest,
): Promise<z.infer<typeof scoreMetricsReply>> {
  const truth = await truthColumns(db, evaluationSet.number, category);
  const predictions = await submission(scores(truth.proteins), signal);
  const counted = { proteins: predictions.proteins.length, pairs: predictions.score.length };
  const read = async (): Promise<AspectEvaluation[]> => {
    const known = needsKnownTerms(category) ? await truthColumns(db, evaluationSet.number, 'known') : null;
    const ontology = await ontologyColumns(db, evaluationSet.ontology_snapshot_id);
    const material = { ontology, truth, known, predictions, accretion: null, toi: null };
    const payload = runCafaEvaluationPayload.parse({
      evaluation_set_id: evaluationSet.id,
      prediction_set_id: predictionSetId,
      resamples: 0,
    });
    const options = evaluatorOptions(payload);
    return (await evaluateCategory(compute, category, { material, options }, { signal })).aspects;
  };
  const aspects = truth.term.length === 0 ? [] : await read();
  return {
    prediction_set_id: predictionSetId,
    evaluation_set_id: evaluationSet.id,
    category,
    n_ground_truth_proteins: truth.proteins.length,
    n_predicted_proteins: counted.proteins,
    n_predictions: counted.pairs,
    fmax: mean(aspects.map(({ figures }) => figures.fmax)),
    auc_pr: mean(aspects.map(({ figures }) => figures.auc_pr)),
    aspects: Object.fromEntries(aspects.map((found) => [cafaAspectOf[found.aspect], presentAspect(found)])),
  };
}

type AspectMetrics = NonNullable<z.infer<typeof scoreMetricsReply>['aspects']['BPO']>;

function presentAspect({ figures, evaluation, reliability }: AspectEvaluation): AspectMetrics {
  const { fmax, precision, recall, tau, coverage, f_micro, smin_terms, auc_pr, n_proteins } = figures;
  const { unweighted } = evaluation;
  return {
    fmax,
    precision,
    recall,
    threshold_at_fmax: tau,
    coverage,
    f_micro,
    smin_terms,
    auc_pr,
    n_proteins,
    reliability,
    curve: listedThresholds(evaluation).map((k) => ({
      threshold: printedThreshold(evaluation.tau[k]),
      precision: unweighted.pr[k],
      recall: unweighted.rc[k],
      f: unweighted.f[k],
    })),
  };
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
