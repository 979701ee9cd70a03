import { stackRoutes } from '@kindred/contracts/resources/stack';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';
import { type Stack, StackPulls } from '../../stack-pulls.js';

const none: Stack = {
  repositories: [],
  apiUrl: '',
  token: null,
  cacheSeconds: 0,
  open: () => Promise.reject(new Error('no repository is configured')),
};
/** Each process keeps one answer, which both mounts of the API share. */
const keepers = new WeakMap<Stack, StackPulls>();

export function serveStack(api: Api, { stack = none }: RouteDeps): void {
  const pulls = keepers.get(stack) ?? new StackPulls(stack);
  keepers.set(stack, pulls);
  serve(api, stackRoutes.show, async () => ({
    repos: stack.repositories.map(({ slug, role }) => ({
      name: slug.slice(slug.indexOf('/') + 1),
      slug,
      role,
      github_url: `https://github.com/${slug}`,
    })),
  }));
  serve(api, stackRoutes.pulls, () => pulls.get());
}
