import { ProblemError } from '@kindred/contracts';
import type { EncoderConfig } from '../weights/config.js';

/** Returns the memory that this process can still take, in bytes, within the limits of its container. */
export const availableBytes = (): number => process.availableMemory();

/**
 * Returns the memory for the largest run besides the weights: the states of its tokens, and for T5 the table of relative positions and
 * the attention that it is added to, [heads, tokens, tokens] each.
 */
function runBytes({ family, hidden, intermediate, heads }: EncoderConfig, tokens: number): number {
  const states = tokens * (8 * hidden + 3 * intermediate);
  return 4 * (states + (family === 't5' ? 2 * heads * tokens ** 2 : 0));
}

/**
 * Refuses a model that does not fit into the memory of this machine, before it is read.
 * @param tokens maximum number of tokens in a run; with `shared` the weights count once for all threads
 * @throws ProblemError out_of_resources, which says how much memory the model needs
 */
export function ensureFits(
  config: EncoderConfig,
  { weightBytes, tokens, shared }: { weightBytes: number; tokens: number; shared: boolean },
): void {
  const needed = weightBytes + runBytes(config, tokens);
  const available = availableBytes();
  if (needed <= available) return;
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  throw new ProblemError(
    'out_of_resources',
    `it needs ${gigabytes(needed)} of memory (${gigabytes(weightBytes)} for its weights, ${shared ? 'once for all threads' : 'for each compute thread'}) and ${gigabytes(available)} are free on this machine. Take a smaller model, fewer layers or a smaller max_length, lower SVC_COMPUTE_THREADS, or run a worker on a machine with more memory`,
  );
}
