import { type PayloadOf, ProblemError } from '@kindred/contracts';
import { isInterproEntry, readExternal2Go } from '@kindred/kernels/formats';
import { withAdvisoryLock } from '../store/postgres/advisory-lock.js';
import { inTransaction } from '../store/postgres/db.js';
import {
  findInterproMapping,
  insertInterproMapping,
  type MappedPair,
} from '../store/ontology/interpro-mapping.repository.js';
import { loadProblem } from './load-problem.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { RejectionLog } from './rejection-log.js';
import { isUnchanged, rememberSource } from './unchanged-source.js';
import { SourceSession } from '../work/operation/source-session.js';

type Payload = PayloadOf<'load_interpro_go_mapping'>;
const name = 'load_interpro_go_mapping';

/** Loads a release of interpro2go completely or not at all; loading the same content again changes nothing. */
export const loadInterproGoMapping: Operation<'load_interpro_go_mapping'> = {
  name,
  async run(payload, context) {
    const startMs = performance.now();
    const { mapping_url, source_version } = payload;
    await context.emit(`${name}.start`, { mapping_url, source_version });
    try {
      const known = await findInterproMapping(context.db, source_version);
      if (known !== undefined && (await isUnchanged(mapping_url, known.content_sha256, context, name))) {
        const { content_sha256, entry_count: entries } = known;
        const result = { source_version, skipped: true, rows_inserted: 0, entries, content_sha256 };
        await context.emit(`${name}.done`, result);
        return { kind: 'done', result };
      }
      const mapping = await readMapping(payload, context);
      const stored = await withAdvisoryLock(context.db, `interpro_mapping:${source_version}`, () =>
        store(mapping, payload, context),
      );
      await rememberSource(mapping_url, mapping.headers, mapping.contentSha256, context);
      const result = {
        source_version,
        ...stored,
        rows_parsed: mapping.parsed,
        rows_skipped_duplicate: mapping.parsed - mapping.pairs.length,
        rows_unreadable: mapping.unreadable,
        entries: new Set(mapping.pairs.map((pair) => pair.interpro_accession)).size,
        content_sha256: mapping.contentSha256,
        elapsed_seconds: (performance.now() - startMs) / 1000,
      };
      await context.emit(`${name}.done`, result);
      return { kind: 'done', result };
    } catch (error) {
      throw loadProblem(error, mapping_url);
    }
  },
};

interface Mapping {
  pairs: MappedPair[];
  parsed: number;
  unreadable: number;
  header: Record<string, string>;
  contentSha256: string;
  headers: Record<string, string>;
}

async function readMapping(payload: Payload, context: OperationContext): Promise<Mapping> {
  const session = new SourceSession(context, {
    operation: name,
    rowLimit: null,
    headerLines: 0,
    sideUrls: [],
  });
  const rejections = new RejectionLog(context, `${name}.bad_lines`, payload.on_bad_line);
  const stream = await session.context.openStream(payload.mapping_url, {
    timeoutMs: 1000 * payload.timeout_seconds,
  });
  const pairs = new Map<string, MappedPair>();
  let parsed = 0;
  let header: Record<string, string> = {};
  for await (const batch of readExternal2Go(stream.bytes)) {
    header = batch.header;
    await rejections.add(batch.rejected);
    for (const { line, database, externalId, goId } of batch.records) {
      if (database !== 'InterPro' || !isInterproEntry(externalId)) {
        const reason = `expected InterPro: and an entry such as IPR000003, found ${database}:${externalId.slice(0, 40)}`;
        await rejections.add([{ line, reason }]);
        continue;
      }
      parsed++;
      pairs.set(`${externalId} ${goId}`, { interpro_accession: externalId, go_id: goId });
    }
  }
  if (pairs.size === 0) {
    const { first } = rejections;
    const why = first === null ? 'it has no line with a pair' : `line ${first.line}: ${first.reason}`;
    throw new ProblemError(
      'bad_file',
      `${payload.mapping_url} is not a mapping of InterPro entries: ${why}.`,
    );
  }
  const { contentSha256 } = session;
  const headers = session.headersOf(payload.mapping_url);
  return { pairs: [...pairs.values()], parsed, unreadable: rejections.total, header, contentSha256, headers };
}

async function store(
  mapping: Mapping,
  { source_version, mapping_url }: Payload,
  { db, jobId }: OperationContext,
): Promise<{ skipped: boolean; rows_inserted: number }> {
  const existing = await findInterproMapping(db, source_version);
  if (existing?.content_sha256 === mapping.contentSha256) return { skipped: true, rows_inserted: 0 };
  if (existing !== undefined) {
    throw new ProblemError(
      'already_exists',
      `A mapping of version ${source_version} with other content was loaded at ${existing.loaded_at}; choose another source_version.`,
    );
  }
  const { header, contentSha256, pairs } = mapping;
  const row = { source_version, mapping_url, content_sha256: contentSha256, header, job_id: jobId };
  await inTransaction(db, (trx) => insertInterproMapping(trx, row, pairs));
  return { skipped: false, rows_inserted: pairs.length };
}
