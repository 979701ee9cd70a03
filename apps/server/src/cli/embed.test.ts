import type { Client } from '@kindred/client';
import { expect, it } from 'vitest';
import { embedReference } from './embed.js';

const [reference, config, job, set] = ['1', '2', '3', '4'].map(
  (n) => `00000000-0000-4000-8000-00000000000${n}`,
);

/**
 * The service has one reference and one configuration, and perhaps an open job; `queued` collects the
 * submitted jobs.
 */
function serviceWith(sequences: number, open: { status: string; tags: string[] } | null) {
  const queued: unknown[] = [];
  const followed: string[] = [];
  const answers: Record<string, (input: { query?: { status?: string } }) => unknown> = {
    '/references/:reference': () => ({ id: reference, name: 'yeast', version: '1', annotation_set_id: set }),
    '/embeddings/configs': () => [{ id: config, model_name: 'esm2', model_backend: 'plm' }],
    '/jobs': ({ query }) =>
      open !== null && query?.status === open.status ? [{ id: job, tags: open.tags }] : [],
  };
  const client = {
    get: async (path: string, input: object) => answers[path](input),
    post: async (_: string, { body }: { body: unknown }) => {
      queued.push(body);
      return { id: 'new' };
    },
    finish: async (id: string) => {
      followed.push(id);
      return { id, result: { sequences } };
    },
  };
  return { client: client as unknown as Client, queued, followed };
}

const own = [`reference ${reference}`, `embedding configuration ${config}`];
const asked = { reference: 'yeast', model: 'esm2', quiet: true };

it('queues the job for the reference and the configuration of the model', async () => {
  const { client, queued, followed } = serviceWith(1234, null);
  expect(await embedReference(client, asked)).toBe(
    `Embedded 1,234 sequences of yeast@1 with esm2.\nAnnotate with them: kindred annotate FILE --annotation-set ${set} --embedding ${config}\n`,
  );
  expect(queued).toEqual([
    {
      operation: 'compute_embeddings',
      queue_name: 'svc.embeddings',
      payload: { embedding_config_id: config, reference_id: reference },
      tags: own,
    },
  ]);
  expect(followed).toEqual(['new']);
});

it.each(['RUNNING', 'QUEUED'])('follows the %s job of an earlier call', async (status) => {
  const { client, queued, followed } = serviceWith(0, { status, tags: ['mine', ...own] });
  expect(await embedReference(client, asked)).toContain('All proteins of yeast@1 had a vector of esm2.');
  expect([queued, followed]).toEqual([[], [job]]);
});

it.each([
  [`embedding configuration ${config}`],
  [`reference ${reference}`, `embedding configuration ${job}`],
])('does not follow a job with the tags %s %s', async (...tags) => {
  const { client, followed } = serviceWith(5, { status: 'RUNNING', tags });
  await embedReference(client, asked);
  expect(followed).toEqual(['new']);
});
