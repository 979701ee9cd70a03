import { context, type TextMapGetter, trace } from '@opentelemetry/api';
import type { TelemetrySlice } from '../ground/settings/telemetry.js';
import { installPropagation, traceContext } from './propagation.js';

export type TracingSettings = Omit<TelemetrySlice, 'logLevel'>;

export interface Tracing {
  /** Sends the remaining spans. */
  shutdown(): Promise<void>;
}

/**
 * Sets up trace propagation and, if SVC_OTEL_ENABLED is true, the SDK that records and sends spans. The SDK
 * is loaded only then. `defaultName` is svc-api, or svc-worker-<queue>.
 */
export async function startTracing(settings: TracingSettings, defaultName: string): Promise<Tracing> {
  installPropagation();
  if (!settings.otelEnabled) return { shutdown: async () => {} };
  const { NodeTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler } =
    await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const url = settings.otelEndpoint === null ? undefined : tracesUrl(settings.otelEndpoint);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.otelServiceName ?? defaultName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.otelSampleRatio) }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  // Context and propagation come from us, so they are the same with and without the SDK.
  trace.setGlobalTracerProvider(provider);
  return { shutdown: () => provider.shutdown() };
}

/** The setting names the server; the exporter also needs the path. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}

const headerGetter: TextMapGetter<Record<string, unknown>> = {
  keys: (carrier) => Object.keys(carrier),
  get: (carrier, key) => carrier[key] as string | string[] | undefined,
};

/** Gives the context of the caller's trace, from the headers of a request or message. */
export function contextOf(headers: Record<string, unknown>) {
  return traceContext.extract(context.active(), headers, headerGetter);
}
