import { absent, ProblemError } from '@kindred/contracts';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import { findSnapshot } from '../../store/ontology/ontology.repository.js';
import { inPackSnapshot } from '../../store/references/reference-pack.repository.js';
import { countReferenceVectors } from '../../store/references/reference-proteins.repository.js';
import { findReference } from '../../store/references/references.repository.js';
import type { Operation } from '../../work/operation/operation.js';
import { earlierContentSha256, referenceContentSha256, storedRowDigests } from './content-hash.js';

const name = 'verify_reference';

/**
 * Computes the identity of a stored reference again from its rows, and counts the vectors that it should
 * have. So a service that was restored, or ran for long, can be compared with the cited reference.
 */
export const verifyReference: Operation<'verify_reference'> = {
  name,
  async run({ reference_id: id }, { db, emit }) {
    const reference = await findReference(db, id);
    if (reference === undefined) throw absent('reference', id);
    const { content_sha256: stored, annotation_set_id: setId, ontology_snapshot_id: snapshotId } = reference;
    const set = setId === null ? undefined : await findAnnotationSet(db, setId);
    const snapshot = snapshotId === null ? undefined : await findSnapshot(db, snapshotId);
    const title = `${reference.name}@${reference.version}`;
    if (stored === null || set === undefined || snapshot === undefined)
      throw new ProblemError(
        'conflict',
        `${title} has no identity to compare with: it was not built as a reference, or parts of it were deleted. Build it again.`,
      );
    const subject = { referenceNumber: reference.number, setNumber: set.number, snapshotId: snapshot.id };
    const mappingVersion = reference.parts.some(({ kind }) => kind === 'interpro_mapping') ? title : null;
    const rows = await inPackSnapshot(db, (trx) => storedRowDigests(trx, { ...subject, mappingVersion }));
    const configIds = reference.vectors.map((vectors) => vectors.embedding_config_id);
    const content = { oboSha256: snapshot.obo_sha256, configIds, parts: reference.parts };
    const found = await referenceContentSha256(db, content, rows);
    const isSame = found === stored || stored === (await earlierContentSha256(db, content, subject));
    const vectors: { embedding_config_id: string; expected: number; found: number }[] = [];
    for (const { embedding_config_id, vector_count: expected } of reference.vectors)
      vectors.push({
        embedding_config_id,
        expected,
        found: await countReferenceVectors(db, reference.number, embedding_config_id),
      });
    const result = {
      reference: title,
      is_intact: isSame && vectors.every((each) => each.found === each.expected),
      content_sha256: stored,
      found_sha256: isSame ? stored : found,
      vectors,
    };
    await emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};
