import { cafaAspectOf, type Category } from '@kindred/contracts';
import type { AspectEvaluation, EvaluateOutput } from '../predict/compute/tasks/evaluate.js';
import type {
  FigureInterval,
  Figures,
  NewEvaluationResult,
} from '../store/evaluation/evaluation-results.repository.js';
import type { EvaluationSubject } from './evaluation-subject.js';

export interface CategoryEvaluation {
  category: Category;
  output: EvaluateOutput;
}

/**
 * Makes the JSON of a result: figures, intervals, the frame that they hold in, and resamples for comparisons.
 */
export function resultOf(
  evaluated: readonly CategoryEvaluation[],
  subject: EvaluationSubject,
  options: Record<string, unknown>,
): Pick<NewEvaluationResult, 'results' | 'intervals' | 'frame' | 'resamples'> {
  const byAspect = <T>(pick: (aspect: AspectEvaluation) => T) =>
    Object.fromEntries(
      evaluated.map(({ category, output }) => [
        category,
        Object.fromEntries(output.aspects.map((aspect) => [cafaAspectOf[aspect.aspect], pick(aspect)])),
      ]),
    );
  const resampled = (options.resamples as number) > 0;
  return {
    results: byAspect((aspect): Figures => ({ ...aspect.figures, ece: aspect.reliability?.ece ?? null })),
    intervals: resampled ? byAspect(intervalsOf) : null,
    frame: {
      ...frameOf(subject),
      categories: categoryFrames(evaluated),
      reliability: byAspect(({ reliability }) => reliability),
    },
    resamples: evaluated.flatMap(({ category, output }) =>
      output.aspects.flatMap(({ aspect, resamples }) =>
        resamples === null
          ? []
          : [
              {
                category,
                aspect,
                ...resamples,
                seed: options.seed as number,
                resamples: options.resamples as number,
              },
            ],
      ),
    ),
  };
}

function intervalsOf({ intervals }: AspectEvaluation): Record<string, FigureInterval> {
  return Object.fromEntries(
    Object.entries(intervals ?? {}).map(([figure, { low, high, standardError, samples }]) => [
      figure,
      { low, high, standard_error: standardError, samples },
    ]),
  );
}

function frameOf({ set, predictionSet }: EvaluationSubject): Record<string, unknown> {
  return {
    ontology: set.obo_version,
    old_annotations: `${set.old_source} ${set.old_version}`,
    new_annotations: `${set.new_source} ${set.new_version}`,
    ground_truth: set.rules,
    prediction_ontology: predictionSet.ontology_snapshot_version,
    population:
      'proteins with truth among the evaluated terms; coverage counts those with something left to find',
    scores: 'as in the CAFA file: three significant digits, at most 1,500 terms per protein',
  };
}

function categoryFrames(evaluated: readonly CategoryEvaluation[]): Record<string, unknown> {
  return Object.fromEntries(
    evaluated.map(({ category, output }) => [
      category,
      {
        truth: output.truth,
        predictions: {
          read: output.predictions.lines,
          used: output.predictions.used,
          without_truth: output.predictions.withoutTruth,
          unknown_terms: output.predictions.unknownTerms,
          beyond_max_terms: output.predictions.beyondLimit,
        },
        information_accretion: output.accretion,
        terms_of_interest: output.toi,
        aspects: Object.fromEntries(output.aspects.map(({ aspect, frame }) => [cafaAspectOf[aspect], frame])),
      },
    ]),
  );
}
