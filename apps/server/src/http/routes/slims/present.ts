import type { slimDetailReply, slimReply } from '@kindred/contracts/resources/slims';
import type { z } from 'zod';
import type { FullSlimRow, SlimRow } from '../../../store/ontology/slims.repository.js';

export function presentSlim(row: SlimRow): z.infer<typeof slimReply> {
  const { id, name, version, obo_url, term_count, loaded_at } = row;
  return { id, name, version, obo_url, term_count, loaded_at };
}

export function presentSlimDetail(row: FullSlimRow): z.infer<typeof slimDetailReply> {
  return {
    ...presentSlim(row),
    terms: row.terms.map(({ go_id, name, aspect }) => ({ go_id, name, aspect })),
  };
}
