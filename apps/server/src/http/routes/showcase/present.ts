import type { showcaseReply } from '@kindred/contracts/resources/showcase';
import type { z } from 'zod';
import type { ShowcaseCounts } from '../../../store/evaluation/benchmark.repository.js';
import { type BenchmarkCell, bestCells } from '../../benchmark/cells.js';
import type { BenchmarkSettings } from '../../benchmark/settings.js';
import { stageLabel } from '../../benchmark/stages.js';

type Showcase = z.infer<typeof showcaseReply>;

/** @param cells belong to one evaluation set, because Fmax of different truths can't be compared */
export function presentShowcase(
  { canonical_proteins, ...counts }: ShowcaseCounts,
  cells: readonly BenchmarkCell[],
  settings: BenchmarkSettings,
): Omit<Showcase, 'sample'> {
  return {
    protein_stats: { total: counts.proteins, canonical: canonical_proteins },
    counts,
    best_fmax: bestFmax(cells, settings),
    method_comparison: comparison(cells, settings),
    evaluation_set_id: cells[0]?.evaluation_set_id ?? null,
    pipeline_stages: [
      { name: 'sequences', count: counts.sequences, href: '/v1/proteins' },
      { name: 'embeddings', count: counts.embeddings, href: '/v1/embeddings/configs' },
      { name: 'predictions', count: counts.predictions, href: '/v1/embeddings/prediction-sets' },
      { name: 'reranker_models', count: counts.reranker_models, href: '/v1/scoring/rerankers' },
      { name: 'evaluations', count: counts.evaluations, href: '/v1/annotations/evaluation-sets' },
    ],
  };
}

function bestFmax(cells: readonly BenchmarkCell[], settings: BenchmarkSettings): Showcase['best_fmax'] {
  const shown = ({ fmax, stage, embedding_name, evaluation_result_id, listed }: BenchmarkCell) => ({
    fmax,
    listed,
    method: stage,
    method_label: stageLabel(stage, settings),
    embedding_name,
    evaluation_result_id,
  });
  return mapValues(bestCells(cells, settings), (ofCategory) => mapValues(ofCategory, shown));
}

function comparison(
  cells: readonly BenchmarkCell[],
  settings: BenchmarkSettings,
): Showcase['method_comparison'] {
  const byMethod = new Map<string, BenchmarkCell[]>();
  for (const cell of cells) byMethod.set(cell.stage, [...(byMethod.get(cell.stage) ?? []), cell]);
  const table: Showcase['method_comparison'] = {};
  for (const category of settings.categories) {
    const rows = [...byMethod].flatMap(([method, own]) => {
      const best = bestCells(own, settings)[category];
      if (best === undefined) return [];
      const figures = Object.fromEntries(
        settings.aspects.map((aspect) => [
          aspect,
          best[aspect] === undefined
            ? null
            : {
                fmax: best[aspect].fmax,
                evaluation_result_id: best[aspect].evaluation_result_id,
                listed: best[aspect].listed,
              },
        ]),
      );
      const label = stageLabel(method, settings);
      return [{ method, label, is_baseline: method === settings.baselineStage, figures }];
    });
    if (rows.length > 0) table[category] = rows.sort((a, b) => mean(b.figures) - mean(a.figures));
  }
  return table;
}

function mean(figures: Record<string, { fmax: number } | null>): number {
  const known = Object.values(figures).flatMap((figure) => (figure === null ? [] : [figure.fmax]));
  return known.reduce((sum, fmax) => sum + fmax, 0) / Math.max(1, known.length);
}

function mapValues<A, B>(record: Record<string, A>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
