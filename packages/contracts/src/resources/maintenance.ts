import { z } from 'zod';
import { routesOf } from '../route.js';

export const countReply = z.object({ count: z.int().meta({ description: 'Rows that would be deleted' }) });
export const deletedReply = z.object({ deleted: z.int() });
/** The limits: how many objects one preview counts, how many it names, and how many one request deletes. */
export const previewedArtifacts = 10_000;
export const exampleArtifacts = 20;
export const artifactsDeletedAtOnce = 1000;

export const unreferencedReply = z.object({
  count: z.int().meta({ description: 'Objects that would be deleted' }),
  size_bytes: z.int(),
  examples: z.array(z.string()).meta({ description: `Keys of up to ${exampleArtifacts} of them` }),
  more: z.boolean().meta({ description: `The count stopped at ${previewedArtifacts.toLocaleString('en')}` }),
  older_than_days: z.int().meta({ description: 'SVC_RETENTION_UNREFERENCED_ARTIFACT_DAYS' }),
});
export const sweptReply = z.object({
  deleted: z.int(),
  size_bytes: z.int(),
  more: z
    .boolean()
    .meta({ description: `It stopped after ${artifactsDeletedAtOnce.toLocaleString('en')}; call it again` }),
});
export const listedBackups = 20;
export const backupReply = z.object({
  made_at: z.string(),
  verified_at: z
    .string()
    .nullable()
    .meta({ description: 'When `kindred backup --verify` last restored it; null: never' }),
  size_bytes: z.int(),
  version: z.string().meta({ description: 'Version of Kindred that made it' }),
});
export const resetReply = z.object({
  schema_version: z.int(),
  migrations_applied: z.array(z.string()),
});

export const maintenanceRoutes = routesOf('administration', {
  countUnusedSequences: {
    method: 'GET',
    path: '/maintenance/vacuum-sequences/preview',
    floor: 'operator',
    summary: 'Count sequences that nothing refers to',
    reply: { 200: countReply },
  },
  deleteUnusedSequences: {
    method: 'POST',
    path: '/maintenance/vacuum-sequences',
    floor: 'admin',
    refuses: [409],
    summary: 'Delete sequences that nothing refers to',
    reply: { 200: deletedReply },
  },
  countUnusedVectors: {
    method: 'GET',
    path: '/maintenance/vacuum-embeddings/preview',
    floor: 'operator',
    summary: 'Count vectors of sequences without a protein',
    reply: { 200: countReply },
  },
  deleteUnusedVectors: {
    method: 'POST',
    path: '/maintenance/vacuum-embeddings',
    floor: 'admin',
    refuses: [409],
    summary: 'Delete vectors of sequences without a protein',
    reply: { 200: deletedReply },
  },
  countUnreferencedArtifacts: {
    method: 'GET',
    path: '/maintenance/sweep-artifacts/preview',
    floor: 'operator',
    summary: 'Count objects of the artifact store that nothing refers to',
    reply: { 200: unreferencedReply },
  },
  deleteUnreferencedArtifacts: {
    method: 'POST',
    path: '/maintenance/sweep-artifacts',
    floor: 'admin',
    summary: 'Delete objects of the artifact store that nothing refers to',
    access:
      'Workers do it once a day. Only objects that the service wrote, older than the setting and than every job that has not ended.',
    reply: { 200: sweptReply },
  },
  listBackups: {
    method: 'GET',
    path: '/maintenance/backups',
    floor: 'operator',
    summary: `The newest ${listedBackups} backups, and when each was verified`,
    reply: { 200: z.array(backupReply) },
  },
  resetDatabase: {
    method: 'POST',
    path: '/admin/reset-db',
    floor: 'admin',
    refuses: [409],
    summary: 'Empty the database',
    access: 'The audit log and the account of the caller stay.',
    reply: { 200: resetReply },
  },
});
