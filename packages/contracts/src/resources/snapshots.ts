import { z } from 'zod';
import {
  afterQuery,
  aspectQuery,
  limitQuery,
  listQuery,
  timeoutSeconds,
  url,
  wholeNumber,
} from '../fields.js';
import { goIdPattern, type OntologySnapshotId, uuidOf } from '../ids.js';
import type { OperationRow } from '../operation.js';
import { routesOf } from '../route.js';
import { queuedReply } from './jobs.js';
import { aspects } from '../vocabulary.js';

export const snapshotParams = z.object({ id: uuidOf<OntologySnapshotId>() });
export const termParams = snapshotParams.extend({
  go_id: z
    .string()
    .regex(goIdPattern, 'expected GO: and seven digits')
    .meta({ description: 'A secondary id counts as its term' }),
});
export const termSearchQuery = z.strictObject({
  search: z.string().trim().min(1).max(200).meta({ description: 'Part of the name, any case; or a GO id' }),
  aspect: aspectQuery,
  limit: limitQuery(500, 25),
});
export const snapshotListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });

export const subgraphQuery = z.strictObject({
  go_ids: listQuery(z.string().regex(goIdPattern, 'expected GO: and seven digits'), 500).meta({
    description: 'GO ids joined by commas; alternative ids count as their term',
  }),
  relations: listQuery(z.string().regex(/^[a-z_]{1,40}$/, 'expected a relation such as is_a'), 500)
    .default(['is_a', 'part_of'])
    .meta({
      description:
        'Relations that are followed, joined by commas: those of the Gene Ontology, and others that the snapshot has; default is_a,part_of',
    }),
  depth: wholeNumber(z.int().min(0).max(100))
    .optional()
    .meta({ description: 'Edges from the asked terms; default all' }),
});

export const iaUrlBody = z.strictObject({
  ia_url: z
    .string()
    .trim()
    .max(2048)
    .refine(
      (text) => text === '' || /^(https?|file):\/\/[^\s]+$/.test(text),
      'expected an http, https or file address',
    )
    .nullable()
    .meta({ description: 'null or an empty text removes the address' }),
});

const count = z.int();
export const snapshotReply = z.object({
  id: z.guid(),
  obo_version: z.string(),
  obo_url: z.string(),
  ia_url: z.string().nullable(),
  loaded_at: z.string(),
  go_term_count: count.meta({ description: 'All terms, obsolete ones included' }),
  term_counts: z.object({ P: count, F: count, C: count, obsolete: count }),
  relationship_count: count,
  alt_id_count: count,
});
export const termReply = z.object({
  go_id: z.string(),
  name: z.string(),
  aspect: z.enum(aspects),
  definition: z.string().nullable(),
  is_obsolete: z.boolean(),
  replaced_by: z.array(z.string()),
});
const relatedTerm = z.object({ go_id: z.string(), name: z.string(), relation_type: z.string() });
export const termDetailReply = termReply.extend({
  alternative_ids: z.array(z.string()).meta({ description: 'Secondary ids of this term' }),
  parents: z.array(relatedTerm),
  children: z.array(relatedTerm),
});
export const snapshotDetailReply = snapshotReply.extend({ terms: z.array(termReply) });
export const subgraphReply = z.object({
  nodes: z.array(
    z.object({
      id: z.string(),
      go_id: z.string(),
      name: z.string(),
      aspect: z.enum(aspects),
      is_obsolete: z.boolean(),
      is_query: z.boolean(),
      depth: z.int(),
    }),
  ),
  edges: z.array(z.object({ source: z.string(), target: z.string(), relation_type: z.string() })),
  unknown: z.array(z.string()).meta({ description: 'Asked ids that the snapshot does not have' }),
});

export const loadOntologyPayload = z.strictObject({
  obo_url: url,
  timeout_seconds: timeoutSeconds(120),
  force_relationships: z.boolean().default(false).meta({
    description: 'Compare the edges of a snapshot that is already loaded and add those that are missing',
  }),
});

export const snapshotOperations = [
  {
    name: 'load_ontology_snapshot',
    queue: 'svc.jobs',
    light: false,
    payload: loadOntologyPayload,
    description: 'Load a release of the Gene Ontology from an OBO file',
  },
] as const satisfies readonly OperationRow[];

export const snapshotRoutes = routesOf('annotations', {
  list: {
    method: 'GET',
    path: '/annotations/snapshots',
    floor: 'viewer',
    summary: 'Ontology snapshots with term counts per aspect',
    query: snapshotListQuery,
    reply: { 200: z.array(snapshotReply) },
  },
  show: {
    method: 'GET',
    path: '/annotations/snapshots/:id',
    floor: 'viewer',
    summary: 'One snapshot with all its GO terms',
    params: snapshotParams,
    reply: { 200: snapshotDetailReply },
  },
  setIaUrl: {
    method: 'PATCH',
    path: '/annotations/snapshots/:id/ia-url',
    floor: 'operator',
    summary: 'Set the address of the information accretion file',
    params: snapshotParams,
    body: iaUrlBody,
    reply: { 200: snapshotReply },
  },
  load: {
    method: 'POST',
    path: '/annotations/snapshots/load',
    floor: 'operator',
    refuses: [429],
    summary: 'Queue load_ontology_snapshot',
    body: loadOntologyPayload,
    reply: { 202: queuedReply },
  },
  terms: {
    method: 'GET',
    path: '/annotations/snapshots/:id/terms',
    floor: 'viewer',
    summary:
      'GO terms by a part of their name: the exact name first, then names that begin with the text, then the shortest',
    params: snapshotParams,
    query: termSearchQuery,
    reply: { 200: z.array(termReply) },
  },
  term: {
    method: 'GET',
    path: '/annotations/snapshots/:id/terms/:go_id',
    floor: 'viewer',
    summary: 'One GO term with its parents and children',
    params: termParams,
    reply: { 200: termDetailReply },
  },
  subgraph: {
    method: 'GET',
    path: '/annotations/snapshots/:id/subgraph',
    floor: 'viewer',
    summary: 'Ancestor closure of GO terms',
    params: snapshotParams,
    query: subgraphQuery,
    reply: { 200: subgraphReply },
  },
});
