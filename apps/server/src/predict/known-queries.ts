import { groupedBy } from '@kindred/kernels/arrays';
import { likenesses } from './banks/known-proteins.js';
import {
  type NamesakeRow,
  namesakes,
  type PredictedQueryRow,
} from '../store/predictions/baselines.repository.js';
import type { QueryIdentity } from '../store/predictions/prediction-writer.js';
import type { OperationContext } from '../work/operation/operation.js';

type Context = Pick<OperationContext, 'db' | 'compute' | 'signal'>;
type Asked = Pick<PredictedQueryRow, 'accession' | 'sequence_id'>;

/**
 * Queries that are annotated proteins of the set, with that protein: of the same accession where the sequences are the same or the
 * alignment says that they are one protein, or else the first by accession of the same sequence.
 */
export async function knownQueries(
  setNumber: number,
  queries: readonly Asked[],
  context: Context,
): Promise<NamesakeRow[]> {
  const recognised = await recognisedQueries(setNumber, queries, context);
  return recognised.flatMap(({ protein }) => protein ?? []);
}

/** The queries with what the rows of a prediction set say of the annotated proteins of the set that they are. */
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
  return queries.map(({ accession }) => {
    const candidates = found.get(accession) ?? [];
    const protein = candidates.find((row) => isEqual(row) || likenessOf(pairOf(row)) !== null) ?? null;
    const isNamesake =
      candidates.some((row) => row.accession === accession) && protein?.accession !== accession;
    if (protein === null) return { protein, identity: { ...unknown, is_namesake: isNamesake } };
    const likeness = isEqual(protein) ? null : likenessOf(pairOf(protein));
    const bySequence = protein.accession === accession ? 'accession' : 'sequence';
    return {
      protein,
      identity: {
        known_accession: protein.accession,
        known_by: likeness === null ? bySequence : 'alignment',
        known_identity: likeness?.identity ?? null,
        known_coverage: likeness?.coverage ?? null,
        is_namesake: isNamesake,
      },
    };
  });
}

const unknown = { known_accession: null, known_by: null, known_identity: null, known_coverage: null };
