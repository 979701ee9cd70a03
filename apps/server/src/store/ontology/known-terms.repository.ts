import type { Aspect } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

export interface KnownTerm {
  go_id: string;
  name: string;
  aspect: Aspect;
  /** The direct parents, over is_a and part_of, have these rows. */
  parents: readonly number[];
}

/** The terms of an ontology snapshot have its number of edges, because edges can be added to it. */
export interface TermsOf {
  id: string;
  relationship_count: number;
}

/** This many terms take about 30 MB, enough for two releases of the Gene Ontology. */
const mostTerms = 100_000;

/**
 * Keeps the terms that were read through one database handle. Predictions name the same thousands of terms
 * again and again, and PostgreSQL would read the whole ontology to join them with a thousand rows of one
 * protein.
 */
class KnownTerms {
  /** Each snapshot has its terms here; the last used snapshot is at the end. */
  readonly #known = new Map<string, Map<number, KnownTerm>>();

  async find(
    db: Queryable,
    snapshot: TermsOf,
    ids: Iterable<number>,
  ): Promise<ReadonlyMap<number, KnownTerm>> {
    const key = `${snapshot.id} ${snapshot.relationship_count}`;
    const terms = this.#known.get(key) ?? new Map<number, KnownTerm>();
    const missing = [...new Set(ids)].filter((id) => !terms.has(id));
    if (missing.length > 0) await this.#read(db, terms, missing);
    this.#use(key, terms);
    return terms;
  }

  async #read(db: Queryable, terms: Map<number, KnownTerm>, ids: readonly number[]): Promise<void> {
    const { rows } = await sql<KnownTerm & { id: number }>`
      select id, go_id, name, aspect, array(select parent_go_term_id from go_term_relationship
        where child_go_term_id = id and relation_type in ('is_a', 'part_of')) as parents
      from go_term where id = any(${ids}::int[])`.execute(db);
    // The parents are copied, because the driver's arrays have room for 17.
    for (const { id, parents, ...term } of rows) terms.set(id, { ...term, parents: [...parents] });
  }

  #use(key: string, terms: Map<number, KnownTerm>): void {
    this.#known.delete(key);
    this.#known.set(key, terms);
    const count = () => [...this.#known.values()].reduce((sum, { size }) => sum + size, 0);
    for (const oldest of this.#known.keys()) {
      if (count() <= mostTerms) break;
      this.#known.delete(oldest);
    }
  }
}

const knownBy = new WeakMap<object, KnownTerms>();

/** Gives terms by their rows in go_term, at least those of `ids`, as far as the snapshot has them. */
export async function termsByRow(
  db: Queryable,
  snapshot: TermsOf,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, KnownTerm>> {
  const known = knownBy.get(db) ?? new KnownTerms();
  knownBy.set(db, known);
  return known.find(db, snapshot, ids);
}

/** Gives terms like `termsByRow`, with all terms above them. */
export async function termsWithAncestors(
  db: Queryable,
  snapshot: TermsOf,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, KnownTerm>> {
  const seen = new Set(ids);
  let terms = await termsByRow(db, snapshot, seen);
  for (let last = [...seen]; last.length > 0; ) {
    const parents = new Set(last.flatMap((id) => terms.get(id)?.parents ?? []));
    last = [...parents].filter((id) => !seen.has(id));
    for (const id of last) seen.add(id);
    terms = await termsByRow(db, snapshot, last);
  }
  return terms;
}
