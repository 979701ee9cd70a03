import type { configReply } from '@kindred/contracts/resources/scoring';
import type { z } from 'zod';
import type { ScoringConfigRow } from '../../../store/evaluation/scoring-configs.repository.js';

export function presentConfig(row: ScoringConfigRow): z.infer<typeof configReply> {
  const { id, name, formula, weights, evidence_weights, params, description, created_at } = row;
  return {
    id,
    name,
    formula,
    weights: { ...weights } as Record<string, number>,
    evidence_weights: evidence_weights as Record<string, number> | null,
    params: { ...params },
    description,
    created_at,
  };
}
