import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { currentRequestId, requestIdAttribute } from '../../telemetry/request-id.js';

/**
 * Runs `work` in a span that continues the trace of a message's headers, for the request that they name.
 * Without a tracing SDK, this costs nothing.
 */
export async function inMessageSpan<T>(
  name: string,
  headers: Record<string, string>,
  attributes: Record<string, string | number>,
  work: () => Promise<T>,
): Promise<T> {
  const parent = propagation.extract(context.active(), headers);
  const requestId = currentRequestId(parent);
  const request = requestId === null ? {} : { [requestIdAttribute]: requestId };
  const options = { kind: SpanKind.CONSUMER, attributes: { ...attributes, ...request } };
  return trace.getTracer('kindred-worker').startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      markFailed(error, span);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs one batch of a job in a span that is found by the job and the batch, whichever way the batch came. */
export function inBatchSpan<T>(
  name: string,
  headers: Record<string, string>,
  { jobId, batchIndex }: { jobId: string; batchIndex: number },
  work: () => Promise<T>,
): Promise<T> {
  return inMessageSpan(name, headers, { 'kindred.job_id': jobId, 'kindred.batch_index': batchIndex }, work);
}

/**
 * Gives the span of a failed job its error, because the job's function reports a failure instead of throwing
 * it.
 */
export function markFailed(error: unknown, span: Span | undefined = trace.getActiveSpan()): void {
  span?.recordException(error instanceof Error ? error : String(error));
  span?.setStatus({ code: SpanStatusCode.ERROR });
}
