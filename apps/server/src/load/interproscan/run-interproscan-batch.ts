import { join } from 'node:path';
import { absent, type PayloadOf, ProblemError } from '@kindred/contracts';
import { loadSequences, unknownAccessions } from '../../store/embeddings/embeddings.repository.js';
import type { SequenceSelection } from '../../store/proteins/sequence-selection.js';
import { markScanned, unscannedSequences } from '../../store/annotations/interproscan.repository.js';
import { findQuerySet } from '../../store/proteins/query-sets.repository.js';
import { scanLocally } from './local.js';
import { RemoteScan } from './remote-scan.js';
import { MatchWriter } from '../match-writer.js';
import type { Operation, OperationContext } from '../../work/operation/operation.js';

type Payload = PayloadOf<'run_interproscan_batch'>;
const name = 'run_interproscan_batch';
const publicService = 'https://www.ebi.ac.uk/Tools/services/rest/iprscan5';

/** Scans sequences that were not yet scanned with this release, and stores the matches as they arrive. */
export const runInterproscanBatch: Operation<'run_interproscan_batch'> = {
  name,
  async run(payload, context) {
    const startMs = performance.now();
    const service = serviceOf(payload, context);
    const selection = await selectionOf(payload, context);
    const { total, ids } = await unscannedSequences(context.db, selection, payload.interpro_release);
    await context.emit(`${name}.resolved`, {
      service: service.kind,
      sequences: total,
      scanned_before: total - ids.length,
    });
    const writer = new MatchWriter(context, payload.interpro_release);
    const counts =
      service.kind === 'local'
        ? await scanHere(ids, { command: service.command, payload, writer }, context)
        : await scanThere(ids, { service, payload, writer }, context);
    const result = {
      service: service.kind,
      interpro_release: payload.interpro_release,
      sequences: total,
      sequences_skipped: total - ids.length,
      ...counts,
      ...writer.result(),
      elapsed_seconds: (performance.now() - startMs) / 1000,
    };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};

type Service = { kind: 'local'; command: string } | { kind: 'ebi'; serviceUrl: string; email: string };

/** @throws ProblemError conflict naming the setting that is missing */
function serviceOf({ service }: Payload, { settings }: OperationContext): Service {
  const { command, serviceUrl, email } = settings.interproscan ?? {
    command: null,
    serviceUrl: publicService,
    email: null,
  };
  if (service !== 'ebi' && command !== null) return { kind: 'local', command };
  if (service === 'local') {
    throw new ProblemError(
      'conflict',
      'No InterProScan is set on this service (SVC_INTERPROSCAN_COMMAND); use service "ebi", or load its table with load_interpro_annotations.',
    );
  }
  if (email === null) {
    throw new ProblemError(
      'conflict',
      'The InterProScan job service asks for an e-mail address: an operator sets it by SVC_INTERPROSCAN_EMAIL, or a local InterProScan by SVC_INTERPROSCAN_COMMAND.',
    );
  }
  return { kind: 'ebi', serviceUrl, email };
}

async function selectionOf(
  { query_set_id, accessions }: Payload,
  { db }: OperationContext,
): Promise<SequenceSelection> {
  if (query_set_id !== null) {
    if ((await findQuerySet(db, query_set_id)) === undefined) throw absent('query set', query_set_id);
    return { kind: 'query_set', querySetId: query_set_id };
  }
  if (accessions === null) return { kind: 'all' };
  const unknown = await unknownAccessions(db, accessions, 5);
  if (unknown.length > 0) throw new ProblemError('not_found', `No such protein: ${unknown.join(', ')}.`);
  return { kind: 'accessions', accessions };
}

async function scanHere(
  ids: readonly number[],
  { command, payload, writer }: { command: string; payload: Payload; writer: MatchWriter },
  context: OperationContext,
): Promise<Record<string, unknown>> {
  let scanned = 0;
  for (let start = 0; start < ids.length; start += payload.chunk_size) {
    context.signal.throwIfAborted();
    const sequences = await loadSequences(context.db, ids.slice(start, start + payload.chunk_size), null);
    const matches = await scanLocally(sequences, {
      command,
      folder: join(context.settings.cacheDir, 'interproscan', context.jobId),
      applications: payload.applications,
      timeoutMs: 1000 * payload.timeout_seconds,
      signal: context.signal,
    });
    await writer.store(matches);
    // The chunk is recorded last: a chunk with missing matches is scanned again, and each match is stored
    // once.
    await markScanned(
      context.db,
      sequences.map(({ id }) => id),
      payload.interpro_release,
    );
    scanned += sequences.length;
    await context.emit(`${name}.chunk_done`, { sequences: scanned, matches: writer.inserted });
    await context.progress(scanned, ids.length);
  }
  return { sequences_scanned: scanned };
}

async function scanThere(
  ids: readonly number[],
  { service, payload, writer }: { service: Service & { kind: 'ebi' }; payload: Payload; writer: MatchWriter },
  context: OperationContext,
): Promise<Record<string, unknown>> {
  const { serviceUrl, email } = service;
  const scan = new RemoteScan({
    service: { serviceUrl, email, applications: payload.applications, context },
    writer,
    interproRelease: payload.interpro_release,
    maxRunning: payload.max_running,
    pollMs: 1000 * payload.poll_seconds,
    resubmitUncertain: payload.resubmit_uncertain,
  });
  await scan.run(ids);
  const { stored, failed, ...counts } = scan.counts;
  return {
    sequences_scanned: stored,
    sequences_failed: failed,
    ...counts,
    uncertain_sequence_ids: scan.uncertain.slice(0, 50),
  };
}
