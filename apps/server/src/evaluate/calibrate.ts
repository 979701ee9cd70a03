import { absent, type PayloadOf, ProblemError } from '@kindred/contracts';
import { inPresentNames, sourceChoice } from '@kindred/contracts/resources/prediction-sets';
import { calibrationRule, leastProteins } from '@kindred/kernels/calibration';
import { evidenceGroups, type ProbabilityBin } from '@kindred/kernels/combined';
import { holdoutCategories } from '@kindred/kernels/holdout';
import { type FittedCurve, fitCurveTask } from '../predict/compute/tasks/calibration.js';
import { findAnnotationSet } from '../store/annotations/annotations.repository.js';
import { scoredTermPages } from '../store/evaluation/evaluation-predictions.repository.js';
import { truthColumns } from '../store/evaluation/evaluation-truth.repository.js';
import { ontologyColumns } from '../store/ontology/ontology-columns.repository.js';
import { currentTaxonomy } from '../store/ontology/taxonomy.repository.js';
import { inTransaction } from '../store/postgres/db.js';
import {
  type CalibratedReference,
  calibrationQueries,
  type CalibrationQueryRow,
  type NewCurve,
  replaceCurves,
} from '../store/evaluation/calibration.repository.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { kingdomOf, lineagesByTaxon } from '../predict/banks/query-lineages.js';
import { calibrationPoints, CalibrationTruth, type KeyedPoints } from './calibration-points.js';
import { type EvaluationSubject, findEvaluationSubject } from './evaluation-subject.js';

type Payload = PayloadOf<'calibrate'>;

const name = 'calibrate';

/**
 * Fits curves from scores of `combined` to probabilities for a reference, from the outcomes that an
 * evaluation set knows. Curves that pass a test on the set's proteins are stored with the reference.
 */
export const calibrate: Operation<'calibrate'> = {
  name,
  async run(payload, context) {
    const subject = await findEvaluationSubject(payload, context.db);
    const reference = await referenceOf(payload, subject, context);
    const { evaluation_set_id, prediction_set_id } = payload;
    await context.emit(`${name}.start`, { evaluation_set_id, prediction_set_id });
    const { points, kingdoms } = await readPoints(subject, context);
    const { old_source, old_version, new_source, new_version } = subject.set;
    const window = `${old_source} ${old_version} to ${new_source} ${new_version}`;
    const curves: NewCurve[] = [];
    const report: Record<string, unknown>[] = [];
    for (const [done, { points: columns, ...key }] of points.entries()) {
      const fitted = await context.compute.run(fitCurveTask, columns, { signal: context.signal });
      const known = kingdomsWithin(columns.protein, kingdoms);
      const isKept = fitted !== null && fitted.test.isCalibrated && known.length > 0;
      report.push({ ...key, kept: isKept, ...reportOf(fitted, columns), kingdoms: known });
      if (fitted !== null && isKept)
        curves.push({
          ...key,
          bins: binsOf(fitted),
          kingdoms: known,
          calibration_window: window,
          prediction_count: fitted.curve.predictions,
          protein_count: fitted.curve.proteins,
          evaluation_set_id,
          prediction_set_id,
          job_id: context.jobId,
        });
      await context.progress(done + 1, points.length);
    }
    await inTransaction(context.db, (trx) => replaceCurves(trx, reference, curves));
    const [embedding_config_id, ...more_embedding_config_ids] = reference.embeddingConfigIds;
    const result = {
      annotation_set_id: reference.annotationSetId,
      embedding_config_id,
      more_embedding_config_ids,
      calibrated_on: window,
      kept: curves.length,
      curves: report,
    };
    await context.emit(`${name}.done`, result, curves.length === 0 ? 'warning' : 'info');
    return { kind: 'done', result };
  },
};

/**
 * Gives the reference that the curves are stored with.
 * @throws ProblemError conflict if the predictions cannot say what scores mean
 */
async function referenceOf(
  { annotation_set_id: asked }: Payload,
  { set, predictionSet }: EvaluationSubject,
  { db }: OperationContext,
): Promise<CalibratedReference> {
  const { id, method, annotation_set_id: sources, embedding_config_id: config, parameters } = predictionSet;
  if (method !== 'combined' || sources === null || config === null)
    throw new ProblemError(
      'conflict',
      `Prediction set ${id} is by the method ${method}; only predictions by combined have probabilities.`,
    );
  if (sources !== set.old_annotation_set_id)
    throw new ProblemError(
      'conflict',
      `Prediction set ${id} has sources of annotation set ${sources}, which may know the outcome; predict with ${set.old_annotation_set_id}, the old set of the evaluation set.`,
    );
  const more = predictionSet.more_annotation_set_ids ?? [];
  if (more.length > 0)
    throw new ProblemError(
      'conflict',
      `Prediction set ${id} is of a run over ${more.length + 1} references, and what the others say of a protein may be younger than the old set; predict with ${sources} alone (annotation_set_id of the annotation, --reference on the command line).`,
    );
  const annotationSetId = asked ?? sources;
  const found = await findAnnotationSet(db, annotationSetId);
  if (found === undefined) throw absent('annotation set', annotationSetId);
  const { evidence, ...others } = sourceChoice.parse(inPresentNames(parameters));
  const chosen = Object.entries(others).filter(([, choice]) => choice !== null);
  if (chosen.length > 0)
    throw new ProblemError(
      'conflict',
      `Prediction set ${id} chose ${chosen.map(([name]) => name).join(', ')}; probabilities are fitted for a choice of evidence or for none.`,
    );
  return {
    annotationSetId,
    embeddingConfigIds: [config, ...(predictionSet.more_embedding_config_ids ?? [])],
    donors: predictionSet.limit_per_entry,
    evidence: evidence ?? evidenceGroups,
  };
}

