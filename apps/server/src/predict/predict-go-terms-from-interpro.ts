import { absent, type PayloadOf, ProblemError } from '@kindred/contracts';
import { inTransaction } from '../store/postgres/db.js';
import { entriesOfSequences, hasMatches } from '../store/annotations/interpro-annotations.repository.js';
import {
  findInterproMapping,
  type InterproMappingRow,
  mappedPairs,
} from '../store/ontology/interpro-mapping.repository.js';
import { findSnapshot } from '../store/ontology/ontology.repository.js';
import { storePredictions } from '../store/predictions/prediction-writer.js';
import {
  countPredictionSet,
  type PredictionSetRow,
  predictedAlready,
} from '../store/predictions/prediction-sets.repository.js';
import { setOfJob } from './set-of-job.js';
import { type QueryRange, queriesOf } from '../store/proteins/queries.repository.js';
import { loadTerms } from '../store/ontology/term-lookup.js';
import { interproPredictions, type TermsOfEntry } from './interpro-candidates.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { type ChosenQueries, chosenQueries } from './query-ranges.js';

type Payload = PayloadOf<'predict_go_terms_from_interpro'>;
const name = 'predict_go_terms_from_interpro';
const lostTermsShown = 50;

/**
 * The operation turns stored InterPro matches of the queries into the GO terms that their entries stand for,
 * as an ordinary prediction set.
 */
export const predictGoTermsFromInterpro: Operation<'predict_go_terms_from_interpro'> = {
  name,
  async run(payload, context) {
    const startMs = performance.now();
    const mapping = await findMapping(payload, context);
    await context.emit(`${name}.start`, {
      ontology_snapshot_id: payload.ontology_snapshot_id,
      source_version: mapping.source_version,
      interpro_release: payload.interpro_release,
    });
    const { ranges, ...queries } = await chosenQueries(payload, payload.chunk_size, context);
    const { termsOf, lost } = await loadTermsOfEntries(mapping, payload, context);
    if (lost.length > 0) {
      const examples = lost.slice(0, lostTermsShown);
      await context.emit(
        `${name}.terms_not_in_snapshot`,
        { count: lost.length, go_ids: examples },
        'warning',
      );
    }
    const set = await createSet(payload, mapping, { ...queries, context });
    const counts = await predictAll(ranges, { set, termsOf, payload }, context);
    const totals = await inTransaction(context.db, (trx) => countPredictionSet(trx, context.jobId));
    const result = {
      prediction_set_id: set.id,
      algorithm: 'interpro_propagation',
      source_version: mapping.source_version,
      proteins_requested: counts.queries,
      proteins_with_interpro: counts.withEntries,
      proteins_with_predictions: counts.withPredictions,
      predictions_inserted: totals.predictions,
      terms_not_in_snapshot: lost.length,
      elapsed_seconds: (performance.now() - startMs) / 1000,
    };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};

async function findMapping(payload: Payload, { db }: OperationContext): Promise<InterproMappingRow> {
  const { ontology_snapshot_id, source_version, interpro_release } = payload;
  if ((await findSnapshot(db, ontology_snapshot_id)) === undefined)
    throw absent('ontology snapshot', ontology_snapshot_id);
  const mapping = await findInterproMapping(db, source_version);
  if (mapping === undefined) {
    const which = source_version === null ? 'No mapping' : `No mapping of version ${source_version}`;
    throw new ProblemError(
      'conflict',
      `${which} of InterPro entries to GO terms is loaded; run load_interpro_go_mapping first.`,
    );
  }
  if (!(await hasMatches(db, interpro_release))) {
    const which = interpro_release === null ? '' : ` of release ${interpro_release}`;
    throw new ProblemError(
      'conflict',
      `No InterPro matches${which} are stored; run run_interproscan_batch or load_interpro_annotations first.`,
    );
  }
  return mapping;
}

/**
 * Alternative ids lead to their term. Terms that the snapshot lacks, or has as obsolete, are lost, and the
 * result names them.
 */
async function loadTermsOfEntries(
  mapping: InterproMappingRow,
  { ontology_snapshot_id }: Payload,
  { db }: OperationContext,
): Promise<{ termsOf: TermsOfEntry; lost: string[] }> {
  const terms = await loadTerms(db, ontology_snapshot_id);
  const lost = new Set<string>();
  const termsOf = new Map<string, { rowId: number; goId: string }[]>();
  for (const { interpro_accession, go_id } of await mappedPairs(db, mapping.source_version)) {
    const term = terms.get(go_id);
    if (term === undefined || term.isObsolete) {
      lost.add(go_id);
      continue;
    }
    const known = termsOf.get(interpro_accession) ?? [];
    // Two ids of one entry may be one term in this snapshot.
    if (known.some(({ rowId }) => rowId === term.rowId)) continue;
    termsOf.set(interpro_accession, [...known, { rowId: term.rowId, goId: go_id }]);
  }
  return { termsOf, lost: [...lost] };
}

function createSet(
  payload: Payload,
  mapping: InterproMappingRow,
  { querySet, queryCount, context }: Omit<ChosenQueries, 'ranges'> & { context: OperationContext },
): Promise<PredictionSetRow> {
  return setOfJob(context, {
    method: 'interpro',
    embedding_config_id: null,
    annotation_set_id: null,
    ontology_snapshot_id: payload.ontology_snapshot_id,
    query_set_id: payload.query_set_id,
    query_count: queryCount,
    limit_per_entry: 0,
    distance_threshold: null,
    metric: 'cosine',
    parameters: JSON.stringify({
      algorithm: 'interpro_propagation',
      interpro_mapping_source_version: mapping.source_version,
      interpro_mapping_sha256: mapping.content_sha256,
      interpro_release: payload.interpro_release,
      queries: payload.query_accessions?.length ?? null,
    }),
    // A set made from an unsaved upload is as private and as short-lived as the upload.
    listed: querySet?.listed ?? true,
    expires_at: querySet?.expires_at ?? null,
    owner_user_id: querySet?.owner_user_id ?? null,
  });
}

async function predictAll(
  ranges: readonly QueryRange[],
  { set, termsOf, payload }: { set: PredictionSetRow; termsOf: TermsOfEntry; payload: Payload },
  context: OperationContext,
): Promise<{ queries: number; withEntries: number; withPredictions: number }> {
  const { db, settings } = context;
  const counts = { queries: 0, withEntries: 0, withPredictions: 0 };
  for (const [done, range] of ranges.entries()) {
    context.signal.throwIfAborted();
    const queries = await queriesOf(db, range);
    const entriesOf = await entriesOfSequences(
      db,
      [...new Set(queries.map((query) => query.sequence_id))],
      payload.interpro_release,
    );
    const has = (sequenceId: number) => (entriesOf.get(sequenceId) ?? []).some((entry) => termsOf.has(entry));
    counts.queries += queries.length;
    counts.withEntries += queries.filter((query) => entriesOf.has(query.sequence_id)).length;
    counts.withPredictions += queries.filter((query) => has(query.sequence_id)).length;
    await inTransaction(db, async (trx) => {
      // A job that starts again after a crash leaves the queries that an earlier chunk stored.
      const stored = await predictedAlready(
        trx,
        set.number,
        queries.map((query) => query.accession),
      );
      const fresh = queries.filter((query) => !stored.has(query.accession));
      const jsonb = settings.goPredictionJsonbWriteEnabled;
      await storePredictions(
        trx,
        interproPredictions(fresh, entriesOf, { termsOf, setNumber: set.number, jsonb }),
      );
    });
    await context.progress(done + 1, ranges.length);
  }
  return counts;
}
