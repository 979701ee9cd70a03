import { createHash } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import { z } from 'zod';

/**
 * A backup is a gzipped tar archive. `header.json` comes first. Then `tables/<number>/<part>` hold the rows
 * of the header's tables in PostgreSQL's text format, `files/<name>` the files of the data folder, and
 * `artifacts/<number>/key` and `/<part>` the artifacts. `contents.json` has a checksum of each table and
 * artifact. Since format 2, `sha256` comes last, the checksum of all entries before it with their names.
 */
export const backupFormat = 2;
const firstFormat = 1;
export const headerName = 'header.json';
export const contentsName = 'contents.json';
export const checksumName = 'sha256';
/**
 * An entry has at most this many bytes: a tar entry begins with its size, and a table's size is not known
 * before its end.
 */
export const partBytes = 4 << 20;
/**
 * These files of the data folder belong to the database: the secret of sessions, and the key of this
 * machine's command line.
 */
export const dataFiles = ['jwt-secret', 'local-credential.json', 'api-key.header'];

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Names become parts of statements, so only plain ones pass. */
const header = z.object({
  format: z.int(),
  version: z.string(),
  madeAt: z.iso.datetime(),
  migrations: z.array(z.object({ version: z.int(), name: z.string() })),
  tables: z.array(
    z.object({
      name: z.string().regex(/^(public|broker|audit)\.("[^"]+"|[a-z_][a-z0-9_$]*)$/),
      columns: z.array(z.string().regex(/^("[^"]+"|[a-z_][a-z0-9_$]*)$/)),
      annotationSet: z.object({ number: z.int(), attached: z.boolean() }).nullable(),
    }),
  ),
  /**
   * The absolute artifact addresses that 0.3.0 and earlier wrote into rows begin with this prefix; a restore
   * replaces it by its own store's.
   */
  artifactRoot: z.string(),
});
export type BackupHeader = z.infer<typeof header>;

const contents = z.object({
  /** Each table of the header has the SHA-256 of its rows here. */
  tables: z.array(sha256),
  artifacts: z.array(z.object({ key: z.string(), sizeBytes: z.int(), sha256 })),
  sequences: z.array(z.object({ name: z.string(), value: z.number() })),
});
export type BackupContents = z.infer<typeof contents>;

/** @throws ProblemError bad_file */
export function parseHeader(bytes: Buffer): BackupHeader {
  const value = parsed(headerName, bytes) as { format?: unknown; version?: unknown };
  const { format, version } = value;
  if (typeof format === 'number' && (format < firstFormat || format > backupFormat))
    throw new ProblemError(
      'bad_file',
      `The backup has the format ${format}, and this version of Kindred reads ${firstFormat} to ${backupFormat}: install the version that made it (${String(version)}).`,
    );
  return fitting(headerName, header, value);
}

/** @throws ProblemError bad_file */
export function parseContents(bytes: Buffer): BackupContents {
  return fitting(contentsName, contents, parsed(contentsName, bytes));
}

function parsed(name: string, bytes: Buffer): object {
  try {
    const value = JSON.parse(bytes.toString()) as unknown;
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The message is the same as for other values.
  }
  throw damaged(`${name} is not a JSON object`);
}

function fitting<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [{ path, message }] = result.error.issues;
  throw damaged(`${name} has something else at /${path.join('/')} (${message})`);
}

/** Computes the checksum of an archive, entry by entry. */
export class EntrySum {
  readonly #hash = createHash('sha256');

  add(name: string, bytes: Buffer): void {
    this.#hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

export function damaged(why: string, options?: ErrorOptions): ProblemError {
  return new ProblemError(
    'bad_file',
    `The backup is damaged: ${why}. Nothing was restored; use another backup.`,
    options,
  );
}
