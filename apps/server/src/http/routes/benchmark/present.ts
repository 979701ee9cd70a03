import type { matrixQuery, matrixReply } from '@kindred/contracts/resources/benchmark';
import type { z } from 'zod';
import type { NamedEvaluationSetRow } from '../../../store/evaluation/evaluation-sets.repository.js';
import { type BenchmarkCell, bestCells } from '../../benchmark/cells.js';
import type { BenchmarkSettings } from '../../benchmark/settings.js';
import { stageLabel } from '../../benchmark/stages.js';

export interface Matrix {
  cells: BenchmarkCell[];
  sets: NamedEvaluationSetRow[];
}

/** Gives the rows that the filters leave, with the axes that these rows span. */
export function presentMatrix(
  { cells, sets }: Matrix,
  query: z.infer<typeof matrixQuery>,
  settings: BenchmarkSettings,
): z.infer<typeof matrixReply> {
  const { evaluation_set_id, stage, k } = query;
  const rows = cells.filter(
    (cell) =>
      (evaluation_set_id === undefined || cell.evaluation_set_id === evaluation_set_id) &&
      (stage === undefined || cell.stage === stage) &&
      (k === undefined || cell.k === k),
  );
  const { categories, aspects } = settings;
  const embeddings = cells.flatMap((cell) =>
    cell.embedding_config_id === null ? [] : [cell.embedding_config_id],
  );
  const evaluated = new Set(cells.map((cell) => cell.evaluation_set_id));
  return {
    rows,
    total: rows.length,
    evaluation_sets: sets.filter((set) => evaluated.has(set.id)).map(presentSet),
    embedding_config_ids: [...new Set(embeddings)],
    stages: presentStages(cells, settings),
    categories: [...categories],
    aspects: [...aspects],
    ks: [...new Set(cells.map((cell) => cell.k))].sort((a, b) => a - b),
    best_per_cell: bestCells(rows, settings),
    best_per_cell_global: bestCells(cells, settings),
    filters: { evaluation_set_id: evaluation_set_id ?? null, stage: stage ?? null, k: k ?? null },
  };
}

function presentStages(cells: readonly BenchmarkCell[], settings: BenchmarkSettings) {
  const kinds = new Map(cells.map((cell) => [cell.stage, cell.kind]));
  return [...kinds]
    .map(([name, kind]) => ({
      name,
      label: stageLabel(name, settings),
      kind,
      is_baseline: name === settings.baselineStage,
    }))
    .sort((a, b) => Number(b.is_baseline) - Number(a.is_baseline) || (a.name < b.name ? -1 : 1));
}

function presentSet(set: NamedEvaluationSetRow) {
  return {
    id: set.id,
    label: `${set.old_version} to ${set.new_version}`,
    old_source: set.old_source,
    old_source_version: set.old_version,
    new_source: set.new_source,
    new_source_version: set.new_version,
    obo_version: set.obo_version,
    stats: set.stats as unknown as Record<string, unknown>,
  };
}
