import assert from 'node:assert/strict';
import type { RecordSource, SourceBatch, SourceContext, SourcePlugin } from '@kindred/contracts';
import { type Check, descriptionChecks, rejection, testContext } from './check.js';

export interface SourceConformance {
  /** The name of the method to check. */
  method: Exclude<keyof RecordSource, 'release'>;
  parameters: Record<string, unknown>;
  /** The content at each address that the source opens (without the query), as bytes or text. */
  files: Record<string, string | Uint8Array>;
  /** The number of expected records. */
  records: number;
  /** The lines that must be reported as unreadable. */
  rejected?: number;
  /** The expected release; omit it if the source names none. */
  release?: string;
}

type Batch = SourceBatch<Record<string, unknown>>;
interface Read {
  records: Record<string, unknown>[];
  rejected: { line: number; reason: string }[];
  opened: number;
  closed: number;
}

const chunkSizes = [1, 7, 1 << 16];

/**
 * Lists the requirements of the service for every source: no record is lost or duplicated, errors have a line number, and nothing is
 * opened except through the given context.
 */
export function sourceConformance(plugin: SourcePlugin, options: SourceConformance): Check[] {
  return [
    ...descriptionChecks(plugin, 'source'),
    {
      name: `gives all records, however the bytes are cut (${options.method})`,
      run: async () => {
        const reads = await Promise.all(
          chunkSizes.map((size) => readAll(plugin, options, { chunkSize: size })),
        );
        for (const { records, rejected } of reads) {
          assert.equal(records.length, options.records, 'number of records');
          assert.equal(rejected.length, options.rejected ?? 0, 'number of unreadable lines');
          assert.deepEqual(records, reads[0].records, 'records depend on how the bytes are cut');
        }
      },
    },
    {
      name: 'reports unreadable lines by number and reason',
      run: async () => {
        const { rejected } = await readAll(plugin, options);
        for (const { line, reason } of rejected) {
          assert.ok(Number.isInteger(line) && line >= 1, `line is ${line}`);
          assert.ok(reason.length > 0, 'a reason is empty');
        }
      },
    },
    {
      name: 'leaves out what the caller cannot use, or hands it on, but loses nothing',
      run: async () => {
        const all = await readAll(plugin, options);
        const first = all.records[0]?.accession as string | undefined;
        if (first === undefined) return;
        let skipped = 0;
        const kept = await readAll(plugin, options, {
          keep: (accession) => accession === first,
          onBatch: (batch) => {
            skipped += batch.skipped;
          },
        });
        // A source may skip a row of another accession unread, and so miss its error.
        assert.equal(
          kept.records.length + kept.rejected.length + skipped,
          all.records.length + all.rejected.length,
          'records, skipped and rejected',
        );
        assert.ok(kept.records.some((record) => record.accession === first));
      },
    },
    {
      name: 'names its release, or says that it knows none',
      run: async () => {
        const source = await plugin.load(testContext(plugin));
        const { context } = openings(options.files, {});
        const release = (await source.release?.(options.parameters, context)) ?? null;
        assert.equal(release, options.release ?? null, 'release');
      },
    },
    ...limitChecks(plugin, options),
  ];
}

/** Checks how a source handles a stop, invalid parameters and refused addresses. */
function limitChecks(plugin: SourcePlugin, options: SourceConformance): Check[] {
  return [
    {
      name: 'closes its streams when the reader stops early',
      run: async () => {
        const read = await readAll(plugin, options, { stopAfterFirstBatch: true });
        assert.equal(read.closed, read.opened, `${read.opened} streams were opened, ${read.closed} closed`);
      },
    },
    {
      name: 'refuses parameters that it does not know when it reads',
      run: async () => {
        const parameters = { ...options.parameters, no_plugin_has_this: 1 };
        await rejection(readAll(plugin, { ...options, parameters }), 'an unknown parameter');
      },
    },
    {
      name: 'hands on that an address could not be opened',
      run: async () => {
        await rejection(readAll(plugin, { ...options, files: {} }), 'an address without a file');
      },
    },
  ];
}

interface ReadOptions {
  chunkSize?: number;
  keep?: (accession: string) => boolean;
  onBatch?: (batch: Batch) => void;
  stopAfterFirstBatch?: boolean;
}

interface Openings {
  context: SourceContext;
  count: { opened: number; closed: number };
}

/** Makes the context of a source, which gives the files in pieces. */
function openings(
  files: SourceConformance['files'],
  { chunkSize = 7, keep }: Pick<ReadOptions, 'chunkSize' | 'keep'>,
): Openings {
  const count = { opened: 0, closed: 0 };
  async function* cut(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    count.opened++;
    try {
      for (let start = 0; start < bytes.length; start += chunkSize)
        yield bytes.subarray(start, start + chunkSize);
    } finally {
      count.closed++;
    }
  }
  const context: SourceContext = {
    openStream: async (url) => {
      const file = files[url.split('?')[0]];
      if (file === undefined) throw new Error(`the test has no file at ${url}`);
      const bytes = Buffer.from(file as string);
      return { headers: {}, sizeBytes: bytes.length, bytes: cut(bytes) };
    },
    emit: async () => {},
    signal: new AbortController().signal,
    ...(keep && { keep }),
  };
  return { context, count };
}

async function readAll(
  plugin: SourcePlugin,
  { method, parameters, files }: SourceConformance,
  { onBatch, stopAfterFirstBatch = false, ...how }: ReadOptions = {},
): Promise<Read> {
  const { context, count } = openings(files, how);
  const read: Pick<Read, 'records' | 'rejected'> = { records: [], rejected: [] };
  const source = await plugin.load(testContext(plugin));
  const batches = source[method];
  assert.ok(batches, `the source has no ${method}`);
  let seen = 0;
  for await (const batch of batches(parameters, context) as AsyncIterable<Batch>) {
    assert.ok(batch.seen >= seen, '`seen` falls');
    seen = batch.seen;
    read.records.push(...batch.records);
    read.rejected.push(...batch.rejected);
    onBatch?.(batch);
    if (stopAfterFirstBatch) break;
  }
  return { ...read, ...count };
}
