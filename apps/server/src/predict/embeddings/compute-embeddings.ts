import { absent, type PayloadOf, ProblemError } from '@kindred/contracts';
import { defaultSequencesPerBatch, importedBackend } from '@kindred/contracts/resources/embedding-configs';
import type { SequenceSelection } from '../../store/proteins/sequence-selection.js';
import { tryAdvisoryLock } from '../../store/postgres/advisory-lock.js';
import { findEmbeddingConfig } from '../../store/embeddings/embedding-configs.repository.js';
import { selectSequenceIds, unknownAccessions } from '../../store/embeddings/embeddings.repository.js';
import { findQuerySet } from '../../store/proteins/query-sets.repository.js';
import {
  type Operation,
  type OperationContext,
  type OperationOutcome,
  RetryLater,
  smallBatchSequences,
} from '../../work/operation/operation.js';

type Payload = PayloadOf<'compute_embeddings'>;

/**
 * The coordinator selects the sequences without a vector and dispatches them in batches of similar length.
 * Only one coordinator selects at a time, so that two jobs over the same sequences do not dispatch them
 * twice.
 */
export const computeEmbeddings: Operation<'compute_embeddings'> = {
  name: 'compute_embeddings',
  async run(payload, context) {
    const outcome = await tryAdvisoryLock(context.db, 'compute_embeddings', () =>
      coordinate(payload, context),
    );
    if (outcome === null)
      throw new RetryLater('Another compute_embeddings job is selecting its sequences', 1000);
    return outcome.value;
  },
};

async function coordinate(payload: Payload, context: OperationContext): Promise<OperationOutcome> {
  const { db } = context;
  const config = await findEmbeddingConfig(db, payload.embedding_config_id);
  if (config === undefined) throw absent('embedding configuration', payload.embedding_config_id);
  if (config.model_backend === importedBackend) {
    throw new ProblemError(
      'conflict',
      `The vectors of embedding configuration ${config.id} are imported (import_embeddings); none can be computed.`,
    );
  }
  await context.emit('compute_embeddings.load_sequences_start', {
    model_name: config.model_name,
    backend: config.model_backend,
  });
  const selection = await selectionOf(payload, context);
  const ids = await selectSequenceIds(db, selection, payload.skip_existing ? config.number : null);
  await context.emit('compute_embeddings.load_sequences_done', { sequences_to_embed: ids.length });
  if (ids.length === 0) {
    await context.emit('compute_embeddings.no_sequences', { skip_existing: payload.skip_existing });
    return { kind: 'done', result: { batches: 0, sequences: 0 } };
  }
  const perBatch =
    payload.sequences_per_job ??
    (await context.plugins.backend(config.model_backend)).sequencesPerBatch ??
    defaultSequencesPerBatch;
  const batches = [];
  for (let start = 0; start < ids.length; start += perBatch) {
    batches.push({
      payload: {
        embedding_config_id: config.id,
        sequence_ids: ids.slice(start, start + perBatch),
        skip_existing: payload.skip_existing,
      },
    });
  }
  const result = { batches: batches.length, sequences: ids.length };
  await context.emit('compute_embeddings.dispatching', {
    ...result,
    sequences_per_job: perBatch,
  });
  const small = ids.length <= smallBatchSequences;
  return { kind: 'deferred', batch: 'compute_embeddings_batch', batches, result, small };
}

async function selectionOf(payload: Payload, { db }: OperationContext): Promise<SequenceSelection> {
  if (payload.query_set_id !== null) {
    if ((await findQuerySet(db, payload.query_set_id)) === undefined) {
      throw absent('query set', payload.query_set_id);
    }
    return { kind: 'query_set', querySetId: payload.query_set_id };
  }
  if (payload.reference_id !== null) return { kind: 'reference', referenceId: payload.reference_id };
  if (payload.accessions === null) return { kind: 'all' };
  const unknown = await unknownAccessions(db, payload.accessions, 5);
  if (unknown.length > 0) {
    throw new ProblemError(
      'not_found',
      `No such protein: ${unknown.join(', ')}. Load it with insert_proteins, or leave it out.`,
    );
  }
  return { kind: 'accessions', accessions: payload.accessions };
}
