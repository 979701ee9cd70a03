import { mayBeSameProtein, type SameProtein, sameProtein } from '@kindred/kernels/alignment';
import { indexOfSorted } from '@kindred/kernels/arrays';
import { groupReferences, type SequenceGroups } from '@kindred/kernels/knn';
import { type ReferenceBank, sequenceNumber } from '../compute/reference-bank.js';
import { alignTask } from '../compute/tasks/align.js';
import type { KnownBy } from '../../store/predictions/prediction-writer.js';
import { type QueryRow, sequenceTexts } from '../../store/proteins/queries.repository.js';
import type { BankContext } from './bank-context.js';

/** The reference says who a query is. */
export interface Known {
  /** The query itself is this reference protein; null means that the query is unknown. */
  protein: KnownProtein | null;
  /** The query has the name of a reference protein with another sequence. */
  isNamesake: boolean;
}

export interface KnownProtein {
  reference: number;
  by: KnownBy;
  /** The alignment tells how equal the two sequences are; null if they are the same. */
  likeness: SameProtein | null;
}

/** Two sequences have one accession; they are given as database ids. */
export interface Namesakes {
  query: number;
  reference: number;
}

type Asked = Pick<QueryRow, 'accession' | 'sequence_id' | 'taxonomy_id'>;
type Context = Pick<BankContext, 'db' | 'compute' | 'memory' | 'signal'>;

/** These reference proteins may be the query itself. */
interface Candidates<Protein> {
  /** One protein may have the query's accession; its own sequence is given with it. */
  named: { protein: Protein; sequence: number } | null;
  /** Lists the proteins with the query's sequence, by accession. */
  same: () => readonly { protein: Protein; taxon: number | null }[];
}

export interface Recognised<Protein> {
  protein: { of: Protein; by: KnownBy; likeness: SameProtein | null } | null;
  isNamesake: boolean;
}

/**
 * Gives the protein that a query is. The protein with its accession counts if the sequence is the same, or if
 * the alignment shows that they are one protein. Otherwise, a protein with the same sequence counts: one of
 * the query's taxon, or the first by accession. A name alone says nothing, because names like g1.t1 occur in
 * every genome.
 */
export function recognised<Protein>(
  { sequence_id: query, taxonomy_id: taxon }: Pick<Asked, 'sequence_id' | 'taxonomy_id'>,
  { named, same }: Candidates<Protein>,
  likenessOf: (pair: Namesakes) => SameProtein | null,
): Recognised<Protein> {
  if (named?.sequence === query)
    return { protein: { of: named.protein, by: 'accession', likeness: null }, isNamesake: false };
  const likeness = named === null ? null : likenessOf({ query, reference: named.sequence });
  if (named !== null && likeness !== null)
    return { protein: { of: named.protein, by: 'alignment', likeness }, isNamesake: false };
  const equal = same();
  const chosen = equal.find((one) => taxon !== null && one.taxon === taxon) ?? equal.at(0);
  return {
    protein: chosen === undefined ? null : { of: chosen.protein, by: 'sequence', likeness: null },
    isNamesake: named !== null,
  };
}

/** Gives the reference protein that each query is, by `recognised`. */
export async function knownProteins(
  queries: readonly Asked[],
  bank: ReferenceBank,
  context: Context,
): Promise<Known[]> {
  const { sequenceIds, referenceSequence } = bank.arrays;
  const named = queries.map(({ accession }) => indexOfSorted(bank.texts.accessions, accession));
  const sequenceOf = (reference: number) => sequenceIds[referenceSequence[reference]];
  const others = queries.flatMap(({ sequence_id }, q) =>
    named[q] < 0 || sequenceOf(named[q]) === sequence_id
      ? []
      : [{ query: sequence_id, reference: sequenceOf(named[q]) }],
  );
  const likenessOf = await likenesses(others, context);
  const sameSequence = referencesBySequence(bank, context.memory.part(groupedReferences));
  return queries.map((query, q) => {
    const candidates = {
      named: named[q] < 0 ? null : { protein: named[q], sequence: sequenceOf(named[q]) },
      same: () => sameSequence(query.sequence_id),
    };
    const { protein, isNamesake } = recognised(query, candidates, likenessOf);
    if (protein === null) return { protein, isNamesake };
    const { of: reference, ...how } = protein;
    return { protein: { reference, ...how }, isNamesake };
  });
}

/** Aligns the pairs whose words do not rule out that they are one protein. Null means two proteins. */
export async function likenesses(
  pairs: readonly Namesakes[],
  { db, compute, signal }: Omit<Context, 'memory'>,
): Promise<(pair: Namesakes) => SameProtein | null> {
  const found = new Map<string, SameProtein>();
  const keyOf = ({ query, reference }: Namesakes) => `${query} ${reference}`;
  if (pairs.length > 0) {
    const texts = await sequenceTexts(db, [
      ...new Set(pairs.flatMap((pair) => [pair.query, pair.reference])),
    ]);
    const aligned = pairs.flatMap((pair) => {
      const [query, reference] = [texts.get(pair.query), texts.get(pair.reference)];
      const mayBe = query !== undefined && reference !== undefined && mayBeSameProtein(query, reference);
      return mayBe ? [{ key: keyOf(pair), sequences: [query, reference] }] : [];
    });
    if (aligned.length === 0) return () => null;
    const table = await compute.run(
      alignTask,
      {
        sequences: aligned.flatMap(({ sequences }) => sequences),
        query: Int32Array.from(aligned.keys(), (pair) => 2 * pair),
        target: Int32Array.from(aligned.keys(), (pair) => 2 * pair + 1),
      },
      { signal },
    );
    for (const [i, { key, sequences }] of aligned.entries()) {
      const length = table.alignment_length_sw[i];
      const local = {
        length,
        gaps: Math.round(table.gaps_pct_sw[i] * length),
        identical: Math.round(table.identity_sw[i] * length),
      };
      const same = sameProtein(local, Math.min(...sequences.map((text) => text.length)));
      if (same !== null) found.set(key, same);
    }
  }
  return (pair) => found.get(keyOf(pair)) ?? null;
}

interface GroupedReferences {
  last: { key: unknown; groups: SequenceGroups } | null;
}
const groupedReferences = (): GroupedReferences => ({ last: null });

function referencesBySequence(
  { arrays }: ReferenceBank,
  grouped: GroupedReferences,
): (sequenceId: number) => { protein: number; taxon: number }[] {
  const { sequenceIds, referenceSequence, referenceTaxon } = arrays;
  if (grouped.last?.key !== referenceSequence)
    grouped.last = {
      key: referenceSequence,
      groups: groupReferences(
        referenceSequence,
        Int32Array.from(referenceSequence.keys()),
        sequenceIds.length,
      ),
    };
  const { start, members } = grouped.last.groups;
  return (sequenceId) => {
    const sequence = sequenceNumber(arrays, sequenceId);
    if (sequence < 0) return [];
    return Array.from(members.subarray(start[sequence], start[sequence + 1]), (protein) => ({
      protein,
      taxon: referenceTaxon[protein],
    }));
  };
}
