import { z } from 'zod';
import { routesOf } from '../route.js';

export const countReply = z.object({ count: z.int().meta({ description: 'Rows that would be deleted' }) });
export const deletedReply = z.object({ deleted: z.int() });
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
