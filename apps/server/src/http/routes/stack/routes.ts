import { noQuery } from '@kindred/contracts/fields';
import { pullsReply, stackReply } from '@kindred/contracts/resources/stack';
import type { Api, RouteDeps } from '../../deps.js';
import { type Stack, StackPulls } from './pulls.js';

const none: Stack = {
  repositories: [],
  apiUrl: '',
  token: null,
  cacheSeconds: 0,
  open: () => Promise.reject(new Error('no repository is configured')),
};
/** Each kept answer belongs to one process: both mounts of the API share it. */
const keepers = new WeakMap<Stack, StackPulls>();

export function stackRoutes(api: Api, { stack = none }: RouteDeps): void {
  const pulls = keepers.get(stack) ?? new StackPulls(stack);
  keepers.set(stack, pulls);
  api.get('/stack', { schema: { querystring: noQuery, response: { 200: stackReply } } }, async () => ({
    repos: stack.repositories.map(({ slug, role }) => ({
      name: slug.slice(slug.indexOf('/') + 1),
      slug,
      role,
      github_url: `https://github.com/${slug}`,
    })),
  }));
  api.get('/stack/pulls', { schema: { querystring: noQuery, response: { 200: pullsReply } } }, () =>
    pulls.get(),
  );
}