/** Reads the points of every curve, and the superkingdom of each query. */
async function readPoints(
  { set, predictionSet }: EvaluationSubject,
  context: OperationContext,
): Promise<{ points: KeyedPoints[]; kingdoms: (string | null)[] }> {
  const { db, signal } = context;
  const [NK, LK, PK] = await Promise.all(
    holdoutCategories.map((category) => truthColumns(db, set.number, category)),
  );
  const truth = { NK, LK, PK };
  const ontology = await ontologyColumns(db, set.ontology_snapshot_id);
  const outcomes = new CalibrationTruth(ontology, {
    truth,
    known: await truthColumns(db, set.number, 'known'),
  });
  const targets = [...new Set(Object.values(truth).flatMap(({ proteins }) => proteins))].sort();
  const queries = await calibrationQueries(db, predictionSet.number, targets);
  if (queries.length === 0)
    throw new ProblemError(
      'conflict',
      `Prediction set ${predictionSet.id} answers none of the ${targets.length} proteins of the evaluation set: predict for these (delta-proteins.fasta) first.`,
    );
  const kingdoms = await kingdomsOf(queries, context);
  const pages = scoredTermPages(db, {
    setNumber: predictionSet.number,
    accessions: targets,
    maxDistance: null,
  });
  return { points: await calibrationPoints(pages, { truth: outcomes, queries }, signal), kingdoms };
}

/**
 * @throws ProblemError conflict without a taxonomy, because a probability is shown only to queries of the
 * tested kingdoms
 */
async function kingdomsOf(
  queries: readonly CalibrationQueryRow[],
  { db }: OperationContext,
): Promise<(string | null)[]> {
  if ((await currentTaxonomy(db)) === undefined)
    throw new ProblemError(
      'conflict',
      'calibrate needs a taxonomy, because curves are kept by superkingdom: run load_taxonomy first.',
    );
  const lineages = await lineagesByTaxon(
    db,
    Int32Array.from(queries, ({ taxon }) => taxon),
  );
  return queries.map(({ taxon }) => kingdomOf(lineages.get(taxon)));
}

/** Lists the superkingdoms that have at least as many proteins as a bin needs. */
function kingdomsWithin(protein: Int32Array, kingdoms: readonly (string | null)[]): string[] {
  const counts = new Map<string, number>();
  for (const place of new Set(protein)) {
    const kingdom = kingdoms[place];
    if (kingdom !== null) counts.set(kingdom, (counts.get(kingdom) ?? 0) + 1);
  }
  return [...counts].flatMap(([kingdom, count]) => (count >= leastProteins ? [kingdom] : [])).sort();
}

/** Gives the bins as predictions read them. Bins from 80 % on are kept only if the test allows it. */
function binsOf({ curve, test }: FittedCurve): ProbabilityBin[] {
  return curve.bins.map(({ low, high, probability, interval, proteins }) => {
    const isShown = probability !== null && (test.isSure || probability < calibrationRule.sure);
    return {
      score_from: low,
      score_to: high,
      probability: isShown ? probability : null,
      low: isShown && interval ? interval.low : null,
      high: isShown && interval ? interval.high : null,
      proteins,
    };
  });
}

function reportOf(
  fitted: FittedCurve | null,
  { protein, score }: KeyedPoints['points'],
): Record<string, unknown> {
  const counted = { predictions: score.length, proteins: new Set(protein).size };
  if (fitted === null) return { ...counted, why_not: `fewer than ${leastProteins} proteins` };
  const { test } = fitted;
  return {
    ...counted,
    ...(test.isCalibrated
      ? {}
      : { why_not: `expected calibration error above ${calibrationRule.largestError}` }),
    test: {
      predictions: test.predictions,
      ece: test.error,
      ece_from_10_percent: test.errorFrom10,
      said_80_percent: test.claimed,
      said_80_percent_right: test.claimedRight,
      sure_is_shown: test.isSure,
    },
    bins: binsOf(fitted),
  };
}
