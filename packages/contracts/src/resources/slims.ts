import { z } from 'zod';
import { afterQuery, limitQuery, timeoutSeconds, url } from '../fields.js';
import { type SlimId, uuidOf } from '../ids.js';
import type { OperationRow } from '../operation.js';
import { routesOf } from '../route.js';
import { aspects } from '../vocabulary.js';
import { queuedReply } from './jobs.js';

/** The maximum number of terms, which is more than any slim of the Gene Ontology has. */
export const maxSlimTerms = 5000;

/** The ways in which a term is counted as terms of a slim. */
export const slimMappings = ['direct', 'all'] as const;
export type SlimMappingName = (typeof slimMappings)[number];

/** The query parameters of routes that can give terms of a slim. */
export const slimFields = {
  slim: z.string().trim().min(1).max(100).optional().meta({
    description:
      'Give the terms of this GO slim instead of the predicted ones, as goatools maps them: its name (the one loaded last) or its id. Terms without one in the slim are left out',
  }),
  slim_terms: z.enum(slimMappings).optional().meta({
    description:
      'With slim: direct, the most specific terms of the slim at or above a term; all, every one. Default direct',
  }),
};
export interface SlimChoice {
  slim?: string;
  slim_terms?: SlimMappingName;
}

export const slimParams = z.object({ id: uuidOf<SlimId>() });
export const slimListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });
export const slimReply = z.object({
  id: z.guid(),
  name: z.string(),
  version: z.string().meta({ description: 'data-version of its file' }),
  obo_url: z.string(),
  term_count: z.int(),
  loaded_at: z.string(),
});
export const slimDetailReply = slimReply.extend({
  terms: z.array(z.object({ go_id: z.string(), name: z.string(), aspect: z.enum(aspects) })),
});

export const loadSlimPayload = z.strictObject({
  obo_url: url,
  subset: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,80}$/, 'expected the name of a subset such as goslim_generic')
    .nullable()
    .default(null)
    .meta({
      description:
        'Take the terms of this subset of an ontology file; null: the file is a slim, named by its "ontology:" line',
    }),
  timeout_seconds: timeoutSeconds(120),
});

export const slimOperations = [
  {
    name: 'load_go_slim',
    queue: 'svc.jobs',
    light: false,
    payload: loadSlimPayload,
    description: 'Load a GO slim from an OBO file',
  },
] as const satisfies readonly OperationRow[];

export const slimRoutes = routesOf('annotations', {
  list: {
    method: 'GET',
    path: '/annotations/slims',
    floor: 'viewer',
    summary: 'GO slims that are loaded, the newest first',
    query: slimListQuery,
    reply: { 200: z.array(slimReply) },
  },
  show: {
    method: 'GET',
    path: '/annotations/slims/:id',
    floor: 'viewer',
    summary: 'One GO slim with its terms',
    params: slimParams,
    reply: { 200: slimDetailReply },
  },
  load: {
    method: 'POST',
    path: '/annotations/slims/load',
    floor: 'operator',
    refuses: [429],
    summary: 'Queue load_go_slim',
    body: loadSlimPayload,
    reply: { 202: queuedReply },
  },
  remove: {
    method: 'DELETE',
    path: '/annotations/slims/:id',
    floor: 'operator',
    summary: 'Delete a GO slim',
    params: slimParams,
    reply: { 200: z.object({ deleted: z.guid() }) },
  },
});
