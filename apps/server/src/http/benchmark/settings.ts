import { aspects, cafaAspectOf } from '@kindred/contracts';
import { holdoutCategories } from '@kindred/kernels/holdout';

/** How the benchmark routes name and order what they show. */
export interface BenchmarkSettings {
  /** In the order of the columns. */
  categories: readonly string[];
  aspects: readonly string[];
  /** Words for stages; a stage without has its name in words. */
  stageLabels: Readonly<Record<string, string>>;
  /** The stage that the others are measured against. */
  baselineStage: string;
  /** How long an answer may be kept while no result lands. */
  cacheSeconds: number;
}

export const defaultBenchmarkSettings: BenchmarkSettings = {
  categories: holdoutCategories,
  aspects: aspects.map((aspect) => cafaAspectOf[aspect]),
  stageLabels: {},
  baselineStage: 'sequence_similarity',
  cacheSeconds: 300,
};
