import { groupedBy } from '@kindred/kernels/arrays';
import { likenesses, recognised } from './banks/known-proteins.js';
import { type NamesakeRow, namesakes } from '../store/predictions/baselines.repository.js';
import type { QueryIdentity } from '../store/predictions/prediction-writer.js';
import type { QueryRow } from '../store/proteins/queries.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

type Context = Pick<OperationContext, 'db' | 'compute' | 'signal'>;
type Asked = Pick<QueryRow, 'accession' | 'sequence_id' | 'taxonomy_id'>;

/** Finds the queries that are annotated proteins of the set, with that protein. */
export async function knownQueries(
  setNumber: number,
  queries: readonly Asked[],
  context: Context,
): Promise<NamesakeRow[]> {
  const recognised = await recognisedQueries(setNumber, queries, context);
  return recognised.flatMap(({ protein }) => protein ?? []);
}

/**
 * Gives the queries with the fields that say, in the rows of a prediction set, which annotated proteins of
 * the set they are.
 */
export async function identifiedQueries<Query extends Asked>(
  setNumber: number,
  queries: readonly Query[],
  context: Context,
): Promise<(Query & QueryIdentity)[]> {
  const recognised = await recognisedQueries(setNumber, queries, context);
  return queries.map((query, q) => ({ ...query, ...recognised[q].identity }));
}

interface Recognised {
  protein: NamesakeRow | null;
  identity: QueryIdentity;
}

async function recognisedQueries(
  setNumber: number,
  queries: readonly Asked[],
  context: Context,
): Promise<Recognised[]> {
  const rows = await namesakes(context.db, setNumber, queries);
  const pairOf = (row: NamesakeRow) => ({ query: row.sequence_id, reference: row.protein_sequence_id });
  const isEqual = (row: NamesakeRow) => row.sequence_id === row.protein_sequence_id;
  const likenessOf = await likenesses(rows.filter((row) => !isEqual(row)).map(pairOf), context);
  const found = groupedBy(rows, (row) => row.query);
  return queries.map((query) => {
    const rowsOf = found.get(query.accession) ?? [];
    const named = rowsOf.find((row) => row.accession === query.accession);
    const candidates = {
      named: named === undefined ? null : { protein: named, sequence: named.protein_sequence_id },
      same: () => rowsOf.filter(isEqual).map((row) => ({ protein: row, taxon: row.taxonomy_id })),
    };
    const { protein, isNamesake } = recognised(query, candidates, likenessOf);
    return {
      protein: protein?.of ?? null,
      identity: {
        known_accession: protein?.of.accession ?? null,
        known_by: protein?.by ?? null,
        known_identity: protein?.likeness?.identity ?? null,
        known_coverage: protein?.likeness?.coverage ?? null,
        is_namesake: isNamesake,
      },
    };
  });
}
