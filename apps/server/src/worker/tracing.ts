import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Runs `work` in a span that continues the trace of a message's headers. Without a tracing SDK it costs nothing. */
export async function inMessageSpan<T>(
  name: string,
  headers: Record<string, string>,
  attributes: Record<string, string | number>,
  work: () => Promise<T>,
): Promise<T> {
  const parent = propagation.extract(context.active(), headers);
  const options = { kind: SpanKind.CONSUMER, attributes };
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

/** Gives the span of a failed job its error, since the job's function reports a failure instead of throwing it. */
export function markFailed(error: unknown, span: Span | undefined = trace.getActiveSpan()): void {
  span?.recordException(error instanceof Error ? error : String(error));
  span?.setStatus({ code: SpanStatusCode.ERROR });
}
