import { z } from 'zod';
import { integer, optionalText, repositories, webAddress } from './schemas.js';
import type { SettingRow } from './setting-row.js';

export const stackSettingRows = {
  stackRepositories: {
    env: 'SVC_STACK_REPOSITORIES',
    yaml: 'stack.repositories',
    schema: repositories,
    example: 'our-lab/kindred=the service,our-lab/kindred-plugins=our plugins',
    description:
      'Repositories that /stack lists instead of those of the file: owner/name, or owner/name=label',
  },
  stackFile: {
    env: 'SVC_STACK_FILE',
    yaml: 'stack.file',
    schema: optionalText,
    example: '/etc/kindred/stack.yaml',
    description:
      'File of the repositories that /stack lists; default: the eight of apps/server/stack.yaml, to be copied and edited',
  },
  stackApiUrl: {
    env: 'SVC_STACK_API_URL',
    yaml: 'stack.api_url',
    schema: webAddress('https://api.github.com'),
    example: 'https://github.lab.example/api/v3',
    description: 'URL of the GitHub API, for open pull requests',
  },
  githubToken: {
    env: 'SVC_GITHUB_TOKEN',
    yaml: 'stack.github_token',
    schema: optionalText,
    example: 'a token',
    description: 'Token for the GitHub API: 5000 requests an hour instead of 60',
    secret: true,
  },
  stackCacheSeconds: {
    env: 'SVC_STACK_CACHE_SECONDS',
    yaml: 'stack.cache_seconds',
    schema: integer(0, 86_400, 300),
    example: '900',
    description: 'How long pull requests are cached',
  },
} as const satisfies Record<string, SettingRow>;

/** The file of SVC_STACK_FILE must have this content. */
export const stackRegistry = z.strictObject({
  repositories: z
    .array(
      z.strictObject({
        slug: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'expected owner/name'),
        role: z.string().trim().min(1).max(300).nullable().default(null),
      }),
    )
    .max(100)
    .refine(
      (list) => new Set(list.map(({ slug }) => slug)).size === list.length,
      'a repository is named twice',
    ),
});
export type StackRepository = z.infer<typeof stackRegistry>['repositories'][number];
