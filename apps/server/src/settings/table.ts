import { z } from 'zod';

/** One setting: its variable, its place in the settings file, its schema (from text or from a YAML value) and its words. */
export interface SettingRow<T = unknown> {
  env: string;
  yaml: string;
  schema: z.ZodType<T>;
  /** Shown in the reference; the schema applies it. */
  default: string;
  example: string;
  description: string;
  secret?: boolean;
}

const truthy = ['1', 'true', 'yes', 'on'];
const falsy = ['0', 'false', 'no', 'off', ''];
/** The specification's rule: 1, true, yes, on in any case; anything else that is not plainly false is a mistake. */
export const flag = (fallback: boolean) =>
  z
    .union([z.boolean(), z.string()])
    .transform((value, context) => {
      if (typeof value === 'boolean') return value;
      const text = value.trim().toLowerCase();
      if (truthy.includes(text)) return true;
      if (falsy.includes(text)) return false;
      context.addIssue({
        code: 'custom',
        message: 'is neither true (1, true, yes, on) nor false (0, false, no, off)',
      });
      return z.NEVER;
    })
    .default(fallback);
/** Numbers of the environment are texts; a list or a truth value in the file is no number. */
const fromText = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
export const integer = (min: number, max: number, fallback: number) =>
  z.preprocess(fromText, z.int().min(min).max(max).default(fallback));
