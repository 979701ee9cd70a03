import { createHash } from 'node:crypto';
import { type PayloadOf, ProblemError } from '@kindred/contracts';
import { textOfBytes } from '@kindred/kernels/formats';
import type { OperationContext } from '../work/operation/operation.js';
import { readWhole } from '../work/operation/read-whole.js';

type Payload = PayloadOf<'run_cafa_evaluation'>;

/** The version grows when an equal payload would give other figures. */
const evaluatorVersion = 2;

/**
 * Gives all options, with the values used, that a figure depends on besides the two sets. They identify a
 * result.
 */
export function optionsOf(
  payload: Payload,
  resolved: {
    accretion: Record<string, unknown> | null;
    toi: string[] | null;
    scores: Record<string, unknown>;
  },
): Record<string, unknown> {
  const { prop, norm, no_orphans, th_step, max_terms, max_distance, resamples, seed } = payload;
  const { accretion, toi, scores } = resolved;
  return {
    prop,
    norm,
    no_orphans,
    th_step,
    max_terms,
    max_distance,
    toi: toi && { terms: toi.length, sha256: sha256(toi.join('\n')) },
    ia: accretion ?? { source: 'none' },
    resamples,
    seed: resamples > 0 ? seed : null,
    ...scores,
    evaluator_version: evaluatorVersion,
  };
}

/**
 * Computes the digest of the options as JSON with sorted keys. Addresses are left out, because only the
 * content counts.
 */
export function sha256OfOptions(options: Record<string, unknown>): string {
  const { url: _url, source: _source, ...ia } = options.ia as Record<string, unknown>;
  const accretion = 'sha256' in ia ? { sha256: ia.sha256 } : ia;
  return sha256(sortedJson({ ...options, ia: accretion }));
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Reads the ids, each once, in alphabetical order; null means all terms.
 * @throws ProblemError bad_file naming the line
 */
export async function readTermsOfInterest(
  payload: Pick<Payload, 'toi' | 'toi_file' | 'timeout_seconds'>,
  context: OperationContext,
): Promise<string[] | null> {
  if (payload.toi !== null) return [...new Set(payload.toi)].sort();
  if (payload.toi_file === null) return null;
  const text = textOfBytes(await readWhole(payload.toi_file, payload.timeout_seconds, context));
  const ids = new Set<string>();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const [id] = line.trim().split(/\s+/, 1);
    if (id === '') continue;
    if (/^GO:\d{7}$/.test(id)) ids.add(id);
    // The first line may be a header that names the column.
    else if (i > 0) {
      throw new ProblemError(
        'bad_file',
        `${payload.toi_file}, line ${i + 1}: ${JSON.stringify(id.slice(0, 80))}: expected GO: and seven digits.`,
      );
    }
  }
  if (ids.size === 0) throw new ProblemError('bad_file', `${payload.toi_file} has no term.`);
  return [...ids].sort();
}
