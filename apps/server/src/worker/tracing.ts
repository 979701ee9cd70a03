import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

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
      span.recordException(error as Error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
