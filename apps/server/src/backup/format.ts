import type { CopiedTable, SequenceValue } from '../store/maintenance/database-copy.repository.js';

/**
 * A backup is a gzipped tar archive: `header.json`; then `tables/<number>/<part>`, the rows of the header's tables in
 * PostgreSQL's text format; `files/<name>` of the data folder; `artifacts/<number>/key` and `/<part>`; and last
 * `contents.json` with the checksums that prove it complete.
 */
export const backupFormat = 1;
export const headerName = 'header.json';
export const contentsName = 'contents.json';
/** Bytes of one entry: a tar entry begins with its size, and a table's is not known before its end. */
export const partBytes = 4 << 20;
/** Files of the data folder that belong to the database: the secret of sessions, and the key of this machine's command line. */
export const dataFiles = ['jwt-secret', 'local-credential.json', 'api-key.header'];

export interface BackupHeader {
  format: number;
  version: string;
  madeAt: string;
  migrations: { version: number; name: string }[];
  tables: CopiedTable[];
  /** Start of the artifact addresses in the rows; it differs if the restored service uses another store. */
  artifactRoot: string;
}

export interface BackupContents {
  /** SHA-256 of the rows of each table of the header. */
  tables: string[];
  artifacts: { key: string; sizeBytes: number; sha256: string }[];
  sequences: SequenceValue[];
}
