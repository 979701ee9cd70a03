import type { entryReply, querySetReply } from '@kindred/contracts/resources/query-sets';
import type { z } from 'zod';
import type { QueryEntryRow, QuerySetRow } from '../../../store/proteins/query-sets.repository.js';

export function presentQuerySet(row: QuerySetRow): z.infer<typeof querySetReply> {
  const { id, name, description, entry_count, visibility, expires_at, created_at } = row;
  return { id, name, description, entry_count, visibility, expires_at, created_at };
}

export function presentEntry(row: QueryEntryRow): z.infer<typeof entryReply> {
  const { accession, header, taxonomy_id, sequence_id, length } = row;
  return { accession, header, taxonomy_id, sequence_id, length };
}
