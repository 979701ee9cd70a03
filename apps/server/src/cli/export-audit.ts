import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ProblemError } from '@kindred/contracts';
import { auditExportQuery } from '@kindred/contracts/resources/audit';
import { composeArtifacts, withDatabase } from '../run/compose.js';
import { loadSettings } from '../run/env.js';
import { auditLines } from '../resources/audit-export.js';
import { useMeantFolder } from './with-service.js';

export interface ExportAuditOptions {
  since?: string;
  until?: string;
  output?: string;
}

/**
 * Writes the audit log as JSON Lines. The command needs the database and the artifact store, not a
 * credential.
 */
export async function exportAuditAction({ output, ...given }: ExportAuditOptions): Promise<void> {
  const window = auditExportQuery.safeParse(given);
  if (!window.success) {
    const [{ path, message }] = window.error.issues;
    throw new ProblemError('validation_failed', `--${path.join('.')}: ${message}`);
  }
  const { since = null, until = null } = window.data;
  await useMeantFolder();
  const settings = loadSettings();
  await withDatabase(settings, async (db) => {
    const lines = auditLines(db, composeArtifacts(settings), { since, untilExclusive: until });
    if (output === undefined) await pipeline(lines, process.stdout, { end: false });
    // The log never replaces another file. It names accounts, so only its owner may read it.
    else await pipeline(lines, createWriteStream(output, { flags: 'wx', mode: 0o600 }));
  });
}
