import type { Aspect } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { type PredictionRow, predictedProteinPages, predictionsWithTerm } from './predictions.repository.js';

export interface NearestFilter {
  aspect?: Aspect;
  /** The accessions to read, in ascending order; if absent, all of the set are read. */
  accessions?: readonly string[];
  /** The nearest source has at most this distance. */
  maxDistance?: number;
}

/** A page has few proteins, so that the API yields to its event loop often. */
const proteinsPerPage = 25;

/**
 * Reads one row per (protein, term) of a set, that of the nearest source: by protein, then GO id (byte order).
 * Pages hold whole proteins, so that a reader holds one page whatever the set's size.
 */
export async function* nearestPages(
  db: Queryable,
  setNumber: number,
  filter: NearestFilter = {},
): AsyncGenerator<PredictionRow[]> {
  const pages = filter.accessions
    ? cut(filter.accessions, proteinsPerPage)
    : predictedProteinPages(db, setNumber, proteinsPerPage);
  for await (const accessions of pages) {
    const rows = (await predictionsWithTerm(db)
      .where('p.prediction_set_number', '=', setNumber)
      .where('p.protein_accession', '=', sql<string>`any(${accessions}::text[])`)
      .where('p.is_nearest', '=', true)
      .$if(filter.aspect !== undefined, (query) => query.where('t.aspect', '=', filter.aspect as Aspect))
      .$if(filter.maxDistance !== undefined, (query) =>
        query.where('p.distance', '<=', filter.maxDistance as number),
      )
      .orderBy(sql`p.protein_accession collate "C"`)
      .orderBy(sql`t.go_id collate "C"`)
      .execute()) as unknown as PredictionRow[];
    if (rows.length > 0) yield rows;
  }
}

function* cut(values: readonly string[], size: number): Generator<readonly string[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size);
}
