import { sql } from 'kysely';

/**
 * A query `q` that the reference says nothing of has the reason in its row. If it has terms all the same, these come from its sequence
 * alone, and the reason is none for having no answer.
 */
export const noAnswer = sql`case when q.term_count = 0 then q.no_answer end as no_answer,
  q.no_answer is not null and q.term_count > 0 as is_sequence_only`;
