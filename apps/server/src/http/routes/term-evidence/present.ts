import type { termEvidenceReply } from '@kindred/contracts/resources/term-evidence';
import { evidenceGroups } from '@kindred/kernels/combined';
import type { z } from 'zod';
import type { ModelShares } from '../../../predict/compute/combined-scorer.js';
import type { ShownAlignment } from '../../../predict/compute/tasks/shown-alignment.js';
import type { AskedTerm, TermEvidence } from '../../../predict/explanations/term-evidence.js';
import type { DonorAnnotationRow } from '../../../store/predictions/term-evidence.repository.js';
import type { PredictionRow } from '../../../store/predictions/predictions.repository.js';

type Reply = z.infer<typeof termEvidenceReply>;

/** Annotations of donors by accession. */
export type DonorAnnotations = ReadonlyMap<string, readonly DonorAnnotationRow[]>;

export function presentTermEvidence(
  { accession, goId }: AskedTerm,
  { bank, explanation, donors, scoresWithout, ownGroups, alignment }: TermEvidence,
  annotations: DonorAnnotations,
): Reply {
  if (explanation === null) throw new Error('a term without an explanation is a conflict');
  const { accessions, goIds } = bank.texts;
  const { method, score, through, votes, votesCount, model } = explanation;
  const half = method === 'combined' ? 0.5 : 1;
  return {
    accession,
    go_id: goId,
    method,
    score,
    through: goIds[through],
    donors: donors.map((donor, at) => ({
      accession: accessions[donor.reference],
      distance: donor.distance,
      identity: donor.identity,
      log10_e_value: donor.logEValue,
      query_coverage: donor.queryCoverage,
      donor_coverage: donor.donorCoverage,
      evidence: groupsOf(donor.groups),
      evidence_code: null,
      annotations: annotationsOf(annotations, accessions[donor.reference]),
      added_by_alignment: donor.addedByAlignment,
      added_by_distance: donor.addedByDistance,
      score_without: scoresWithout[at] ?? null,
    })),
    without_best_donor:
      scoresWithout.length === 0
        ? null
        : { accession: accessions[donors[0].reference], score: scoresWithout[0] },
    own_evidence: groupsOf(ownGroups),
    votes: {
      weight: votesCount ? half : 0,
      frequency: votes.prior,
      own_annotations: votes.own,
      donors: votes.donors.reduce((sum, { added }) => sum + added, 0),
    },
    model: model === null ? null : presentModel(model),
    alignment: alignment === null ? null : presentAlignment(alignment),
  };
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
    donor_start: pair.donorStart,
    donor_end: pair.donorEnd,
    query: pair.query,
    donor: pair.donor,
  };
}

/** Evidence of a set by another method: the donors that were stored with the term. */
export function presentStoredEvidence(
  method: string,
  { accession, goId, score }: AskedTerm,
  { rows, annotations }: { rows: readonly PredictionRow[]; annotations: DonorAnnotations },
  alignment: ShownAlignment | null,
): Reply {
  return {
    accession,
    go_id: goId,
    method,
    score,
    through: null,
    donors: rows.flatMap((row) =>
      row.ref_protein_accession === null
        ? []
        : [
            {
              accession: row.ref_protein_accession,
              distance: row.distance,
              identity: row.identity_sw,
              log10_e_value: null,
              query_coverage: null,
              donor_coverage: null,
              evidence: [],
              evidence_code: row.evidence_code,
              annotations: annotationsOf(annotations, row.ref_protein_accession),
              added_by_alignment: null,
              added_by_distance: null,
              score_without: null,
            },
          ],
    ),
    without_best_donor: null,
    own_evidence: [],
    votes: null,
    model: null,
    alignment: alignment === null ? null : presentAlignment(alignment),
  };
}

function annotationsOf(all: DonorAnnotations, accession: string): Reply['donors'][number]['annotations'] {
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
