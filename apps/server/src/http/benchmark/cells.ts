import type { BenchmarkResultRow } from '../../store/evaluation/benchmark.repository.js';
import type { BenchmarkSettings } from './settings.js';
import { type StageKind, stageOf } from './stages.js';

export interface BenchmarkCell {
  /** The configuration is null for a method without embeddings. */
  embedding_config_id: string | null;
  more_embedding_config_ids: string[];
  embedding_name: string | null;
  evaluation_set_id: string;
  stage: string;
  kind: StageKind;
  /** A query has this number of neighbours; methods without neighbours have 0. */
  k: number;
  category: string;
  aspect: string;
  fmax: number;
  precision: number | null;
  recall: number | null;
  coverage: number | null;
  fmax_w: number | null;
  n_proteins: number | null;
  evaluation_result_id: string;
  /** The figures are valid under these settings. */
  prop: string;
  norm: string;
  no_orphans: boolean;
  th_step: number;
  /** Everyone sees a listed cell. */
  listed: boolean;
}

/**
 * Gives the newest result of each (embedding, evaluation set, stage, k), cell by cell, without empty cells.
 */
export function benchmarkCells(
  rows: readonly BenchmarkResultRow[],
  { categories, aspects }: Pick<BenchmarkSettings, 'categories' | 'aspects'>,
): BenchmarkCell[] {
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const stage = stageOf(row);
    const embeddings = [row.embedding_config_id, ...row.more_embedding_config_ids].sort().join('+');
    // Cells that everyone sees are not replaced by cells that one reader sees.
    const key = [embeddings, row.evaluation_set_id, stage.name, row.limit_per_entry, row.listed].join(' ');
    if (seen.has(key)) return [];
    seen.add(key);
    return categories.flatMap((category) =>
      aspects.flatMap((aspect) => {
        const cell = cellOf(row, stage, category, aspect);
        return cell === null ? [] : [cell];
      }),
    );
  });
}

function cellOf(
  row: BenchmarkResultRow,
  stage: ReturnType<typeof stageOf>,
  category: string,
  aspect: string,
): BenchmarkCell | null {
  const results = row.results as Record<string, Record<string, Record<string, number | null>> | undefined>;
  const figures = results[category]?.[aspect];
  if (figures === undefined || figures.fmax === null) return null;
  const options = row.options as { prop: string; norm: string; no_orphans: boolean; th_step: number };
  return {
    embedding_config_id: row.embedding_config_id,
    more_embedding_config_ids: row.more_embedding_config_ids,
    embedding_name: row.embedding_name,
    evaluation_set_id: row.evaluation_set_id,
    stage: stage.name,
    kind: stage.kind,
    k: row.limit_per_entry,
    category,
    aspect,
    fmax: figures.fmax,
    precision: figures.precision ?? null,
    recall: figures.recall ?? null,
    coverage: figures.coverage ?? null,
    fmax_w: figures.fmax_w ?? null,
    n_proteins: figures.n_proteins ?? null,
    evaluation_result_id: row.id,
    prop: options.prop,
    norm: options.norm,
    no_orphans: options.no_orphans,
    th_step: options.th_step,
    listed: row.listed,
  };
}

/** Gives the cell with the largest Fmax for each category and aspect; of equal cells, the first. */
export function bestCells(
  cells: readonly BenchmarkCell[],
  { categories, aspects }: Pick<BenchmarkSettings, 'categories' | 'aspects'>,
): Record<string, Record<string, BenchmarkCell>> {
  const best: Record<string, Record<string, BenchmarkCell>> = {};
  for (const category of categories) {
    const ofCategory: Record<string, BenchmarkCell> = {};
    for (const aspect of aspects) {
      const candidates = cells.filter((cell) => cell.category === category && cell.aspect === aspect);
      if (candidates.length === 0) continue;
      ofCategory[aspect] = candidates.reduce((most, cell) => (cell.fmax > most.fmax ? cell : most));
    }
    if (Object.keys(ofCategory).length > 0) best[category] = ofCategory;
  }
  return best;
}
