import type { termEvidenceReply } from '@kindred/contracts/resources/term-evidence';
import {
  databaseWindows,
  evidenceGroupOf,
  evidenceGroups,
  probabilityMeaningOf,
} from '@kindred/kernels/combined';
import { alignmentOrigins } from '@kindred/kernels/combined';
import { foundBy } from '@kindred/contracts/search-hits';
import type { z } from 'zod';
import type { ModelShares } from '../../../predict/compute/aspect-models.js';
import type { ShownAlignment } from '../../../predict/compute/tasks/shown-alignment.js';
import type { TermEvidence } from '../../../predict/explanations/term-evidence.js';
import type {
  DenyingAnnotationRow,
  SourceAnnotationRow,
} from '../../../store/predictions/term-evidence.repository.js';
import type { PredictionRow } from '../../../store/predictions/predictions.repository.js';

type Reply = z.infer<typeof termEvidenceReply>;

/**
 * The witnesses are annotations with the term: those of its sources, and those of the reference protein that
 * equals the query.
 */
export interface Witnesses {
  known: string | null;
  of: ReadonlyMap<string, readonly SourceAnnotationRow[]>;
  /** The reference protein that equals the query has these by NOT. */
  denials: readonly DenyingAnnotationRow[];
}

export function presentTermEvidence(
  row: PredictionRow,
  {
    bank,
    explanation,
    databaseRate,
    sources: sourceProteins,
    scoresWithout,
    ownGroups,
    alignment,
  }: TermEvidence,
  { witnesses, hits }: { witnesses: Witnesses; hits: string | null },
): Reply {
  if (explanation === null) throw new Error('a term without an explanation is a conflict');
  const { accessions, goIds } = bank.texts;
  const { method, through, votes, votesShare, votesCount, model } = explanation;
  return {
    ...termOf(row),
    probabilities: bothProbabilities(row, databaseRate),
    method,
    through: goIds[through],
    sources: sourceProteins.map((source, at) => ({
      accession: accessions[source.reference],
      distance: source.distance,
      identity: source.identity,
      found_by:
        source.origin === 0 || hits === null
          ? null
          : foundBy(hits, alignmentOrigins[source.origin] as 'hit' | 'both'),
      log10_e_value: source.logEValue,
      query_coverage: source.queryCoverage,
      source_coverage: source.sourceCoverage,
      evidence: groupsOf(source.groups),
      evidence_code: null,
      is_similar: source.isSimilar,
      annotations: annotationsOf(witnesses, accessions[source.reference]),
      is_copied: isCopied(witnesses, accessions[source.reference]),
      votes_by_alignment: source.addedByAlignment,
      votes_by_distance: source.addedByDistance,
      score_without: scoresWithout[at] ?? null,
    })),
    own_evidence: groupsOf(ownGroups),
    own_annotations: ownAnnotations(witnesses),
    denials: [...witnesses.denials],
    votes: {
      weight: votesCount ? votesShare : 0,
      frequency: votes.prior,
      own_annotations: votes.own,
      sources: votes.sources.reduce((sum, { added }) => sum + added, 0),
    },
    model: model === null ? null : presentModel(model, 1 - votesShare),
    alignment: alignment === null ? null : presentAlignment(alignment),
    stretch: null,
  };
}

/** Gives the probability of the row and, if that is a rate of experiments, how often databases held such a call. */
function bothProbabilities(
  row: PredictionRow,
  databaseRate: TermEvidence['databaseRate'],
): Reply['probabilities'] {
  const stored = probabilitiesOf(row);
  if (databaseRate === null || stored.at(0)?.meaning !== 'shown by experiment') return stored;
  const { probability, low, high } = databaseRate;
  const calibrated_on = databaseWindows.join(', ');
  return [...stored, { meaning: 'held by the databases', probability, low, high, calibrated_on }];
}

