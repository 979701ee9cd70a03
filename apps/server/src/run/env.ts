import { randomBytes } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyRoute } from '@kindred/contracts/routes';
import {
  type AccountSettings,
  defaultQuotas,
  type InstitutionSettings,
  type MailSettings,
} from '../accounts/settings.js';
import type { PluginInputs } from '../ground/settings/plugin-inputs.js';
import type { ArtifactSettings } from '../ground/settings/artifacts.js';
import type { BenchmarkSettings } from '../ground/settings/benchmark.js';
import type { HttpSlice } from '../ground/settings/http.js';
import {
  type QuotaSettings,
  quotasSchema,
  roleRateNames,
  rolesWithRates,
} from '../ground/settings/quotas.js';
import { readSlice, type SettingInputs, SettingsError, unknownKeys } from '../ground/settings/setting-row.js';
import { makePrivate } from '../ground/settings/private-folder.js';
import { settingAreas, settingRows, type SettingValues } from '../ground/settings/table.js';
import { type StackRepository, stackRegistry } from '../ground/settings/stack.js';
import type { RetentionSlice } from '../ground/settings/retention.js';
import type { WorkerSlice } from '../ground/settings/worker.js';

export { SettingsError };

/** The settings of these areas appear flat in the result, because most readers use the whole area. */
type FlatSettings = Omit<
  SettingValues['data'] &
    SettingValues['database'] &
    SettingValues['server'] &
    SettingValues['stack'] &
    SettingValues['sources'] &
    SettingValues['predictions'] &
    SettingValues['telemetry'] &
    HttpSlice &
    WorkerSlice,
  'importDir' | 'stackRepositories'
>;

export interface Settings extends FlatSettings {
  /** /stack lists these repositories; null where the operator names none (`shippedStack`). */
  stackRepositories: StackRepository[] | null;
  importDir: string;
  /** Plugins own their settings, and get these inputs. */
  plugins: PluginInputs;
  http: HttpSlice;
  benchmark: BenchmarkSettings;
  artifacts: ArtifactSettings;
  accounts: AccountSettings;
  /** Institutions whose people may sign in, and the address of the page, to which they send browsers back; null for none. */
  institutions: { listed: readonly InstitutionSettings[]; baseUrl: string } | null;
  /** SVC_BASE_URL ends with this path, without a slash at its end; empty at the root of a host. */
  basePath: string;
  /** Mail is sent by these settings; null if SVC_SMTP_HOST is not set. */
  mail: MailSettings | null;
  bootstrap: { email: string | null; password: string | null };
  worker: WorkerSlice;
  retention: RetentionSlice;
  client: { url: string | null; apiKey: string | null };
  /** The operator sees these warnings at every start. */
  warnings: readonly string[];
}

/**
 * Reads the settings: environment first, then the settings file (SVC_CONFIG, else system.yaml in the data
 * folder), then defaults. No other code reads either. `overrides` are command-line options and win over the
 * environment.
 * @throws SettingsError
 */
export function loadSettings(
  overrides: Record<string, string> = {},
  environment: NodeJS.ProcessEnv = process.env,
): Settings {
  const env = { ...environment, ...overrides };
  const dataDir = resolve(env.SVC_DATA_DIR ?? './data');
  const file = readFile(env.SVC_CONFIG, join(dataDir, 'system.yaml'));
  const inputs: SettingInputs = { variables: env, fileValues: file.values, filePath: file.path };
  const areas = Object.fromEntries(
    Object.entries(settingAreas).map(([area, rows]) => [area, readSlice(rows, inputs)]),
  ) as SettingValues;
  areas.data.dataDir = resolve(areas.data.dataDir);
  const { data, database, server, stack, sources, predictions, telemetry, http, worker } = areas;
  return {
    ...{ ...data, ...database, ...server, ...stack, ...sources, ...telemetry, ...http, ...worker },
    stackRepositories: givenStack(stack),
    importDir: data.importDir === null ? join(data.dataDir, 'import') : resolve(data.importDir),
    jsonbWrite: predictions.jsonbWrite,
    anc2vecFile: predictions.anc2vecFile === null ? null : resolve(predictions.anc2vecFile),
    plugins: pluginInputs(data.dataDir, inputs),
    http,
    benchmark: areas.benchmark,
    artifacts: artifactSettings(areas),
    accounts: accountSettings(areas, readQuotas(file)),
    institutions: institutionSettings(areas),
    basePath: basePathOf(areas),
    mail: mailSettings(areas),
    bootstrap: { email: areas.accounts.bootstrapAdminEmail, password: areas.accounts.bootstrapAdminPassword },
    worker,
    retention: areas.retention,
    client: { url: areas.client.clientUrl, apiKey: areas.client.clientApiKey },
    warnings: openAccess(areas),
  };
}

