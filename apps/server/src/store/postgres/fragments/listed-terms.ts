import { type RawBuilder, sql } from 'kysely';

/** If a method sets no end to its answers, an overview shows this many terms of a protein. */
const unrankedTerms = 30;

/** The condition is true for the rows `p` of go_prediction that an overview lists. */
export function isListed(end: { probability: number; score: number }): RawBuilder<boolean> {
  return sql`p.contradiction is null
      and case when p.answer_rank is null then p.term_rank <= ${unrankedTerms}
               when p.probability is null then p.score >= ${end.score}
               else p.probability >= ${end.probability} end`;
}