function probabilitiesOf({
  probability,
  probability_low: low,
  probability_high: high,
  calibrated_on,
}: PredictionRow): Reply['probabilities'] {
  const meaning = probabilityMeaningOf(calibrated_on);
  return probability === null || meaning === null ? [] : [{ meaning, probability, low, high, calibrated_on }];
}

/** The answer contains the same numbers of the term, to the last digit. */
function termOf({ protein_accession, go_id, score, supporters, similar_proteins }: PredictionRow) {
  return { accession: protein_accession, go_id, score, supporters, similar_proteins };
}

function presentModel(
  { score, expected, features }: ModelShares,
  weight: number,
): NonNullable<Reply['model']> {
  return {
    weight,
    score,
    expected,
    features: features.map(({ name, value, added }) => ({
      name,
      value: Number.isNaN(value) ? null : value,
      added,
    })),
  };
}

function presentAlignment(pair: ShownAlignment): NonNullable<Reply['alignment']> {
  return {
    score: pair.score,
    query_start: pair.queryStart,
    query_end: pair.queryEnd,
    source_start: pair.sourceStart,
    source_end: pair.sourceEnd,
    query: pair.query,
    source: pair.source,
  };
}

/** Gives the evidence of a set by another method: the sources that were stored with the term. */
export function presentStoredEvidence(
  method: string,
  { rows, witnesses }: { rows: readonly PredictionRow[]; witnesses: Witnesses },
  alignment: ShownAlignment | null,
): Reply {
  return {
    ...termOf(rows[0]),
    probabilities: probabilitiesOf(rows[0]),
    method,
    through: null,
    sources: rows.flatMap((row) =>
      row.ref_protein_accession === null
        ? []
        : [
            {
              accession: row.ref_protein_accession,
              distance: row.distance,
              identity: row.identity_sw,
              found_by: row.source_found_by,
              log10_e_value: null,
              query_coverage: null,
              source_coverage: null,
              evidence: [],
              evidence_code: row.evidence_code,
              is_similar: null,
              annotations: annotationsOf(witnesses, row.ref_protein_accession),
              is_copied: isCopied(witnesses, row.ref_protein_accession),
              votes_by_alignment: null,
              votes_by_distance: null,
              score_without: null,
            },
          ],
    ),
    own_evidence: [],
    own_annotations: ownAnnotations(witnesses),
    denials: [...witnesses.denials],
    votes: null,
    model: null,
    alignment: alignment === null ? null : presentAlignment(alignment),
    stretch: null,
  };
}

/** Gives the evidence of a term that is not predicted, because the protein is known to have it, or not to have it. */
export function presentKnownEvidence(
  method: string,
  { accession, goId }: { accession: string; goId: string },
  witnesses: Witnesses,
): Reply {
  const own = ownAnnotations(witnesses);
  const groups = new Set(own.map((row) => evidenceGroupOf(row.evidence_code, row.db_reference)));
  return {
    accession,
    go_id: goId,
    method,
    score: null,
    probabilities: [],
    similar_proteins: null,
    supporters: null,
    through: null,
    sources: [],
    own_evidence: evidenceGroups.filter((_, group) => groups.has(group)),
    own_annotations: own,
    denials: [...witnesses.denials],
    votes: null,
    model: null,
    alignment: null,
    stretch: null,
  };
}

type Annotations = Reply['own_annotations'];

function annotationsOf({ of }: Witnesses, accession: string): Annotations {
  return (of.get(accession) ?? []).map(({ accession: _, all_copied: __, ...row }) => row);
}

function isCopied({ of }: Witnesses, accession: string): boolean {
  return of.get(accession)?.at(0)?.all_copied ?? false;
}

function ownAnnotations(witnesses: Witnesses): Annotations {
  return witnesses.known === null ? [] : annotationsOf(witnesses, witnesses.known);
}

function groupsOf(mask: number): Reply['own_evidence'] {
  return evidenceGroups.filter((_, group) => (mask >> group) & 1);
}
