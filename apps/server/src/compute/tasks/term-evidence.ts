import { encodeResidues, type TracedAlignment, traceAlignment } from '@kindred/kernels/alignment';
import type { CombinedQuery } from '@kindred/kernels/combined';
import { blastScoring } from '@kindred/kernels/homology';
import { prepareQueries } from '../combined-queries.js';
import { CombinedScorer, readCombinedModels, type TermExplanation } from '../combined-scorer.js';
import { combinedModelsFolder } from '../../folders.js';
import type { TaskControl } from '../pool.js';
import type {
  DonorOfTerm,
  ShownAlignment,
  TermEvidenceInput,
  TermEvidenceOutput,
} from '../term-evidence-tasks.js';

/** Cells of a traced alignment, a byte each: two proteins of 5,000 residues. */
const maxCells = 25_000_000;

/** What the score of one term of one query rests on. */
export async function termEvidence(
  input: TermEvidenceInput,
  control: TaskControl,
): Promise<TermEvidenceOutput> {
  const [{ query, noAnswer }] = await prepareQueries(input, () => control.aborted());
  const nothing = { noAnswer, donors: [], withoutBest: null, ownGroups: 0, alignment: null };
  if (query === null) return { ...nothing, explanation: null };
  const scorer = new CombinedScorer(input.shared, readCombinedModels(combinedModelsFolder));
  const explanation = scorer.explain(query, input.term);
  if (explanation === null) return { ...nothing, explanation };
  const donors = donorsOf(query, explanation, input);
  const best = donors.at(0)?.reference;
  const at = query.own?.terms.indexOf(explanation.through) ?? -1;
  return {
    explanation,
    noAnswer,
    donors,
    withoutBest:
      best === undefined
        ? null
        : { reference: best, score: scorer.explain(without(query, best), input.term)?.score ?? 0 },
    ownGroups: at < 0 || query.own === null ? 0 : query.own.groups[at],
    alignment: input.alignWith < 0 ? null : shown(traced(input, input.alignWith)),
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
    const pair = traced(input, reference);
    const place = terms.subarray(start[reference], start[reference + 1]).indexOf(through);
    return {
      reference,
      logEValue: inAligned < 0 ? null : aligned.logEValue[inAligned],
      identity: inAligned < 0 ? null : aligned.identity[inAligned],
      distance: inNear < 0 ? null : near.distance[inNear],
      queryCoverage: pair === null ? null : pair.queryResidues / input.sequences[0].length,
      donorCoverage: pair === null ? null : pair.targetResidues / codesOf(input, reference).length,
      addedByAlignment: alignment,
      addedByDistance: distance,
      groups: groups[start[reference] + place],
    };
  });
  const sum = (donor: DonorOfTerm) => donor.addedByAlignment + donor.addedByDistance;
  return found.sort((a, b) => sum(b) - sum(a) || a.reference - b.reference);
}

function codesOf({ index, bank }: TermEvidenceInput, reference: number): Uint8Array {
  const sequence = bank.arrays.referenceSequence[reference];
  return index.codes.subarray(index.start[sequence], index.start[sequence + 1] - 1);
}

function traced(input: TermEvidenceInput, reference: number): TracedAlignment | null {
  const query = encodeResidues(input.sequences[0]);
  const donor = codesOf(input, reference);
  return query.length * donor.length > maxCells ? null : traceAlignment(query, donor, blastScoring);
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