const text = (fallback: string) => z.string().trim().min(1).default(fallback);
const optionalText = z.string().trim().min(1).nullable().default(null);
const list = z
  .union([z.array(z.string()), z.string()])
  .transform((value) =>
    (typeof value === 'string' ? value.split(',') : value)
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .nullable()
  .default(null);
/** `owner/name` or `owner/name=words`. */
const repositories = list.transform((items, context) => {
  const parts = (items ?? []).map((item) => /^([\w.-]{1,100}\/[\w.-]{1,100})(?:=(.+))?$/.exec(item));
  if (parts.every((part) => part !== null))
    return parts.map(([, slug, role]) => ({ slug, role: role?.trim() ?? null }));
  context.addIssue({ code: 'custom', message: 'is not a list of owner/name or owner/name=words' });
  return z.NEVER;
});
/** Rates such as `10/minute`, joined by `;`. */
export const rateText = z
  .string()
  .regex(
    /^\s*\d+\s*\/\s*(second|minute|hour|day)(\s*;\s*\d+\s*\/\s*(second|minute|hour|day))*\s*$/,
    'is not a rate such as 10/minute or 10/minute;100/day',
  );
const rate = (fallback: string) => rateText.default(fallback);

/** A choice of the given names, in the order in which they are to be shown. */
const chosen = (names: readonly [string, ...string[]]) =>
  list.transform((items, context) => {
    const wrong = items?.find((item, place) => !names.includes(item) || items.indexOf(item) !== place);
    if (wrong === undefined && items?.length !== 0) return items ?? [...names];
    context.addIssue({ code: 'custom', message: `must name some of ${names.join(', ')}, each once` });
    return z.NEVER;
  });
/** `name=words`, joined by commas. */
const labels = list.transform((items, context) => {
  const pairs = (items ?? []).map((item) => /^([^=]+)=(.+)$/.exec(item));
  if (pairs.every((pair) => pair !== null))
    return Object.fromEntries(pairs.map(([, name, words]) => [name.trim(), words.trim()]));
  context.addIssue({ code: 'custom', message: 'is not a list of name=words' });
  return z.NEVER;
});

const mebibyte = 1024 * 1024;

/** Every setting of the service. The order is that of the reference page. */
export const settingRows = {
  dataDir: {
    env: 'SVC_DATA_DIR',
    yaml: 'data.dir',
    schema: text('./data'),
    default: './data',
    example: '/var/lib/kindred',
    description: 'Folder of everything that must last: database, reference banks, logs, secrets',
  },
  importDir: {
    env: 'SVC_IMPORT_DIR',
    yaml: 'data.import_dir',
    schema: optionalText,
    default: '<SVC_DATA_DIR>/import',
    example: '/srv/releases',
    description: 'The only folder that file:// addresses may read from (besides the shipped examples)',
  },
  artifactBackend: {
    env: 'SVC_ARTIFACT_BACKEND',
    yaml: 'artifacts.backend',
    schema: z.enum(['local', 's3'], 'is neither local nor s3').default('local'),
    default: 'local',
    example: 's3',
    description: 'Where datasets, boosters and tables are kept: a local folder, or a bucket of S3',
  },
  artifactDir: {
    env: 'SVC_ARTIFACT_DIR',
    yaml: 'artifacts.dir',
    schema: optionalText,
    default: '<SVC_DATA_DIR>/artifacts',
    example: '/srv/kindred/artifacts',
    description: 'Folder of the artifacts; all processes must see the same one',
  },
  artifactBucket: {
    env: 'SVC_ARTIFACT_BUCKET',
    yaml: 'artifacts.bucket',
    schema: optionalText,
    default: 'none',
    example: 'lab-kindred',
    description: 'Bucket of the artifacts; credentials come from the standard AWS chain',
  },
  artifactPrefix: {
    env: 'SVC_ARTIFACT_PREFIX',
    yaml: 'artifacts.prefix',
    schema: optionalText,
    default: 'none',
    example: 'production',
    description: 'Put before every key in the bucket',
  },
  artifactEndpoint: {
    env: 'SVC_ARTIFACT_ENDPOINT',
    yaml: 'artifacts.endpoint',
    schema: optionalText,
    default: 'that of AWS',
    example: 'https://minio.lab.example:9000',
    description: 'Address of an S3 service that is not AWS; buckets are then part of the path',
  },
  artifactRegion: {
    env: 'SVC_ARTIFACT_REGION',
    yaml: 'artifacts.region',
    schema: optionalText,
    default: 'that of the AWS chain, or us-east-1 with an endpoint',
    example: 'eu-central-1',
    description: 'Region of the bucket',
  },
  loadExamples: {
    env: 'SVC_LOAD_EXAMPLES',
    yaml: 'data.load_examples',
    schema: flag(true),
    default: 'true',
    example: 'false',
    description: 'Load the example set when the service starts on an empty database',
  },
  modelsDir: {
    env: 'SVC_MODELS_DIR',
    yaml: 'models.dir',
    schema: optionalText,
    default: '<SVC_DATA_DIR>/models',
    example: '/srv/models',
    description: 'Folder of protein language models; all workers of a machine read the same files',
  },
  modelHubUrl: {
    env: 'SVC_MODEL_HUB_URL',
    yaml: 'models.hub_url',
    schema: text('https://huggingface.co'),
    default: 'https://huggingface.co',
    example: 'https://hub.lab.example',
    description: 'Where kindred models pull downloads from: Hugging Face or a mirror with the same paths',
  },
  inferenceUrl: {
    env: 'SVC_INFERENCE_URL',
    yaml: 'models.inference_url',
    schema: z
      .url({ protocol: /^https?$/, message: 'is no http:// or https:// address' })
      .nullable()
      .default(null),
    default: 'none',
    example: 'http://triton:8000',
    description:
      'Server of the Open Inference Protocol (KServe, Triton) for backend "inference". It is asked at this address alone; redirects are not followed',
  },
  inferenceToken: {
    env: 'SVC_INFERENCE_TOKEN',
    yaml: 'models.inference_token',
    schema: optionalText,
    default: 'none',
    example: 'a token',
    description: 'Bearer token for the inference server',
    secret: true,
  },
  modelDevice: {
    env: 'SVC_MODEL_DEVICE',
    yaml: 'models.device',
    schema: z.enum(['cpu', 'cuda'], 'is neither cpu nor cuda').default('cpu'),
    default: 'cpu',
    example: 'cuda',
    description: 'Where language models run; cuda needs the CUDA libraries of ONNX Runtime on every worker',
  },
  dbUrl: {
    env: 'SVC_DB_URL',
    yaml: 'database.url',
    schema: optionalText,
    default: 'embedded server',
    example: 'postgresql://kindred:secret@db.lab.example/kindred',
    description: 'PostgreSQL 15 to 18; without it a server from its npm package runs in the data folder',
    secret: true,
  },
  dbConnections: {
    env: 'SVC_DB_CONNECTIONS',
    yaml: 'database.connections',
    schema: integer(2, 200, 12),
    default: '12',
    example: '30',
    description: 'Most connections of one process',
  },
  amqpUrl: {
    env: 'SVC_AMQP_URL',
    yaml: 'queue.amqp_url',
    schema: optionalText,
    default: 'queues in the database',
    example: 'amqp://kindred:secret@mq.lab.example/',
    description: 'RabbitMQ; without it the queues live in PostgreSQL',
    secret: true,
  },
  host: {
    env: 'SVC_HOST',
    yaml: 'server.host',
    schema: text('127.0.0.1'),
    default: '127.0.0.1',
    example: '0.0.0.0',
    description: 'Address that the API listens on',
  },
  port: {
    env: 'SVC_PORT',
    yaml: 'server.port',
    schema: integer(0, 65535, 8000),
    default: '8000',
    example: '8080',
    description: 'Port of the API; 0 takes any free one',
  },
  baseUrl: {
    env: 'SVC_BASE_URL',
    yaml: 'server.base_url',
    schema: optionalText,
    default: 'as requested',
    example: 'https://kindred.lab.example',
    description: 'Address that users see; its origin may write with a session cookie',
  },
  trustedProxies: {
    env: 'SVC_TRUSTED_PROXIES',
    yaml: 'server.trusted_proxies',
    schema: list,
    default: 'none',
    example: '10.0.0.0/8,127.0.0.1',
    description: 'Proxies (CIDR) whose X-Forwarded-For is believed',
  },
  maxUploadBytes: {
    env: 'SVC_MAX_UPLOAD_BYTES',
    yaml: 'limits.max_upload_bytes',
    schema: integer(1024, 2 ** 33, 50 * mebibyte),
    default: '52428800',
    example: '104857600',
    description: 'Largest uploaded file, packed and unpacked',
  },
  maxSequences: {
    env: 'SVC_MAX_SEQUENCES',
    yaml: 'limits.max_sequences',
    schema: integer(1, 10_000_000, 50_000),
    default: '50000',
    example: '100000',
    description: 'Most sequences of one upload',
  },
  maxResidues: {
    env: 'SVC_MAX_RESIDUES',
    yaml: 'limits.max_residues',
    schema: integer(1, 1_000_000, 40_000),
    default: '40000',
    example: '5000',
    description: 'Longest uploaded sequence',
  },
  ephemeralTtlHours: {
    env: 'SVC_EPHEMERAL_TTL_HOURS',
    yaml: 'limits.ephemeral_ttl_hours',
    schema: integer(1, 8760, 24),
    default: '24',
    example: '72',
    description: 'Hours that unsaved annotations are kept',
  },
  stackRepositories: {
    env: 'SVC_STACK_REPOSITORIES',
    yaml: 'stack.repositories',
    schema: repositories,
    default: 'none',
    example: 'our-lab/kindred=the service,our-lab/kindred-plugins=our plugins',
    description: 'Repositories that /stack lists: owner/name, or owner/name=what it is for',
  },
  stackApiUrl: {
    env: 'SVC_STACK_API_URL',
    yaml: 'stack.api_url',
    schema: z
      .url({ protocol: /^https?$/, message: 'is no http:// or https:// address' })
      .default('https://api.github.com'),
    default: 'https://api.github.com',
    example: 'https://github.lab.example/api/v3',
    description: 'GitHub API that is asked for open pull requests',
  },
  githubToken: {
    env: 'SVC_GITHUB_TOKEN',
    yaml: 'stack.github_token',
    schema: optionalText,
    default: 'none',
    example: 'a token',
    description: 'Token for that API: 5000 requests an hour instead of 60',
    secret: true,
  },
  stackCacheSeconds: {
    env: 'SVC_STACK_CACHE_SECONDS',
    yaml: 'stack.cache_seconds',
    schema: integer(0, 86_400, 300),
    default: '300',
    example: '900',
    description: 'How long pull requests are kept before upstream is asked again',
  },
  interproscanCommand: {
    env: 'SVC_INTERPROSCAN_COMMAND',
    yaml: 'sources.interproscan_command',
    schema: optionalText,
    default: 'none',
    example: '/opt/interproscan/interproscan.sh',
    description:
      'InterProScan of this machine, for run_interproscan_batch. It gets the usual PATH and no other variable; let a script set what it needs',
  },
  interproscanUrl: {
    env: 'SVC_INTERPROSCAN_URL',
    yaml: 'sources.interproscan_url',
    schema: text('https://www.ebi.ac.uk/Tools/services/rest/iprscan5'),
    default: 'https://www.ebi.ac.uk/Tools/services/rest/iprscan5',
    example: 'https://iprscan.lab.example/rest/iprscan5',
    description: 'InterProScan job service of EBI, or one that speaks as it does',
  },
  interproscanEmail: {
    env: 'SVC_INTERPROSCAN_EMAIL',
    yaml: 'sources.interproscan_email',
    schema: optionalText,
    default: 'none',
    example: 'lab@example.org',
    description: 'E-mail address that the InterProScan job service asks for',
  },
  benchmarkCategories: {
    env: 'SVC_BENCHMARK_CATEGORIES',
    yaml: 'benchmark.categories',
    schema: chosen(['NK', 'LK', 'PK']),
    default: 'NK,LK,PK',
    example: 'NK,LK',
    description: 'Categories that /benchmark and /showcase show, in order',
  },
  benchmarkAspects: {
    env: 'SVC_BENCHMARK_ASPECTS',
    yaml: 'benchmark.aspects',
    schema: chosen(['BPO', 'MFO', 'CCO']),
    default: 'BPO,MFO,CCO',
    example: 'MFO,BPO,CCO',
    description: 'Aspects that they show, in order',
  },
  benchmarkStageLabels: {
    env: 'SVC_BENCHMARK_STAGE_LABELS',
    yaml: 'benchmark.stage_labels',
    schema: labels,
    default: 'the name of the stage in words',
    example: 'reranker=Our model,naive=Term frequency',
    description: 'Words for stages (names of scoring configurations, reranker, methods)',
  },
  benchmarkBaseline: {
    env: 'SVC_BENCHMARK_BASELINE',
    yaml: 'benchmark.baseline',
    schema: text('sequence_similarity'),
    default: 'sequence_similarity',
    example: 'embedding_only',
    description: 'Stage that is tagged as the baseline',
  },
  benchmarkCacheSeconds: {
    env: 'SVC_BENCHMARK_CACHE_SECONDS',
    yaml: 'benchmark.cache_seconds',
    schema: integer(0, 86_400, 300),
    default: '300',
    example: '60',
    description: 'How long the answers are kept; a new result ends that at once',
  },
  fetchAllowedHosts: {
    env: 'SVC_FETCH_ALLOWED_HOSTS',
    yaml: 'sources.allowed_hosts',
    schema: list,
    default: 'the public hosts of GO, EBI, UniProt and NCBI',
    example: 'ftp.ebi.ac.uk,mirror.lab.example:8080',
    description: 'Hosts that the service may fetch from; a private address must be listed by name',
  },
  authnRequired: {
    env: 'SVC_AUTHN_REQUIRED',
    yaml: 'auth.required',
    schema: flag(true),
    default: 'true',
    example: 'false',
    description: 'false lets every request pass as admin: for development on a closed machine only',
  },
  jwtSecret: {
    env: 'SVC_JWT_SECRET',
    yaml: 'auth.jwt_secret',
    schema: z.string().min(32, 'must have 32 characters or more').nullable().default(null),
    default: 'made at the first start and kept in the data folder',
    example: '(32 random bytes in base64)',
    description: 'Signs session and access tokens; all API processes need the same',
    secret: true,
  },
  passwordMinLength: {
    env: 'SVC_PASSWORD_MIN_LENGTH',
    yaml: 'auth.password_min_length',
    schema: integer(8, 256, 8),
    default: '8',
    example: '12',
    description: 'Shortest password',
  },
  bootstrapAdminEmail: {
    env: 'SVC_BOOTSTRAP_ADMIN_EMAIL',
    yaml: 'auth.bootstrap_admin_email',
    schema: optionalText,
    default: 'admin@kindred.local with the embedded database',
    example: 'ann@lab.example',
    description: 'Becomes administrator at the first start when there is none',
  },
  bootstrapAdminPassword: {
    env: 'SVC_BOOTSTRAP_ADMIN_PASSWORD',
    yaml: 'auth.bootstrap_admin_password',
    schema: optionalText,
    default: 'made and printed once',
    example: '(a good one)',
    description: 'Password of that administrator',
    secret: true,
  },
  rateJobs: {
    env: 'SVC_RATELIMIT_JOBS',
    yaml: 'auth.rate_limits.jobs',
    schema: rate('10/minute'),
    default: '10/minute',
    example: '100/minute',
    description: 'POST /jobs',
  },
  rateDatasets: {
    env: 'SVC_RATELIMIT_DATASETS',
    yaml: 'auth.rate_limits.datasets',
    schema: rate('5/minute'),
    default: '5/minute',
    example: '20/minute',
    description: 'POST /datasets and /datasets/import-by-reference',
  },
  rateImports: {
    env: 'SVC_RATELIMIT_IMPORTS',
    yaml: 'auth.rate_limits.imports',
    schema: rate('5/minute'),
    default: '5/minute',
    example: '20/minute',
    description: 'POST /reranker-models/import and /reranker-models/import-by-reference',
  },
  rateApiKeys: {
    env: 'SVC_RATELIMIT_API_KEYS',
    yaml: 'auth.rate_limits.api_keys',
    schema: rate('5/hour'),
    default: '5/hour',
    example: '20/hour',
    description: 'POST /auth/api-keys',
  },
  rateApiKeyLogin: {
    env: 'SVC_RATELIMIT_API_KEY_LOGIN',
    yaml: 'auth.rate_limits.api_key_login',
    schema: rate('5/hour'),
    default: '5/hour',
    example: '60/hour',
    description: 'POST /auth/api-key-login',
  },
  rateSignup: {
    env: 'SVC_RATELIMIT_SIGNUP',
    yaml: 'auth.rate_limits.signup',
    schema: rate('5/hour'),
    default: '5/hour',
    example: '20/hour',
    description: 'POST /auth/signup',
  },
  rateLogin: {
    env: 'SVC_RATELIMIT_LOGIN',
    yaml: 'auth.rate_limits.login',
    schema: rate('30/minute'),
    default: '30/minute',
    example: '10/minute',
    description: 'POST /auth/login',
  },
  rateSupport: {
    env: 'SVC_RATELIMIT_SUPPORT',
    yaml: 'auth.rate_limits.support',
    schema: rate('5/hour'),
    default: '5/hour',
    example: '20/hour',
    description: 'POST /support',
  },
  smtpHost: {
    env: 'SVC_SMTP_HOST',
    yaml: 'mail.smtp_host',
    schema: optionalText,
    default: 'no mail',
    example: 'smtp.lab.example',
    description:
      'Mail server for login links and new passwords; needs SVC_SMTP_FROM, and SVC_BASE_URL for the links',
  },
  smtpPort: {
    env: 'SVC_SMTP_PORT',
    yaml: 'mail.smtp_port',
    schema: integer(1, 65535, 587),
    default: '587',
    example: '465',
    description: 'Port of the mail server',
  },
  smtpUser: {
    env: 'SVC_SMTP_USER',
    yaml: 'mail.smtp_user',
    schema: optionalText,
    default: 'none',
    example: 'kindred',
    description: 'Account at the mail server',
  },
  smtpPassword: {
    env: 'SVC_SMTP_PASSWORD',
    yaml: 'mail.smtp_password',
    schema: optionalText,
    default: 'none',
    example: '(its password)',
    description: 'Password of that account',
    secret: true,
  },
  smtpFrom: {
    env: 'SVC_SMTP_FROM',
    yaml: 'mail.smtp_from',
    schema: optionalText,
    default: 'none',
    example: 'Kindred <kindred@lab.example>',
    description: 'Sender of the mails',
  },
  smtpSecure: {
    env: 'SVC_SMTP_SECURE',
    yaml: 'mail.smtp_secure',
    schema: z.enum(['starttls', 'tls', 'none'], 'is neither starttls nor tls nor none').default('starttls'),
    default: 'starttls',
    example: 'tls',
    description: 'Encryption: starttls (required, not just tried), tls from the first byte, or none',
  },
  workerProcesses: {
    env: 'SVC_WORKER_PROCESSES',
    yaml: 'worker.processes',
    schema: integer(1, 64, 1),
    default: '1',
    example: '2',
    description: 'Worker processes that serve starts',
  },
  workerConcurrency: {
    env: 'SVC_WORKER_CONCURRENCY',
    yaml: 'worker.concurrency',
    schema: integer(1, 64, 2),
    default: '2',
    example: '8',
    description: 'Deliveries of each queue that a worker has in work at once',
  },
  computeThreads: {
    env: 'SVC_COMPUTE_THREADS',
    yaml: 'worker.compute_threads',
    schema: integer(0, 256, 0),
    default: 'one per core',
    example: '4',
    description: 'Threads for numeric work in each worker; 0 is one per core',
  },
  leaseSeconds: {
    env: 'SVC_LEASE_SECONDS',
    yaml: 'worker.lease_seconds',
    schema: integer(2, 3600, 120),
    default: '120',
    example: '60',
    description: 'A job of a worker that is silent for so long is given to another',
  },
  jobDeadlineHours: {
    env: 'SVC_JOB_DEADLINE_HOURS',
    yaml: 'worker.job_deadline_hours',
    schema: integer(1, 8760, 168),
    default: '168',
    example: '24',
    description: 'A job that is not finished so many hours after it was submitted fails',
  },
  sweepPeriodMs: {
    env: 'SVC_SWEEP_PERIOD_MS',
    yaml: 'worker.sweep_period_ms',
    schema: integer(100, 600_000, 5000),
    default: '5000',
    example: '1000',
    description: 'How often lost and expired work is looked for',
  },
  jsonbWrite: {
    env: 'SVC_GO_PREDICTION_JSONB_WRITE_ENABLED',
    yaml: 'predictions.jsonb_write_enabled',
    schema: flag(false),
    default: 'false',
    example: 'true',
    description: 'Fill go_prediction.predictions_jsonb too',
  },
  schemaShaV2Write: {
    env: 'SVC_SCHEMA_SHA_V2_WRITE_ENABLED',
    yaml: 'rerankers.schema_sha_v2_write_enabled',
    schema: flag(false),
    default: 'false',
    example: 'true',
    description:
      'Fill schema_sha_v2 of registered re-rankers: the fingerprint of the features that the model itself names',
  },
  logLevel: {
    env: 'SVC_LOG_LEVEL',
    yaml: 'log.level',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    default: 'info',
    example: 'warn',
    description: 'Least level that is logged, as JSON lines',
  },
  otelEnabled: {
    env: 'SVC_OTEL_ENABLED',
    yaml: 'otel.enabled',
    schema: flag(false),
    default: 'false',
    example: 'true',
    description: 'Send traces',
  },
  otelEndpoint: {
    env: 'SVC_OTEL_ENDPOINT',
    yaml: 'otel.endpoint',
    schema: optionalText,
    default: "the exporter's own",
    example: 'http://localhost:4318',
    description: 'OTLP over HTTP',
  },
  otelServiceName: {
    env: 'SVC_OTEL_SERVICE_NAME',
    yaml: 'otel.service_name',
    schema: optionalText,
    default: 'svc-api, svc-worker-<queue>',
    example: 'kindred-api',
    description: 'Name in traces',
  },
  otelSampleRatio: {
    env: 'SVC_OTEL_SAMPLE_RATIO',
    yaml: 'otel.sample_ratio',
    schema: z.preprocess(fromText, z.number().min(0).max(1).default(1)),
    default: '1.0',
    example: '0.1',
    description: 'Share of traces that is kept, 0.0 to 1.0',
  },
  clientUrl: {
    env: 'SVC_URL',
    yaml: 'client.url',
    schema: optionalText,
    default: 'the service of this data folder',
    example: 'https://kindred.lab.example',
    description: 'Service that the command line uses',
  },
  clientApiKey: {
    env: 'SVC_API_KEY',
    yaml: 'client.api_key',
    schema: optionalText,
    default: "the data folder's own key",
    example: '(43 characters)',
    description: 'Credential of the command line',
    secret: true,
  },
} as const satisfies Record<string, SettingRow>;

export type SettingName = keyof typeof settingRows;
export type RawSettings = { [Name in SettingName]: z.output<(typeof settingRows)[Name]['schema']> };
