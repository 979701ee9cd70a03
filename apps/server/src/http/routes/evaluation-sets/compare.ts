import { type Aspect, aspects, cafaAspectOf, type Category, ProblemError } from '@kindred/contracts';
import {
  type BootstrapFigure,
  type BootstrapSeries,
  bootstrapFigures,
  differenceOf,
} from '@kindred/kernels/evaluation';
import type { comparisonReply } from '@kindred/contracts/resources/evaluation-sets';
import { holdoutCategories } from '@kindred/kernels/holdout';
import type { z } from 'zod';
import type {
  EvaluationResultRow,
  Resamples,
} from '../../../store/evaluation/evaluation-results.repository.js';

type Comparison = z.infer<typeof comparisonReply>;
const level = 0.95;

/**
 * Compares every figure, resample by resample on the same proteins.
 * @throws ProblemError conflict if no cell of the two is paired, with the reason
 */
export function comparison(
  result: { row: EvaluationResultRow; resamples: readonly Resamples[] },
  other: { row: EvaluationResultRow; resamples: readonly Resamples[] },
): Comparison {
  for (const { row, resamples } of [result, other]) {
    if (resamples.length > 0) continue;
    throw new ProblemError(
      'conflict',
      `Result ${row.id} was made without resamples; run the evaluation again with resamples.`,
    );
  }
  const differences: Comparison['differences'] = {};
  const notPaired: Comparison['not_paired'] = [];
  for (const [category, aspect] of cells([...result.resamples, ...other.resamples])) {
    const of = (list: readonly Resamples[]): Resamples | undefined =>
      list.find((part) => part.category === category && part.aspect === aspect);
    const [a, b] = [of(result.resamples), of(other.resamples)];
    const reason = whyNotPaired(a, b);
    const name = cafaAspectOf[aspect];
    if (reason !== null) notPaired.push({ category, aspect: name, reason });
    else (differences[category] ??= {})[name] = differencesOf(a as Resamples, b as Resamples);
  }
  if (Object.keys(differences).length === 0) {
    throw new ProblemError(
      'conflict',
      `Results ${result.row.id} and ${other.row.id} can't be compared: ${notPaired[0].reason}.`,
    );
  }
  const { seed, resamples } = result.resamples[0];
  return {
    result_id: result.row.id,
    with_result_id: other.row.id,
    level,
    seed,
    resamples,
    differences,
    not_paired: notPaired,
  };
}

function cells(parts: readonly Resamples[]): [Category, Aspect][] {
  const keys = holdoutCategories.flatMap((category) =>
    aspects.map((aspect): [Category, Aspect] => [category, aspect]),
  );
  return keys.filter(([category, aspect]) =>
    parts.some((part) => part.category === category && part.aspect === aspect),
  );
}

function whyNotPaired(a: Resamples | undefined, b: Resamples | undefined): string | null {
  if (a === undefined || b === undefined) return 'only one of the two has figures';
  if (a.seed !== b.seed || a.resamples !== b.resamples) return 'another seed or number of resamples';
  if (a.populationKey !== b.populationKey)
    return 'other ground truth, evaluated terms or information accretion';
  return null;
}

function differencesOf(
  a: Resamples,
  b: Resamples,
): Record<
  string,
  { difference: number; low: number; high: number; standard_error: number; samples: number; p_value: number }
> {
  const [first, second] = [seriesOf(a), seriesOf(b)];
  const found = a.figures.flatMap((name) => {
    const figure = name as BootstrapFigure;
    if (!bootstrapFigures.includes(figure) || !b.figures.includes(name)) return [];
    const difference = differenceOf(first, second, figure, level);
    if (difference === null) return [];
    const { estimate, low, high, standardError, samples, pValue } = difference;
    const shown = { low, high, standard_error: standardError, samples, p_value: pValue };
    return [[name, { difference: estimate, ...shown }] as const];
  });
  return Object.fromEntries(found);
}

function seriesOf(part: Resamples): BootstrapSeries {
  const { figures, resamples, samples } = part;
  const estimates = figures.map((figure, i) => [figure, part.estimates[i]] as const);
  const columns = figures.map(
    (figure, i) => [figure, samples.subarray(i * resamples, (i + 1) * resamples)] as const,
  );
  return {
    seed: part.seed,
    resamples,
    proteins: part.proteins,
    populationKey: part.populationKey,
    estimates: Object.fromEntries(estimates) as BootstrapSeries['estimates'],
    samples: Object.fromEntries(columns) as BootstrapSeries['samples'],
  };
}
