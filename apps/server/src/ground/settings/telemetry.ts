import { z } from 'zod';
import { flag, fromText, optionalText } from './schemas.js';
import type { SettingRow, SliceOf } from './setting-row.js';

export const telemetrySettingRows = {
  logLevel: {
    env: 'SVC_LOG_LEVEL',
    yaml: 'log.level',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    example: 'warn',
    description: 'Minimum level of log entries (JSON lines)',
  },
  otelEnabled: {
    env: 'SVC_OTEL_ENABLED',
    yaml: 'otel.enabled',
    schema: flag(false),
    example: 'true',
    description: 'Send traces',
  },
  otelEndpoint: {
    env: 'SVC_OTEL_ENDPOINT',
    yaml: 'otel.endpoint',
    schema: optionalText,
    whenUnset: "the exporter's own",
    example: 'http://localhost:4318',
    description: 'OTLP over HTTP',
  },
  otelServiceName: {
    env: 'SVC_OTEL_SERVICE_NAME',
    yaml: 'otel.service_name',
    schema: optionalText,
    whenUnset: 'svc-api, svc-worker-<queue>',
    example: 'kindred-api',
    description: 'Name in traces',
  },
  otelSampleRatio: {
    env: 'SVC_OTEL_SAMPLE_RATIO',
    yaml: 'otel.sample_ratio',
    schema: z.preprocess(fromText, z.number().min(0).max(1).default(1)),
    example: '0.1',
    description: 'Fraction of traces to keep, 0.0 to 1.0',
  },
} as const satisfies Record<string, SettingRow>;
export type TelemetrySlice = SliceOf<typeof telemetrySettingRows>;
