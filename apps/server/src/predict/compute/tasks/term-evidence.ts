import {
  type CombinedQuery,
  countedSources,
  DatabaseRates,
  isSimilarAt,
  type KnownProbability,
} from '@kindred/kernels/combined';
import { combinedModelsFolder } from '../../../ground/folders.js';
import { task } from '../../../ground/pool/pool.js';
import type { CombinedInput } from '../combined-queries.js';
import { CombinedScorer, readCombinedModels, type TermExplanation } from '../combined-scorer.js';
import { type ShownAlignment, shownAlignment, traced } from './shown-alignment.js';

export interface TermEvidenceInput extends Pick<CombinedInput, 'shared' | 'databaseCurves'> {
  query: CombinedQuery;
  /** Whether the query is scored by a model of eukaryotes, of known proteins or of bare sequences. */
  hasModel: boolean;
  term: number;
  /** The stored score of the term. */
  score: number;
  sequence: string;
  /** The sources, and the reference that is aligned, are given by their residues. */
  letters: ReadonlyMap<number, string>;
  /** The alignment of the query with this reference is wanted, -1 for none. */
  alignWith: number;
}

export interface SourceOfTerm {
  reference: number;
  /** The value is null for a source that was found by distance. */
  logEValue: number | null;
  identity: number | null;
  /** The alignment was found in this way, an index into `alignmentOrigins`. */
  origin: number;
  distance: number | null;
  /**
   * The alignment covers these shares of the residues; null if the source was found by distance, or if the
   * pair is too long.
   */
  queryCoverage: number | null;
  sourceCoverage: number | null;
  addedByAlignment: number;
  addedByDistance: number;
  /** The flag is true if the source is one of the similar proteins that the row of the term counts. */
  isSimilar: boolean;
  /** The annotation with the term belongs to the evidence groups of this mask. */
  groups: number;
}

export interface TermEvidenceOutput {
  /** The value is null if the query has no score for the term. */
  explanation: TermExplanation | null;
  /** Databases held such calls at this rate; null if it was not measured. */
  databaseRate: KnownProbability | null;
  /** Sources with the largest votes come first, then similar ones, then the nearest. */
  sources: SourceOfTerm[];
  /** The term would have these scores without each of the first sources. */
  scoresWithout: number[];
  /** The protein itself has the term by the evidence groups of this mask. */
  ownGroups: number;
  alignment: ShownAlignment | null;
}

/** Scores are stored as float32, so a computed score may differ by this much. */
export const scoreTolerance = 1e-6;

/** The score without a source is computed for this many sources, because each costs a scoring of the query. */
const mostWithout = 20;

/** Explains the score of one term of one query. */
function termEvidence(input: TermEvidenceInput): TermEvidenceOutput {
  const query = { ...input.query, ...countedSources(input.query, input.shared.reference.speaks) };
  const scorer = new CombinedScorer(input.shared, readCombinedModels(combinedModelsFolder));
  const { explanation, hasModel } = explained(scorer, query, input);
  if (explanation === null)
    return {
      explanation,
      databaseRate: null,
      sources: [],
      scoresWithout: [],
      ownGroups: 0,
      alignment: null,
    };
  const sources = sourcesOf(query, explanation, input);
  const at = query.own?.terms.indexOf(input.term) ?? -1;
  return {
    explanation,
    databaseRate: new DatabaseRates(input.shared.reference, scorer.votes, input.databaseCurves).of(query)(
      input.term,
    ),
    sources,
    scoresWithout: sources
      .slice(0, mostWithout)
      .map(({ reference }) => scorer.scoreOf(without(query, reference), input.term, hasModel)),
    ownGroups: at < 0 || query.own === null ? 0 : query.own.groups[at],
    alignment:
      input.alignWith < 0
        ? null
        : shownAlignment({ query: input.sequence, source: lettersOf(input, input.alignWith) }),
  };
}

/** Explains a score as it was made: a set from before eukaryotes had models of their own keeps its scores. */
function explained(
  scorer: CombinedScorer,
  query: CombinedQuery,
  { hasModel, term, score }: TermEvidenceInput,
): { explanation: TermExplanation | null; hasModel: boolean } {
  const explanation = scorer.explain(query, term, hasModel);
  if (!hasModel || fits(explanation, score)) return { explanation, hasModel };
  const before = scorer.explain(query, term);
  return fits(before, score) ? { explanation: before, hasModel: false } : { explanation, hasModel };
}

const fits = (explanation: TermExplanation | null, score: number): boolean =>
  explanation !== null && Math.abs(explanation.score - score) <= scoreTolerance;

/** Gives the query as if a reference did not exist. */
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
      origin: aligned.origin?.filter(keepsAligned),
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

function sourcesOf(
  { aligned, near }: CombinedQuery,
  { votes }: TermExplanation,
  input: TermEvidenceInput,
): SourceOfTerm[] {
  const { start, terms, groups } = input.shared.reference.annotated;
  const added = new Map<number, { alignment: number; distance: number }>();
  for (const { reference, kind, added: share } of votes.sources) {
    const parts = added.get(reference) ?? { alignment: 0, distance: 0 };
    parts[kind] += share;
    added.set(reference, parts);
  }
  const found = [...new Set([...aligned.reference, ...near.reference])].flatMap((reference) => {
    const place = terms.subarray(start[reference], start[reference + 1]).indexOf(input.term);
    if (place < 0) return [];
    const inAligned = aligned.reference.indexOf(reference);
    const inNear = near.reference.indexOf(reference);
    const letters = lettersOf(input, reference);
    const pair = inAligned < 0 ? null : traced(input.sequence, letters);
    const parts = added.get(reference);
    const source: SourceOfTerm = {
      reference,
      logEValue: inAligned < 0 ? null : aligned.logEValue[inAligned],
      identity: inAligned < 0 ? null : aligned.identity[inAligned],
      origin: inAligned < 0 ? 0 : (aligned.origin?.[inAligned] ?? 0),
      distance: inNear < 0 ? null : near.distance[inNear],
      queryCoverage: pair === null ? null : pair.queryResidues / input.sequence.length,
      sourceCoverage: pair === null ? null : pair.targetResidues / letters.length,
      addedByAlignment: parts?.alignment ?? 0,
      addedByDistance: parts?.distance ?? 0,
      isSimilar: inAligned >= 0 && isSimilarAt(aligned.logEValue[inAligned]),
      groups: groups[start[reference] + place],
    };
    return [source];
  });
  const sum = (source: SourceOfTerm) => source.addedByAlignment + source.addedByDistance;
  // The sort is stable, and sources are listed by alignment, then by distance.
  return found.sort((a, b) => sum(b) - sum(a) || Number(b.isSimilar) - Number(a.isSimilar));
}

export const termEvidenceTask = task(import.meta.url, termEvidence);
