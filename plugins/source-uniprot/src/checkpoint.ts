import { ProblemError, z } from '@kindred/contracts';

const checkpoint = z.strictObject({
  /** The address of the next page. */
  address: z.string().min(1),
  page: z.int().min(2),
  retrieved: z.int().min(0),
  release: z.string().nullable(),
});
export type Checkpoint = z.infer<typeof checkpoint>;

/**
 * Reads the checkpoint of a batch. The next page must be on the host of the search. @throws ProblemError
 * validation_failed
 */
export function parseCheckpoint(text: string | null, firstAddress: string): Checkpoint | null {
  if (text === null) return null;
  try {
    const parsed = checkpoint.parse(JSON.parse(text));
    if (new URL(parsed.address).host === new URL(firstAddress).host) return parsed;
  } catch {
    // The error is thrown below, where an address on another host ends, too.
  }
  throw new ProblemError('validation_failed', 'resume is not a checkpoint of this search.');
}
