import { experimentalEvidence } from '@kindred/contracts';
import { findCompleteSet } from '../../store/annotations/annotation-load.repository.js';
import {
  setReferenceAnnotations,
  setReferenceSnapshot,
} from '../../store/references/references.repository.js';
import { annotationSource } from '../annotation-load.js';
import { loadAnnotations } from '../load-annotations.js';
import type { Operation, OperationContext } from '../../work/operation/operation.js';
import { type BuiltReference, referenceInBuild, stepsDone } from './build-context.js';
import { joinedAnnotations, nameOfSource } from './joined-annotations.js';

const name = 'load_reference_annotations';
const pageSize = 10_000;

/** Loads the annotations of all sources of a reference for its own proteins, as one set. */
export const loadReferenceAnnotations: Operation<'load_reference_annotations'> = {
  name,
  async run({ reference_id }, context) {
    const reference = await referenceInBuild(reference_id, context);
    const snapshotId = await snapshotOf(reference, context);
    const identity = {
      source: 'reference' as const,
      sourceVersion: `${reference.name}@${reference.version}`,
      ontologySnapshotId: snapshotId,
    };
    // An earlier attempt may have stored the set already: its name and version belong to this reference only.
    const ready = await findCompleteSet(context.db, identity);
    if (ready !== undefined) {
      await setReferenceAnnotations(context.db, reference.id, ready.id);
      return { kind: 'done', result: { annotation_set_id: ready.id, skipped: true } };
    }
    const files = reference.inputs.annotations ?? [];
    const chosen = reference.evidence === 'experimental' ? new Set<string>(experimentalEvidence) : null;
    const source = joinedAnnotations(await annotationSource('goa', context), files, chosen);
    const outcome = await loadAnnotations(
      {
        operation: name,
        identity,
        source,
        parameters: { page_size: 500, timeout_seconds: 300 },
        url: files.map(nameOfSource).join(', '),
        sideUrls: [],
        headerLines: 0,
        accessions: { referenceNumber: reference.number },
        pageSize,
        rowLimit: null,
        onBadLine: 'skip',
        meta: { reference_id: reference.id, evidence: reference.evidence },
        countsMeta: ({ tally, unreadable }) => ({
          files: source.counts,
          left_out: {
            'annotations of proteins that are not in it': tally.notInDatabase,
            'annotations of other evidence': source.counts.reduce((sum, one) => sum + one.other_evidence, 0),
            'annotations of obsolete terms': tally.obsoleteTerm,
            'annotations of terms that the ontology does not have': tally.unknownTerm,
            'annotation lines that cannot be read': unreadable,
          },
        }),
      },
      context,
    );
    const { annotation_set_id } = outcome.result;
    await setReferenceAnnotations(context.db, reference.id, String(annotation_set_id));
    return outcome;
  },
};

/** Gives the snapshot that the request named, or the one that the previous step loaded. */
async function snapshotOf(reference: BuiltReference, context: OperationContext): Promise<string> {
  if (reference.inputs.ontology === undefined) return reference.ontology_snapshot_id as string;
  const [ontology] = await stepsDone(reference, ['load_ontology_snapshot'], context);
  const id = String(ontology.result?.ontology_snapshot_id);
  await setReferenceSnapshot(context.db, reference.id, id);
  return id;
}