/** Gives the environment of this process without settings, for a service of ours that runs on defaults. */
export function environmentWithoutSettings(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('SVC_')));
}

interface SettingsFile {
  path: string;
  /** Each leaf of the YAML tree is found by its dotted path. */
  values: Record<string, unknown>;
}

function readFile(named: string | undefined, defaultPath: string): SettingsFile {
  const path = named ?? defaultPath;
  if (!existsSync(path)) {
    if (named !== undefined) throw new SettingsError(`SVC_CONFIG names ${named}, but there is no such file.`);
    return { path, values: {} };
  }
  try {
    return { path, values: Object.fromEntries(leavesOf(parseYaml(readFileSync(path, 'utf8')) ?? {})) };
  } catch (cause) {
    throw new SettingsError(`The settings file ${path} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** The package is loaded where there is a file to read, because it takes longer than the rest of the settings. */
function parseYaml(text: string): unknown {
  const require = createRequire(import.meta.url);
  const { parse } = require('yaml') as typeof import('yaml');
  return parse(text);
}

function givenStack({ stackRepositories, stackFile }: SettingValues['stack']): StackRepository[] | null {
  if (stackRepositories.length > 0) return stackRepositories;
  return stackFile === null ? null : readStack(resolve(stackFile));
}

/** Reads the repositories that are shipped. Only the API needs them, so other processes do not read them. */
export const shippedStack = () => readStack(fileURLToPath(new URL('../../stack.yaml', import.meta.url)));

/** @throws SettingsError */
function readStack(path: string): StackRepository[] {
  try {
    const parsed = stackRegistry.safeParse(parseYaml(readFileSync(path, 'utf8')));
    if (parsed.success) return parsed.data.repositories;
    const [issue] = parsed.error.issues;
    throw new Error(`${issue.path.join('.') || 'the file'}: ${issue.message}`);
  } catch (cause) {
    throw new SettingsError(
      `SVC_STACK_FILE: ${path} cannot be used: ${(cause as Error).message}. Example: apps/server/stack.yaml`,
      { cause },
    );
  }
}

function leavesOf(value: unknown, path = ''): Map<string, unknown> {
  if (path === quotasKey || typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[path, value]]);
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [
      ...leavesOf(inner, path === '' ? key : `${path}.${key}`),
    ]),
  );
}

function readQuotas(file: SettingsFile): QuotaSettings {
  const given = file.values[quotasKey];
  const parsed = quotasSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new SettingsError(
    `auth.quotas${issue.path.map((part) => `.${String(part)}`).join('')} in ${file.path}: ${issue.message}. Example: researcher: {sequences_per_day: 5000, jobs_per_day: unlimited}`,
  );
}

/**
 * Refuses open access that other machines could reach, because without credentials, anyone who reaches the
 * port is administrator.
 *
 * @throws SettingsError
 */
function openAccess({ accounts: { authnRequired }, server: { host } }: SettingValues): string[] {
  if (authnRequired) return [];
  const isLoopback = host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
  if (!isLoopback)
    throw new SettingsError(
      `SVC_AUTHN_REQUIRED=false makes everyone administrator, so SVC_HOST must be a loopback address, not ${JSON.stringify(host)}. Example: 127.0.0.1`,
    );
  return [
    'SVC_AUTHN_REQUIRED=false: every request from this machine passes as administrator, without a credential. For development only.',
  ];
}

type FirstSegment<Path extends string> = Path extends `/${infer First}/${string}`
  ? First
  : Path extends `/${infer Only}`
    ? Only
    : never;
/** The compiler refuses a missing name and one too many. The routes are not imported, because every command reads settings. */
const routeSegments: Record<FirstSegment<AnyRoute['path']>, true> = {
  admin: true,
  annotate: true,
  annotations: true,
  auth: true,
  backends: true,
  benchmark: true,
  datasets: true,
  dependents: true,
  embeddings: true,
  'experiment-runs': true,
  jobs: true,
  maintenance: true,
  metrics: true,
  proteins: true,
  'query-sets': true,
  references: true,
  'reranker-models': true,
  runners: true,
  scoring: true,
  showcase: true,
  sources: true,
  stack: true,
  support: true,
  users: true,
  webhooks: true,
  workers: true,
};
/**
 * The paths of the service itself begin with these parts. Below one of them, the service could not tell its
 * own path from a path that a proxy passes on.
 */
const ownSegments = new Set([
  ...Object.keys(routeSegments),
  ...['v1', 'docs', 'health', 'problems', 'assets', 'openapi.json'],
]);

/**
 * The path becomes part of addresses, of a page and of the path of a cookie as it is.
 * @throws SettingsError
 */
function basePathOf({ server: { baseUrl } }: SettingValues): string {
  if (baseUrl === null) return '';
  const { origin, pathname, search, hash } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '');
  const refusal = (words: string) =>
    new SettingsError(`SVC_BASE_URL: ${JSON.stringify(baseUrl)} ${words}. Example: ${origin}/kindred`);
  if (search !== '' || hash !== '') throw refusal('must end with its path');
  if (!/^(\/[\w.~-]+)*$/.test(path))
    throw refusal('may have letters, digits and . _ ~ - between the slashes of its path');
  if (ownSegments.has(path.split('/')[1]))
    throw refusal(`begins with a path that the service itself has, /${path.split('/')[1]}`);
  return path;
}

const quotasKey = 'auth.quotas';
const ourKeys = new Set<string>([quotasKey, ...settingRows.map((row) => row.yaml)]);
const ourVariables = new Set<string>(settingRows.map((row) => row.env));
const sectionOf = (key: string) => key.split('.', 1)[0];
const ourSections = new Set([...ourKeys].map(sectionOf));

/**
 * Collects variables and keys that the service itself does not know. Unknown keys in the service's own
 * sections are refused here; `checkPluginSettings` checks the others.
 * @throws SettingsError
 */
function pluginInputs(dataDir: string, { variables, fileValues, filePath }: SettingInputs): PluginInputs {
  const unclaimed = Object.entries(fileValues).filter(([key]) => key !== '' && !ourKeys.has(key));
  const unknown = unclaimed.map(([key]) => key).filter((key) => ourSections.has(sectionOf(key)));
  if (unknown.length > 0) throw unknownKeys(filePath, unknown);
  const names = Object.keys(variables).filter((name) => name.startsWith('SVC_') && !ourVariables.has(name));
  return {
    dataDir,
    variables: Object.fromEntries(names.map((name) => [name, variables[name]])),
    fileValues: Object.fromEntries(unclaimed),
    filePath,
  };
}

function artifactSettings({ artifacts: raw, data }: SettingValues): ArtifactSettings {
  const { artifactBucket: bucket, artifactEndpoint: endpoint, artifactPrefix: prefix } = raw;
  if (raw.artifactBackend === 'local') {
    if (bucket !== null || endpoint !== null || prefix !== null || raw.artifactRegion !== null)
      throw new SettingsError(
        'SVC_ARTIFACT_BUCKET, _PREFIX, _ENDPOINT and _REGION need SVC_ARTIFACT_BACKEND=s3.',
      );
    const folder = raw.artifactDir === null ? join(data.dataDir, 'artifacts') : resolve(raw.artifactDir);
    return { backend: 'local', folder };
  }
  if (bucket === null)
    throw new SettingsError(
      'SVC_ARTIFACT_BACKEND=s3 needs SVC_ARTIFACT_BUCKET. Example: SVC_ARTIFACT_BUCKET=lab-kindred',
    );
  if (endpoint !== null && !/^https?:\/\/[^/]/.test(endpoint))
    throw new SettingsError(
      `SVC_ARTIFACT_ENDPOINT: ${JSON.stringify(endpoint)} must be an http(s) URL. Example: https://minio.lab.example:9000`,
    );
  return { backend: 's3', bucket, prefix: prefix ?? '', endpoint, region: raw.artifactRegion };
}

function mailSettings({ mail: raw, server: { baseUrl } }: SettingValues): MailSettings | null {
  const { smtpHost: host, smtpFrom: from, smtpUser: user, smtpPassword: password } = raw;
  if (host === null) {
    if (user === null && password === null && from === null) return null;
    throw new SettingsError(
      'SVC_SMTP_* is set without SVC_SMTP_HOST. Example: SVC_SMTP_HOST=smtp.lab.example',
    );
  }
  if (from === null)
    throw new SettingsError(
      'SVC_SMTP_HOST needs SVC_SMTP_FROM, the sender. Example: Kindred <kindred@lab.example>',
    );
  if (baseUrl === null || !URL.canParse(baseUrl))
    throw new SettingsError(
      'SVC_SMTP_HOST needs SVC_BASE_URL, the address in the links of mails. Example: https://kindred.lab.example',
    );
  if ((user === null) !== (password === null))
    throw new SettingsError('SVC_SMTP_USER and SVC_SMTP_PASSWORD are set together or not at all.');
  const login = user === null || password === null ? null : { user, password };
  return { host, port: raw.smtpPort, security: raw.smtpSecure, login, from, baseUrl };
}

function institutionSettings({ accounts: { institutions }, server: { baseUrl } }: SettingValues) {
  if (institutions.length === 0) return null;
  if (baseUrl === null || !URL.canParse(baseUrl))
    throw new SettingsError(
      'SVC_OIDC_PROVIDERS needs SVC_BASE_URL, the address to which institutions send browsers back. Example: https://kindred.lab.example',
    );
  return { listed: institutions, baseUrl: baseUrl.replace(/\/+$/, '') };
}

function accountSettings(
  { accounts: raw, rates, data }: SettingValues,
  quotas: QuotaSettings,
): AccountSettings {
  const daily = (role: keyof AccountSettings['quotas'], given: QuotaSettings[keyof QuotaSettings]) => ({
    sequencesPerDay:
      given?.sequences_per_day === undefined ? defaultQuotas[role].sequencesPerDay : given.sequences_per_day,
    jobsPerDay: given?.jobs_per_day === undefined ? defaultQuotas[role].jobsPerDay : given.jobs_per_day,
  });
  return {
    authnRequired: raw.authnRequired,
    jwtSecret: raw.jwtSecret ?? keptSecret(data.dataDir),
    passwordMinLength: raw.passwordMinLength,
    rateLimits: rates,
    roleRates: roleRates(quotas),
    quotas: {
      viewer: daily('viewer', quotas.anonymous),
      guest: daily('guest', quotas.guest),
      researcher: daily('researcher', quotas.researcher),
      operator: daily('operator', quotas.operator),
      admin: daily('admin', quotas.admin),
    },
  };
}

function roleRates(quotas: QuotaSettings): NonNullable<AccountSettings['roleRates']> {
  const ratesOf = (given: NonNullable<QuotaSettings['researcher']>) =>
    Object.fromEntries(
      roleRateNames.flatMap((name) => {
        const rate = given[`rate_${name}`];
        return rate === undefined ? [] : [[name, rate]];
      }),
    );
  return Object.fromEntries(rolesWithRates.map((role) => [role, ratesOf(quotas[role] ?? {})]));
}

/**
 * Reads the secret of this data folder, which the first start creates. The file is created exclusively, so
 * that two processes agree on one secret.
 */
function keptSecret(dataDir: string): string {
  const path = join(dataDir, 'jwt-secret');
  const secret = makeOrRead(dataDir, path);
  if (secret.length < 32)
    throw new SettingsError(`${path} is damaged: delete it (sessions end), or set SVC_JWT_SECRET.`);
  return secret;
}

function makeOrRead(dataDir: string, path: string): string {
  try {
    makePrivate(dataDir);
    if (!existsSync(path))
      writeFileSync(path, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    const made = (cause as NodeJS.ErrnoException).code === 'EEXIST' && existsSync(path);
    if (!made)
      throw new SettingsError(
        `The data folder ${dataDir} cannot be used: ${(cause as Error).message}. Choose another SVC_DATA_DIR, or become its owner.`,
        { cause },
      );
  }
  return readFileSync(path, 'utf8').trim();
}
