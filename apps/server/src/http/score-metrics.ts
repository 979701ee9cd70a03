import { type Aspect, cafaAspectOf, namespaceOf } from '@kindred/contracts';
import type { z } from 'zod';
import type { metricCategory, scoreMetricsReply } from '@kindred/contracts/resources/scoring';
import { type EvaluateOutput, evaluateTask } from '../compute/evaluation-tasks.js';
import { predictionTriples } from '../scoring/prediction-triples.js';
import type { ScoredTermRow } from '../store/evaluation/evaluation-predictions.repository.js';
import type { NamedEvaluationSetRow } from '../store/evaluation/evaluation-sets.repository.js';
import { truthColumns } from '../store/evaluation/evaluation-truth.repository.js';
import { ontologyColumns } from '../store/ontology/ontology-columns.repository.js';
import type { RouteDeps } from './deps.js';

export interface ScoreMetricsRequest {
  predictionSetId: string;
  evaluationSet: NamedEvaluationSetRow;
  category: z.output<typeof metricCategory>;
  /** Scored terms of the given proteins, best of a protein first, in pages of whole proteins. */
  scores: (accessions: readonly string[]) => AsyncIterable<readonly ScoredTermRow[]>;
  signal: AbortSignal;
}

/**
 * CAFA metrics of any scores against one category of an evaluation set: propagated, per aspect, unweighted, in the frame that
 * run_cafa_evaluation takes by default.
 */
export async function scoreMetrics(
  { db, compute }: RouteDeps,
  { predictionSetId, evaluationSet, category, scores, signal }: ScoreMetricsRequest,
): Promise<z.infer<typeof scoreMetricsReply>> {
  const truth = await truthColumns(db, evaluationSet.number, category.toUpperCase() as 'NK' | 'LK' | 'PK');
  const predictions = await predictionTriples(scores(truth.proteins), signal);
  const counted = { proteins: predictions.proteins.length, pairs: predictions.score.length };
  const columns = [predictions.protein, predictions.term, predictions.score];
  const empty = truth.term.length === 0;
  const output = empty
    ? null
    : await compute.run(
        evaluateTask,
        {
          ontology: await ontologyColumns(db, evaluationSet.ontology_snapshot_id),
          truth,
          known: category === 'pk' ? await truthColumns(db, evaluationSet.number, 'known') : null,
          predictions,
          accretion: null,
          toi: null,
          options: {
            prop: 'fill',
            norm: 'cafa',
            no_orphans: true,
            th_step: 0.01,
            max_terms: null,
            resamples: 0,
            seed: 1,
          },
        },
        { signal, transfer: columns.map(({ buffer }) => buffer as ArrayBuffer) },
      );
  const all = output?.aspects ?? [];
  return {
    prediction_set_id: predictionSetId,
    evaluation_set_id: evaluationSet.id,
    category,
    n_ground_truth_proteins: truth.proteins.length,
    n_predicted_proteins: counted.proteins,
    n_predictions: counted.pairs,
    fmax: mean(all.map(({ figures }) => figures.fmax)),
    auc_pr: mean(all.map(({ figures }) => figures.auc_pr)),
    aspects: output === null ? {} : aspectsOf(output),
  };
}

type Aspects = z.infer<typeof scoreMetricsReply>['aspects'];

function aspectsOf({ aspects, tables }: EvaluateOutput): Aspects {
  const curves = curvesIn(tables['evaluation_all.full.tsv']);
  return Object.fromEntries(
    aspects.map(({ aspect, figures }) => {
      const { fmax, precision, recall, tau, coverage, f_micro, smin, auc_pr, n_proteins } = figures;
      const shown = {
        fmax,
        precision,
        recall,
        threshold_at_fmax: tau,
        coverage,
        f_micro,
        smin,
        auc_pr,
        n_proteins,
      };
      return [cafaAspectOf[aspect], { ...shown, curve: curves[aspect] ?? [] }];
    }),
  );
}

type Curve = NonNullable<Aspects['BPO']>['curve'];

/** Points by falling recall, from the table of all thresholds. */
function curvesIn(table: string): Partial<Record<Aspect, Curve>> {
  const [head, ...lines] = table.trimEnd().split('\n');
  const columns = head.split('\t');
  const at = (name: string) => columns.indexOf(name);
  const aspectOf = Object.fromEntries(Object.entries(namespaceOf).map(([aspect, name]) => [name, aspect]));
  const curves: Partial<Record<Aspect, Curve>> = {};
  for (const line of lines) {
    const cells = line.split('\t');
    const aspect = aspectOf[cells[at('ns')]] as Aspect;
    const number = (name: string) => Number(cells[at(name)]);
    (curves[aspect] ??= []).push({
      threshold: number('tau'),
      precision: number('pr'),
      recall: number('rc'),
      f: number('f'),
    });
  }
  return curves;
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
