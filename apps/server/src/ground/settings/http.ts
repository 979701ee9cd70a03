import { visibilities } from '@kindred/contracts';
import { z } from 'zod';
import { flag, integer, list } from './schemas.js';
import type { SettingRow, SliceOf } from './setting-row.js';

const mebibyte = 1024 * 1024;

/** The rows set the limits of the API, and name the hosts and proxies that it trusts. */
export const httpSettingRows = {
  allowedHosts: {
    env: 'SVC_ALLOWED_HOSTS',
    yaml: 'server.allowed_hosts',
    schema: list,
    whenUnset: 'the host of SVC_BASE_URL',
    example: 'kindred.lab.example,kindred',
    description:
      'Host names that requests may use, besides localhost and IP addresses; * allows all. Prevents DNS rebinding, by which another web page could reach the service under its own host name. Pages of the named hosts may write (with their port, if it is not the one of the service)',
  },
  trustedProxies: {
    env: 'SVC_TRUSTED_PROXIES',
    yaml: 'server.trusted_proxies',
    schema: list.transform((items) => items ?? []),
    example: '10.0.0.0/8,127.0.0.1',
    description: 'Proxies (CIDR) whose X-Forwarded-For is trusted',
  },
  drainSeconds: {
    env: 'SVC_DRAIN_SECONDS',
    yaml: 'server.drain_seconds',
    schema: integer(0, 300, 5),
    example: '15',
    description:
      'After SIGTERM the API keeps answering for this long while /health/ready says 503, so that a load balancer notices; then it closes. Under kindred serve it closes at once',
  },
  maxUploadBytes: {
    env: 'SVC_MAX_UPLOAD_BYTES',
    yaml: 'limits.max_upload_bytes',
    schema: integer(1024, 2 ** 33, 50 * mebibyte),
    example: '104857600',
    description: 'Maximum size of an uploaded file, packed and unpacked',
  },
  maxReferenceFileBytes: {
    env: 'SVC_MAX_REFERENCE_FILE_BYTES',
    yaml: 'limits.max_reference_file_bytes',
    schema: integer(1024, 2 ** 40, 64 * 1024 * mebibyte),
    example: '10737418240',
    description: 'Maximum size of a file that an operator sends to build a reference, as it is sent',
  },
  maxSequences: {
    env: 'SVC_MAX_SEQUENCES',
    yaml: 'limits.max_sequences',
    schema: integer(1, 10_000_000, 50_000),
    example: '100000',
    description: 'Maximum number of sequences per upload',
  },
  maxResidues: {
    env: 'SVC_MAX_RESIDUES',
    yaml: 'limits.max_residues',
    schema: integer(1, 1_000_000, 40_000),
    example: '5000',
    description: 'Longest uploaded sequence',
  },
  ephemeralTtlHours: {
    env: 'SVC_EPHEMERAL_TTL_HOURS',
    yaml: 'limits.ephemeral_ttl_hours',
    schema: integer(1, 8760, 24),
    example: '72',
    description: 'Hours that unsaved annotations are kept',
  },
  defaultVisibility: {
    env: 'SVC_DEFAULT_VISIBILITY',
    yaml: 'privacy.default_visibility',
    schema: z.enum(visibilities, 'must be link or listed').default('link'),
    example: 'listed',
    description:
      'Who finds uploads, their jobs, predictions and experiment runs in lists when their owner does not say. link: the owner, operators and administrators (anyone who has the id can read them); listed: everyone',
  },
  inBrowser: {
    env: 'SVC_IN_BROWSER',
    yaml: 'privacy.in_browser',
    schema: flag(true),
    example: 'false',
    description:
      'Offer on the first page to annotate in the browser alone, by the sequence network, whose weights (12.6 MB) the service then sends',
  },
  schemaShaV2WriteEnabled: {
    env: 'SVC_SCHEMA_SHA_V2_WRITE_ENABLED',
    yaml: 'rerankers.schema_sha_v2_write_enabled',
    schema: flag(false),
    example: 'true',
    description:
      'Fill schema_sha_v2 of registered re-rankers: the fingerprint of the features that the model itself names',
  },
} as const satisfies Record<string, SettingRow>;
export type HttpSlice = SliceOf<typeof httpSettingRows>;
