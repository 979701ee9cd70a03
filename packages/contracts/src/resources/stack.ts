import { z } from 'zod';
import { routesOf } from '../route.js';

export const stackReply = z.object({
  repos: z.array(
    z.object({
      name: z.string(),
      slug: z.string().meta({ description: 'owner/name' }),
      role: z.string().nullable(),
      github_url: z.string(),
    }),
  ),
});
export const pullsReply = z.object({
  fetched_at: z.string(),
  cached: z
    .boolean()
    .meta({ description: 'Not fetched for this request: recent enough, or the host does not answer' }),
  repos_queried: z.int(),
  pulls: z.array(
    z.object({
      repository: z.string(),
      number: z.int(),
      title: z.string(),
      author: z.string().nullable(),
      url: z.string(),
      draft: z.boolean(),
      created_at: z.string(),
      updated_at: z.string(),
    }),
  ),
  rate_limit_remaining: z.int().nullable(),
  errors: z.record(z.string(), z.string()).meta({ description: 'Repository to what went wrong with it' }),
});

export const stackRoutes = routesOf('registry', {
  show: {
    method: 'GET',
    path: '/stack',
    floor: 'viewer',
    summary: 'Repositories that the service is made from',
    reply: { 200: stackReply },
  },
  pulls: {
    method: 'GET',
    path: '/stack/pulls',
    floor: 'viewer',
    summary: 'Their open pull requests',
    reply: { 200: pullsReply },
  },
});
