import { type SourceContext, z } from '@kindred/contracts';
import { wholeBytes } from '@kindred/kernels/formats';
import type { QuickGoParameters } from './parameters.js';

const maxBytes = 65_536;
const about = z.object({ annotation: z.object({ timestamp: z.string().trim().min(1).max(100) }) });

/**
 * Returns the date of QuickGO's current annotations, from the `about` page next to its downloads. A mirror may have none; then the
 * release is unknown (null, with a warning) and cannot be checked.
 */
export async function currentRelease(
  { quickgo_base_url, timeout_seconds }: QuickGoParameters,
  context: SourceContext,
): Promise<string | null> {
  const address = new URL('about', quickgo_base_url);
  if (address.protocol === 'file:') return null;
  try {
    const stream = await context.openStream(address.href, {
      headers: { accept: 'application/json' },
      timeoutMs: 1000 * timeout_seconds,
    });
    const bytes = await wholeBytes(
      stream.bytes,
      maxBytes,
      () => new Error(`the answer has more than ${maxBytes} bytes`),
    );
    return about.parse(JSON.parse(bytes.toString('utf8'))).annotation.timestamp;
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    await context.emit('release_unknown', { url: address.href, reason }, 'warning');
    return null;
  }
}
