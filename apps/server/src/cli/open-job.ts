import type { Client } from '@kindred/client';

/**
 * Finds the job of an earlier call with these tags that has not ended, because a second one would do the same
 * work again.
 */
export async function openJob(
  client: Client,
  operation: string,
  tags: readonly string[],
): Promise<string | null> {
  for (const status of ['RUNNING', 'QUEUED'] as const) {
    const open = await client.get('/jobs', { query: { operation, status, limit: 500 } });
    const same = open.find((job) => tags.every((tag) => job.tags.includes(tag)));
    if (same !== undefined) return same.id;
  }
  return null;
}
