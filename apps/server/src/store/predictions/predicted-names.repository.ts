import {
  type NameSource,
  type PredictedName,
  predictedNameOf,
  nearestSources,
} from '@kindred/kernels/naming';
import { sql } from 'kysely';
import { endOfTurn } from '../../ground/event-loop.js';
import { prepared, type Queryable } from '../postgres/connection.js';
import { decodeSources } from './stored-sources.js';

/** A query of a prediction set with the sources that were stored with it, if the reference does not know the protein. */
export interface UnknownQuery {
  protein_accession: string;
  /** Null means that the reference knows the protein, or that no source was stored. */
  donors: Uint8Array | null;
}

/** A column of a query `q` whose known protein is `k`. */
export const sourcesOfUnknown = sql`case when k.known_accession is null then ${sql.ref('q.donors')} end as ${sql.ref('donors')}`;

/** Gives the product names of queries that the reference does not know, by the names of their nearest sources. */
export async function predictedNames(
  db: Queryable,
  queries: readonly UnknownQuery[],
): Promise<ReadonlyMap<string, PredictedName>> {
  const near = new Map<string, Omit<NameSource, 'name'>[]>();
  const pause = endOfTurn();
  for (const { protein_accession, donors } of queries) {
    if (donors === null) continue;
    near.set(protein_accession, nearestSources(decodeSources(donors).aligned));
    await pause();
  }
  const names = await namesOf(db, [...new Set([...near.values()].flat().map(({ accession }) => accession))]);
  const found = new Map<string, PredictedName>();
  for (const [query, sources] of near) {
    const name = predictedNameOf(
      sources.map((source) => ({ ...source, name: names.get(source.accession) ?? null })),
    );
    if (name !== null) found.set(query, name);
    await pause();
  }
  return found;
}

async function namesOf(db: Queryable, accessions: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (accessions.length === 0) return new Map();
  const rows = await nameRows(db, accessions);
  return new Map(rows.map(({ accession, protein_name }) => [accession, protein_name]));
}

const nameRows = prepared((db, accessions: readonly string[]) =>
  sql<{ accession: string; protein_name: string }>`
    select accession, protein_name from protein where accession = any(${accessions}::text[]) and protein_name is not null`.compile(
    db,
  ),
);
