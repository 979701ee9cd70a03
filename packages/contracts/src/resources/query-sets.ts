import { z } from 'zod';
import { afterQuery, limitQuery, newVisibility, visibility } from '../fields.js';
import { type QuerySetId, uuidOf } from '../ids.js';
import { badRecords, badRecordsMeaning, leftOut } from '../left-out.js';
import { ownRows, routesOf, visibleRows } from '../route.js';

export const querySetParams = z.object({ id: uuidOf<QuerySetId>() });
export const querySetListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });

const file = z
  .file()
  .meta({ description: 'FASTA text, or a GenBank or EMBL file with annotated genes, also packed with gzip' });
export const querySetName = z.string().trim().min(1, 'give the set a name').max(255);
export const querySetFields = z.strictObject({
  name: querySetName.optional(),
  description: z
    .string()
    .trim()
    .max(10_000)
    .transform((text) => text || null)
    .nullish(),
  visibility: newVisibility,
  bad_records: badRecords.default('refuse'),
});
/** The form as the description shows it. */
export const querySetForm = z.strictObject({
  file,
  name: querySetName.optional().meta({ description: "Default: the file's name" }),
  description: z.string().max(10_000).optional(),
  visibility: newVisibility,
  bad_records: badRecords.optional().meta({ description: badRecordsMeaning }),
});
export const querySetChanges = z
  .strictObject({ name: querySetName.optional(), visibility: visibility.optional() })
  .refine((changes) => Object.keys(changes).length > 0, {
    message: 'say what to change: name, visibility or both',
  });

export const querySetReply = z.object({
  id: z.guid(),
  name: z.string(),
  description: z.string().nullable(),
  entry_count: z.int(),
  visibility,
  expires_at: z.string().nullable(),
  created_at: z.string(),
  may_change: z.boolean().meta({ description: 'The caller may rename, share and delete it' }),
  links: z
    .object({
      sequences: z.string().meta({ description: 'The set as FASTA' }),
      prediction_sets: z.string().meta({ description: 'Its predictions' }),
    })
    .meta({ description: 'Whoever has the id of the set may follow them' }),
});
export const querySetMadeReply = querySetReply.extend({ left_out: leftOut });
export const entryReply = z.object({
  accession: z.string(),
  header: z.string().meta({ description: 'The line after ">", byte for byte' }),
  taxonomy_id: z.int().nullable(),
  sequence_id: z.int(),
  length: z.int(),
});
export const querySetDetailReply = querySetReply.extend({ entries: z.array(entryReply) });
export const querySetDeletedReply = z.object({ deleted: z.guid(), entries_deleted: z.int() });

export const querySetRoutes = routesOf('query sets', {
  upload: {
    method: 'POST',
    path: '/query-sets',
    floor: 'researcher',
    rate: 'uploads',
    summary: 'Upload a FASTA file',
    upload: { form: querySetForm },
    reply: { 201: querySetMadeReply },
  },
  list: {
    method: 'GET',
    path: '/query-sets',
    floor: 'viewer',
    summary: 'List query sets',
    access: visibleRows,
    query: querySetListQuery,
    reply: { 200: z.array(querySetReply) },
  },
  show: {
    method: 'GET',
    path: '/query-sets/:id',
    floor: 'viewer',
    summary: 'One query set with all entries',
    params: querySetParams,
    reply: { 200: querySetDetailReply },
  },
  sequences: {
    method: 'GET',
    path: '/query-sets/:id/sequences',
    floor: 'viewer',
    summary: 'The sequences as FASTA, with the headers and in the order of the upload',
    params: querySetParams,
    reply: {
      200: {
        description: 'Streamed, gzip where accepted; residues in capitals',
        content: { 'text/x-fasta': { schema: z.string() } },
      },
    },
  },
  change: {
    method: 'PATCH',
    path: '/query-sets/:id',
    floor: 'researcher',
    summary: 'Rename a query set, or say who finds it, its jobs and its predictions in lists',
    access: ownRows,
    params: querySetParams,
    body: querySetChanges,
    reply: { 200: querySetReply },
  },
  remove: {
    method: 'DELETE',
    path: '/query-sets/:id',
    floor: 'researcher',
    refuses: [409],
    summary: 'Delete a query set and its entries',
    access: ownRows,
    params: querySetParams,
    reply: { 200: querySetDeletedReply },
  },
});
