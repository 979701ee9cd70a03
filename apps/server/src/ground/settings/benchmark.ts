import { aspects, cafaAspectOf, categories } from '@kindred/contracts';
import { chosen, integer, labels, text } from './schemas.js';
import type { SettingRow, SliceOf } from './setting-row.js';

/** The rows set the names and the order of what /benchmark and /showcase show. */
export const benchmarkSettingRows = {
  categories: {
    env: 'SVC_BENCHMARK_CATEGORIES',
    yaml: 'benchmark.categories',
    schema: chosen(categories),
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
    whenUnset: 'the name of the stage, spelled out',
    example: 'reranker=Our model,naive=Term frequency',
    description: 'Labels of stages (names of scoring configurations, reranker, methods)',
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
    description: 'How long replies are cached; a new result clears the cache',
  },
} as const satisfies Record<string, SettingRow>;
/** Stages have the order of the columns. A stage without a label shows its name, spelled out. */
export type BenchmarkSettings = SliceOf<typeof benchmarkSettingRows>;
