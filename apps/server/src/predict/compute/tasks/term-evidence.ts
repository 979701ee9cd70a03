import { encodeResidues, type TracedAlignment, traceAlignment } from '@kindred/kernels/alignment';
import { type CombinedQuery, countedDonors } from '@kindred/kernels/combined';
import { blastScoring } from '@kindred/kernels/homology';
import { prepareQueries } from '../combined-queries.js';
import { CombinedScorer, readCombinedModels, type TermExplanation } from '../combined-scorer.js';
import { combinedModelsFolder } from '../../../ground/folders.js';
import type { CombinedInput } from '../combined-tasks.js';
import type { TaskControl } from '../../../ground/pool/pool.js';
import type {
  DonorOfTerm,
  ShownAlignment,
  TermEvidenceInput,
  TermEvidenceOutput,
} from '../term-evidence-tasks.js';

/** Cells of a traced alignment, a byte each: two proteins of 5,000 residues. */
const maxCells = 25_000_000;

/** Donors of each query that count; null where it has no answer. */
export async function searchedDonors(
  input: CombinedInput,
  control: TaskControl,
): Promise<(CombinedQuery | null)[]> {
  const prepared = await prepareQueries(input, () => control.aborted());
  const { speaks } = input.shared.reference;
  return prepared.map(({ query }) => (query === null ? null : { ...query, ...countedDonors(query, speaks) }));
}

/** Donors whose absence is computed, those that add most: each costs a scoring of the query. */
const mostWithout = 20;

/** Explains the score of one term of one query. */
export function termEvidence(input: TermEvidenceInput): TermEvidenceOutput {
  const { query } = input;
  const scorer = new CombinedScorer(input.shared, readCombinedModels(combinedModelsFolder));
  const explanation = scorer.explain(query, input.term);
  if (explanation === null)
    return { explanation, donors: [], scoresWithout: [], ownGroups: 0, alignment: null };
  const donors = donorsOf(query, explanation, input);
  const at = query.own?.terms.indexOf(explanation.through) ?? -1;
  return {
    explanation,
    donors,
    scoresWithout: donors
      .slice(0, mostWithout)
      .map(({ reference }) => scorer.scoreOf(without(query, reference), input.term)),
    ownGroups: at < 0 || query.own === null ? 0 : query.own.groups[at],
    alignment:
      input.alignWith < 0
        ? null
        : shownAlignment({ query: input.sequence, donor: lettersOf(input, input.alignWith) }),
  };
}

/** The query as if a reference did not exist. */
function without(query: CombinedQuery, reference: number): CombinedQuery {
  const { aligned, near } = query;
  const keepsAligned = (_: unknown, i: number) => aligned.reference[i] !== reference;
  const keepsNear = (_: unknown, i: number) => near.reference[i] !== reference;
  return {
    ...query,
    aligned: {
      reference: aligned.reference.filter(keepsAligned),
      logEValue: aligned.logEValue.filter(keepsAligned),
      identity: aligned.identity.filter(keepsAligned),
      share: aligned.share.filter(keepsAligned),
    },
    near: {
      reference: near.reference.filter(keepsNear),
      distance: near.distance.filter(keepsNear),
    },
  };
}

function lettersOf({ letters }: TermEvidenceInput, reference: number): string {
  return letters.get(reference) as string;
}

function donorsOf(
  { aligned, near }: CombinedQuery,
  { votes, through }: TermExplanation,
  input: TermEvidenceInput,
): DonorOfTerm[] {
  const { start, terms, groups } = input.shared.reference.annotated;
  const added = new Map<number, { alignment: number; distance: number }>();
  for (const { reference, kind, added: share } of votes.donors) {
    const parts = added.get(reference) ?? { alignment: 0, distance: 0 };
    parts[kind] += share;
    added.set(reference, parts);
  }
  const found = Array.from(added, ([reference, { alignment, distance }]): DonorOfTerm => {
    const inAligned = aligned.reference.indexOf(reference);
    const inNear = near.reference.indexOf(reference);
    const letters = lettersOf(input, reference);
    const pair = traced(input.sequence, letters);
    const place = terms.subarray(start[reference], start[reference + 1]).indexOf(through);
    return {
      reference,
      logEValue: inAligned < 0 ? null : aligned.logEValue[inAligned],
      identity: inAligned < 0 ? null : aligned.identity[inAligned],
      distance: inNear < 0 ? null : near.distance[inNear],
      queryCoverage: pair === null ? null : pair.queryResidues / input.sequence.length,
      donorCoverage: pair === null ? null : pair.targetResidues / letters.length,
      addedByAlignment: alignment,
      addedByDistance: distance,
      groups: groups[start[reference] + place],
    };
  });
  const sum = (donor: DonorOfTerm) => donor.addedByAlignment + donor.addedByDistance;
  return found.sort((a, b) => sum(b) - sum(a) || a.reference - b.reference);
}

function traced(query: string, donor: string): TracedAlignment | null {
  return query.length * donor.length > maxCells
    ? null
    : traceAlignment(encodeResidues(query), encodeResidues(donor), blastScoring);
}

/** The alignment of two sequences as it is shown. */
export function shownAlignment({ query, donor }: { query: string; donor: string }): ShownAlignment | null {
  return shown(traced(query, donor));
}

function shown(pair: TracedAlignment | null): ShownAlignment | null {
  if (pair === null) return null;
  const letters = (codes: Int8Array) =>
    Array.from(codes, (code) => (code < 0 ? '-' : code < 26 ? String.fromCharCode(65 + code) : '*')).join('');
  return {
    score: pair.score,
    queryStart: pair.queryStart + 1,
    queryEnd: pair.queryStart + pair.queryResidues,
    donorStart: pair.targetStart + 1,
    donorEnd: pair.targetStart + pair.targetResidues,
    query: letters(pair.query),
    donor: letters(pair.target),
  };
}
