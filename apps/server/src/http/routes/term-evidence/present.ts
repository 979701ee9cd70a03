import type { termEvidenceReply } from '@kindred/contracts/resources/term-evidence';
import { evidenceGroups } from '@kindred/kernels/combined';
import type { z } from 'zod';
import type { ModelShares } from '../../../predict/compute/combined-scorer.js';
import type { ShownAlignment } from '../../../predict/compute/tasks/shown-alignment.js';
import type { TermEvidence } from '../../../predict/explanations/term-evidence.js';
import type { SourceAnnotationRow } from '../../../store/predictions/term-evidence.repository.js';
import type { PredictionRow } from '../../../store/predictions/predictions.repository.js';

type Reply = z.infer<typeof termEvidenceReply>;

/** Annotations of sources by accession. */
export type SourceAnnotations = ReadonlyMap<string, readonly SourceAnnotationRow[]>;

export function presentTermEvidence(
  row: PredictionRow,
  { bank, explanation, donors, scoresWithout, ownGroups, alignment }: TermEvidence,
  annotations: SourceAnnotations,
): Reply {
  if (explanation === null) throw new Error('a term without an explanation is a conflict');
  const { accessions, goIds } = bank.texts;
  const { method, through, votes, votesCount, model } = explanation;
  const half = method === 'combined' ? 0.5 : 1;
  return {
    ...termOf(row),
    method,
    through: goIds[through],
    sources: donors.map((source, at) => ({
      accession: accessions[source.reference],
      distance: source.distance,
      identity: source.identity,
      log10_e_value: source.logEValue,
      query_coverage: source.queryCoverage,
      source_coverage: source.donorCoverage,
      evidence: groupsOf(source.groups),
      evidence_code: null,
      is_similar: source.isSimilar,
      annotations: annotationsOf(annotations, accessions[source.reference]),
      votes_by_alignment: source.addedByAlignment,
      votes_by_distance: source.addedByDistance,
      score_without: scoresWithout[at] ?? null,
    })),
    own_evidence: groupsOf(ownGroups),
    votes: {
      weight: votesCount ? half : 0,
      frequency: votes.prior,
      own_annotations: votes.own,
      sources: votes.donors.reduce((sum, { added }) => sum + added, 0),
    },
    model: model === null ? null : presentModel(model),
    alignment: alignment === null ? null : presentAlignment(alignment),
  };
}

/** What the answer says of the term, too: the same numbers to the last digit. */
function termOf({ protein_accession, go_id, score, supporters, similar_proteins }: PredictionRow) {
  return { accession: protein_accession, go_id, score, supporters, similar_proteins };
}

function presentModel({ score, expected, features }: ModelShares): NonNullable<Reply['model']> {
  return {
    weight: 0.5,
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
    source_start: pair.donorStart,
    source_end: pair.donorEnd,
    query: pair.query,
    source: pair.donor,
  };
}

/** Evidence of a set by another method: the sources that were stored with the term. */
export function presentStoredEvidence(
  method: string,
  { rows, annotations }: { rows: readonly PredictionRow[]; annotations: SourceAnnotations },
  alignment: ShownAlignment | null,
): Reply {
  return {
    ...termOf(rows[0]),
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
              log10_e_value: null,
              query_coverage: null,
              source_coverage: null,
              evidence: [],
              evidence_code: row.evidence_code,
              is_similar: null,
              annotations: annotationsOf(annotations, row.ref_protein_accession),
              votes_by_alignment: null,
              votes_by_distance: null,
              score_without: null,
            },
          ],
    ),
    own_evidence: [],
    votes: null,
    model: null,
    alignment: alignment === null ? null : presentAlignment(alignment),
  };
}

function annotationsOf(all: SourceAnnotations, accession: string): Reply['sources'][number]['annotations'] {
  return (all.get(accession) ?? []).map(({ go_id, name, evidence_code, db_reference, assigned_by }) => ({
    go_id,
    name,
    evidence_code,
    db_reference,
    assigned_by,
  }));
}

function groupsOf(mask: number): Reply['own_evidence'] {
  return evidenceGroups.filter((_, group) => (mask >> group) & 1);
}
