import type { entryReply, querySetReply } from '@kindred/contracts/resources/query-sets';
import { formatFastaRecord } from '@kindred/kernels/formats';
import type { z } from 'zod';
import { mayChange, type Principal } from '../../../accounts/principal.js';
import type {
  QueryEntryRow,
  QuerySequenceRow,
  QuerySetRow,
} from '../../../store/proteins/query-sets.repository.js';

export function presentQuerySet(row: QuerySetRow, principal: Principal): z.infer<typeof querySetReply> {
  const { id, name, description, entry_count, visibility, expires_at, created_at } = row;
  const links = {
    sequences: `/v1/query-sets/${id}/sequences`,
    prediction_sets: `/v1/embeddings/prediction-sets?query_set_id=${id}`,
  };
  const may_change = mayChange(principal, row.owner_user_id);
  return { id, name, description, entry_count, visibility, expires_at, created_at, may_change, links };
}

export function presentEntry(row: QueryEntryRow): z.infer<typeof entryReply> {
  const { accession, header, taxonomy_id, sequence_id, length } = row;
  return { accession, header, taxonomy_id, sequence_id, length };
}

/** Yields one chunk a page, in the order of the file. */
export async function* querySetFasta(
  pages: AsyncIterable<readonly QuerySequenceRow[]>,
): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((row) => formatFastaRecord(row)).join('');
}
