import { aspects, cafaAspectOf } from '@kindred/contracts';
import { holdoutCategories } from '@kindred/kernels/holdout';
import { chosen, integer, labels, text } from './schemas.js';
import type { SettingRow, SliceOf } from './setting-row.js';

/** How /benchmark and /showcase name and order what they show. */
export const benchmarkSettingRows = {
  categories: {
    env: 'SVC_BENCHMARK_CATEGORIES',
    yaml: 'benchmark.categories',
    schema: chosen(holdoutCategories),
    example: 'NK,LK',
    description: 'Categories that /benchmark and /showcase show, in order',
  },
  aspects: {
    env: 'SVC_BENCHMARK_ASPECTS',
    yaml: 'benchmark.aspects',
    schema: chosen(aspects.map((aspect) => cafaAspectOf[aspect])),
    example: 'MFO,BPO,CCO',
    description: 'Aspects that they show, in order',
  },
  stageLabels: {
    env: 'SVC_BENCHMARK_STAGE_LABELS',
    yaml: 'benchmark.stage_labels',
    schema: labels,
    whenUnset: 'the name of the stage in words',
    example: 'reranker=Our model,naive=Term frequency',
    description: 'Words for stages (names of scoring configurations, reranker, methods)',
  },
  baselineStage: {
    env: 'SVC_BENCHMARK_BASELINE',
    yaml: 'benchmark.baseline',
    schema: text('sequence_similarity'),
    example: 'embedding_only',
    description: 'Stage that is tagged as the baseline',
  },
  cacheSeconds: {
    env: 'SVC_BENCHMARK_CACHE_SECONDS',
    yaml: 'benchmark.cache_seconds',
    schema: integer(0, 86_400, 300),
    example: '60',
    description: 'How long the answers are kept; a new result ends that at once',
  },
} as const satisfies Record<string, SettingRow>;
/** In the order of the columns; a stage without a label has its name in words. */
export type BenchmarkSettings = SliceOf<typeof benchmarkSettingRows>;
