import type { Aspect } from '@kindred/contracts';
import {
  type referenceDiffReply,
  type referenceMark,
  referenceReliability,
  type referenceReply,
} from '@kindred/contracts/resources/references';
import type { z } from 'zod';
import type { ReferenceDiff } from '../../../resources/references.js';
import type { ReferenceMark } from '../../../store/postgres/fragments/references.js';
import type { DescribedReference } from '../../../store/references/references.repository.js';

export function presentMark(mark: ReferenceMark): z.infer<typeof referenceMark> {
  const { id, name, version, content_sha256 } = mark;
  return { id, name, version, content_sha256 };
}

export function presentReference(row: DescribedReference): z.infer<typeof referenceReply> {
  return {
    ...presentMark(row),
    status: row.status,
    is_default: row.is_default,
    evidence: row.evidence,
    ontology_snapshot_id: row.ontology_snapshot_id,
    obo_version: row.obo_version,
    annotation_set_id: row.annotation_set_id,
    vectors: row.vectors.map(({ embedding_config_id, model_name, dimension, vector_count }) => ({
      embedding_config_id,
      model_name,
      dimension,
      vector_count,
    })),
    protein_count: row.protein_count,
    annotated_protein_count: row.annotated_protein_count ?? 0,
    annotation_count: row.annotation_count ?? 0,
    annotations_by_evidence: row.statistics?.by_evidence_code ?? {},
    left_out: row.left_out,
    parts: row.parts.map(({ kind, name, origin, licence, citation, sha256, counts }) => ({
      kind,
      name,
      origin,
      licence,
      citation,
      sha256,
      counts,
    })),
    // An earlier version may have measured it, and without what this one adds.
    reliability: row.reliability === null ? null : referenceReliability.parse(row.reliability),
    job_id: row.job_id,
    error: row.error,
    created_at: row.created_at,
    completed_at: row.completed_at,
  };
}

export function presentDiff(diff: ReferenceDiff): z.infer<typeof referenceDiffReply> {
  const { from, to, proteins, terms, annotations } = diff;
  return {
    from: presentMark(from),
    to: presentMark(to),
    proteins: {
      gained: proteins.gained,
      lost: proteins.lost,
      sequence_changed: proteins.sequence_changed,
    },
    terms: { added: terms.added, obsolete: terms.obsolete, replaced: terms.replaced },
    annotations: annotations.map(({ aspect, evidence_code, gained, lost }) => ({
      aspect: aspect as Aspect,
      evidence_code,
      gained,
      lost,
    })),
  };
}
