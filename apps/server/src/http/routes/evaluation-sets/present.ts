import { aspects, cafaAspectOf } from '@kindred/contracts';
import { summaryMetrics } from '@kindred/kernels/evaluation';
import { holdoutCategories } from '@kindred/kernels/holdout';
import type {
  resultDetailReply,
  resultReply,
  setDetailReply,
  setReply,
} from '@kindred/contracts/resources/evaluation-sets';
import type { z } from 'zod';
import type { EvaluationResultRow } from '../../../store/evaluation/evaluation-results.repository.js';
import type { NamedEvaluationSetRow } from '../../../store/evaluation/evaluation-sets.repository.js';
import { tsvLine } from '../../stream.js';

export function presentSet(row: NamedEvaluationSetRow): z.infer<typeof setReply> {
  return {
    id: row.id,
    old_annotation_set_id: row.old_annotation_set_id,
    old_annotation_set_label: `${row.old_source} ${row.old_version}`,
    new_annotation_set_id: row.new_annotation_set_id,
    new_annotation_set_label: `${row.new_source} ${row.new_version}`,
    ontology_snapshot_id: row.ontology_snapshot_id,
    obo_version: row.obo_version,
    job_id: row.job_id,
    old_reference: row.old_reference,
    new_reference: row.new_reference,
    stats: row.stats,
    created_at: row.created_at,
  };
}

export function presentSetDetail(row: NamedEvaluationSetRow): z.infer<typeof setDetailReply> {
  return { ...presentSet(row), rules: row.rules };
}

export function presentResult(row: EvaluationResultRow): z.infer<typeof resultReply> {
  const { id, evaluation_set_id, prediction_set_id, reference, job_id, options, results, created_at } = row;
  return { id, evaluation_set_id, prediction_set_id, reference, job_id, options, results, created_at };
}

type ResultDetail = z.infer<typeof resultDetailReply>;

export function presentResultDetail(row: EvaluationResultRow): ResultDetail {
  const artifacts = row.artifacts.map(({ name, size_bytes, sha256 }) => ({ name, size_bytes, sha256 }));
  const { frame, intervals } = row;
  const reliability = (frame.reliability ?? {}) as ResultDetail['reliability'];
  return { ...presentResult(row), frame, intervals, reliability, artifacts };
}

/** metrics.tsv has these columns after setting and namespace. */
export const metricColumns = [...summaryMetrics, 'ece'] as const;

/**
 * Writes one line per category and aspect with truth, in the order NK, LK, PK and BPO, MFO, CCO, with figures
 * in full precision.
 */
export function metricsTable({ results }: EvaluationResultRow): string {
  let table = tsvLine(['setting', 'namespace', ...metricColumns]);
  for (const category of holdoutCategories) {
    for (const aspect of aspects.map((letter) => cafaAspectOf[letter])) {
      const figures = results[category]?.[aspect];
      if (figures === undefined) continue;
      table += tsvLine([category, aspect, ...metricColumns.map((column) => figures[column] ?? null)]);
    }
  }
  return table;
}
