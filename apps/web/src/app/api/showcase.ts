import { getJson } from './request.js';

export type CafaAspect = 'BPO' | 'MFO' | 'CCO';
export type Category = 'NK' | 'LK' | 'PK';

export interface MethodFigures {
  method: string;
  label: string;
  is_baseline: boolean;
  figures: Record<CafaAspect, { fmax: number; evaluation_result_id: string } | null>;
}

export interface Showcase {
  counts: Record<'proteins' | 'embeddings' | 'prediction_sets' | 'predictions' | 'evaluations', number>;
  method_comparison: Partial<Record<Category, MethodFigures[]>>;
  evaluation_set_id: string | null;
}

interface EvaluationSetSummary {
  id: string;
  old_source_version: string;
  new_source_version: string;
  obo_version: string;
}

export const getShowcase = () => getJson<Showcase>('/showcase');
/** Labels of the evaluated sets. */
export const getEvaluatedSets = async () =>
  (await getJson<{ evaluation_sets: EvaluationSetSummary[] }>('/benchmark/matrix')).evaluation_sets;
