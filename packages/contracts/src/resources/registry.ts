import { z } from 'zod';
import { routesOf } from '../route.js';

export const pluginReply = z.object({
  name: z.string(),
  package: z.string(),
  state: z.enum(['available', 'unavailable']),
  reason: z.string().nullable().meta({ description: 'Why it is unavailable' }),
  version: z.string().nullable(),
  description: z.string().nullable(),
  citations: z.array(z.string()),
  parameters: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'JSON Schema of its parameters' }),
});

export const registryRoutes = routesOf('registry', {
  backends: {
    method: 'GET',
    path: '/backends',
    floor: 'viewer',
    summary: 'Installed embedding backends',
    reply: { 200: z.array(pluginReply) },
  },
  sources: {
    method: 'GET',
    path: '/sources',
    floor: 'viewer',
    summary: 'Installed annotation sources',
    reply: { 200: z.array(pluginReply) },
  },
  runners: {
    method: 'GET',
    path: '/runners',
    floor: 'viewer',
    summary: 'Installed experiment runners',
    reply: { 200: z.array(pluginReply) },
  },
});
