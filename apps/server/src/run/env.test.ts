import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings, SettingsError, shippedStack } from './env.js';
import { describedSettingRows } from '../ground/settings/reference.js';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kindred-env-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const load = (environment: Record<string, string> = {}, overrides: Record<string, string> = {}) =>
  loadSettings(overrides, { SVC_DATA_DIR: dataDir, ...environment });
const yaml = (text: string) => writeFileSync(join(dataDir, 'system.yaml'), text);

describe('the place of artifacts', () => {
  it('is a folder of the data folder, another folder, or a bucket', () => {
    expect(load().artifacts).toEqual({ backend: 'local', folder: join(dataDir, 'artifacts') });
    expect(load({ SVC_ARTIFACT_DIR: '/srv/a' }).artifacts).toEqual({ backend: 'local', folder: '/srv/a' });
    yaml('artifacts: {backend: s3, bucket: lab, endpoint: "http://127.0.0.1:9000"}');
    expect(load({ SVC_ARTIFACT_PREFIX: 'a/b' }).artifacts).toEqual({
      backend: 's3',
      bucket: 'lab',
      prefix: 'a/b',
      endpoint: 'http://127.0.0.1:9000',
      region: null,
    });
  });

  it.each([
    [{ SVC_ARTIFACT_BACKEND: 's3' }, /SVC_ARTIFACT_BUCKET/],
    [{ SVC_ARTIFACT_BACKEND: 'ftp' }, /must be local or s3/],
    [{ SVC_ARTIFACT_BUCKET: 'lab' }, /SVC_ARTIFACT_BACKEND=s3/],
    [
      { SVC_ARTIFACT_BACKEND: 's3', SVC_ARTIFACT_BUCKET: 'lab', SVC_ARTIFACT_ENDPOINT: 'minio:9000' },
      /must be an http\(s\) URL/,
    ],
  ])('is refused as %j', (env, sentence) => {
    expect(() => load(env as Record<string, string>)).toThrow(sentence);
  });
});

describe('the repositories of the stack', () => {
  it('are the eight that are shipped, those of an edited file, or a short list', () => {
    expect(load().stackRepositories).toBeNull();
    const shipped = shippedStack();
    expect(shipped).toHaveLength(8);
    for (const { slug, role } of shipped)
      expect([slug, role]).toEqual([expect.stringContaining('/'), expect.any(String)]);
    const file = join(dataDir, 'stack.yaml');
    writeFileSync(
      file,
      'repositories:\n  - slug: our-lab/kindred\n    role: our copy\n  - slug: our-lab/data\n',
    );
    const ours = [
      { slug: 'our-lab/kindred', role: 'our copy' },
      { slug: 'our-lab/data', role: null },
    ];
    expect(load({ SVC_STACK_FILE: file }).stackRepositories).toEqual(ours);
    const short = load({ SVC_STACK_FILE: file, SVC_STACK_REPOSITORIES: 'a/b=x' }).stackRepositories;
    expect(short).toEqual([{ slug: 'a/b', role: 'x' }]);
  });

  it.each([
    ['repositories:\n  - slug: no-owner\n', /repositories\.0\.slug: expected owner\/name/],
    ['repositories:\n  - slug: a/b\n  - slug: a/b\n', /named twice/],
    ['repos: []\n', /SVC_STACK_FILE: .*stack\.yaml cannot be used/],
    ['{', /cannot be used/],
  ])('are refused as %j', (text, sentence) => {
    const file = join(dataDir, 'stack.yaml');
    writeFileSync(file, text);
    expect(() => load({ SVC_STACK_FILE: file })).toThrow(sentence);
    expect(() => load({ SVC_STACK_FILE: join(dataDir, 'none.yaml') })).toThrow(SettingsError);
  });
});

describe('where a value comes from', () => {
  it('has the documented defaults', () => {
    expect(load()).toMatchObject({
      port: 8000,
      host: '127.0.0.1',
      dbUrl: null,
      amqpUrl: null,
      maxUploadBytes: 50 * 1024 * 1024,
      maxSequences: 50_000,
      maxResidues: 40_000,
      ephemeralTtlHours: 24,
      leaseSeconds: 120,
      importDir: join(dataDir, 'import'),
      accounts: { authnRequired: true, passwordMinLength: 8 },
    });
  });

  it('asks the command line, then the environment, then the file', () => {
    yaml('server: {port: 1001, host: 0.0.0.0}\nlimits:\n  max_sequences: 7\n');
    expect(load()).toMatchObject({ port: 1001, host: '0.0.0.0', maxSequences: 7 });
    expect(load({ SVC_PORT: '1002' })).toMatchObject({ port: 1002, host: '0.0.0.0' });
    expect(load({ SVC_PORT: '1002' }, { SVC_PORT: '1003' }).port).toBe(1003);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(load({ SVC_PORT: '', SVC_DB_URL: '' })).toMatchObject({ port: 8000, dbUrl: null });
  });

  it('reads the rates of a role', () => {
    yaml(
      'auth: {quotas: {operator: {rate_jobs: 100/minute, rate_api_keys: 9/hour}, researcher: {rate_jobs: 3/hour}}}',
    );
    expect(load().accounts.roleRates).toEqual({
      researcher: { jobs: '3/hour' },
      operator: { jobs: '100/minute', api_keys: '9/hour' },
      admin: {},
    });
  });

  it('reads the quotas of the file, and keeps the defaults of those it leaves out', () => {
    yaml(
      'auth: {quotas: {researcher: {sequences_per_day: 5, jobs_per_day: unlimited}, anonymous: {sequences_per_day: 3}}}',
    );
    expect(load().accounts.quotas).toMatchObject({
      researcher: { sequencesPerDay: 5, jobsPerDay: null },
      viewer: { sequencesPerDay: 3 },
      operator: { sequencesPerDay: null, jobsPerDay: null },
    });
  });
});

describe('truth values', () => {
  it.each(['1', 'true', 'yes', 'on', 'TRUE', 'Yes', ' on '])('takes %j for true', (text) => {
    expect(load({ SVC_GO_PREDICTION_JSONB_WRITE_ENABLED: text }).jsonbWrite).toBe(true);
  });
  it.each(['0', 'false', 'no', 'off', 'False'])('takes %j for false', (text) => {
    expect(load({ SVC_AUTHN_REQUIRED: text }).accounts.authnRequired).toBe(false);
  });
});

it.each([
  [undefined, 'starter'],
  ['starter', 'starter'],
  ['true', 'starter'],
  ['Small', 'small'],
  ['none', 'none'],
  ['false', 'none'],
])('takes %j for the data of a first start', (text, expected) => {
  expect(load(text === undefined ? {} : { SVC_LOAD_EXAMPLES: text }).loadExamples).toBe(expected);
});

describe('refusals name the setting, the fault and an example', () => {
  it.each([
    ['SVC_PORT', 'abc', 'Example: 8080'],
    ['SVC_PORT', '70000', '65535'],
    ['SVC_PORT', '80.5', 'Example: 8080'],
    ['SVC_AUTHN_REQUIRED', 'maybe', 'must be true'],
    ['SVC_RATELIMIT_JOBS', 'ten a minute', '10/minute'],
    ['SVC_OTEL_SAMPLE_RATIO', '1.5', 'Example: 0.1'],
    ['SVC_LOG_LEVEL', 'loud', 'Example: warn'],
    ['SVC_LOAD_EXAMPLES', 'big', 'starter, small or none'],
  ])('%s=%s', (name, value, hint) => {
    expect(() => load({ [name]: value })).toThrow(SettingsError);
    expect(() => load({ [name]: value })).toThrow(new RegExp(`${name}.*${value}`, 's'));
    expect(() => load({ [name]: value })).toThrow(hint);
  });

  it('never shows a secret', () => {
    const secret = 'too-short-secret';
    expect(() => load({ SVC_JWT_SECRET: secret })).toThrow(/SVC_JWT_SECRET.*32 characters/);
    try {
      load({ SVC_JWT_SECRET: secret });
    } catch (error) {
      expect(String(error)).not.toContain(secret);
    }
  });

  it.each([
    ['an unknown key', 'server: {prot: 1}', /unknown keys: server.prot/],
    ['a value of the wrong type', 'server: {port: [1]}', /server.port in .*system.yaml/],
    ['an unknown role', 'auth: {quotas: {boss: {jobs_per_day: 1}}}', /auth.quotas.*boss/s],
    [
      'a rate that is none',
      'auth: {quotas: {operator: {rate_jobs: often}}}',
      /auth.quotas.operator.rate_jobs/,
    ],
    ['a rate of those who may not', 'auth: {quotas: {guest: {rate_jobs: 1/hour}}}', /auth.quotas.guest/],
    ['a negative quota', 'auth: {quotas: {guest: {jobs_per_day: -1}}}', /auth.quotas.guest.jobs_per_day/],
    ['text that is not YAML', 'a: [', /cannot be read/],
  ])('in the file: %s', (_what, text, message) => {
    yaml(text);
    expect(() => load()).toThrow(message);
  });

  it('says that the file SVC_CONFIG names is missing', () => {
    expect(() => load({ SVC_CONFIG: join(dataDir, 'none.yaml') })).toThrow(/SVC_CONFIG names .*none.yaml/);
  });
});

describe('the development mode', () => {
  const off = { SVC_AUTHN_REQUIRED: 'false' };
  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('listens on %s, and warns', (host) => {
    const settings = load({ ...off, SVC_HOST: host });
    expect(settings.accounts.authnRequired).toBe(false);
    expect(settings.warnings).toEqual([expect.stringMatching(/SVC_AUTHN_REQUIRED=false.*administrator/)]);
  });
  it.each(['0.0.0.0', '::', '192.168.1.5', 'lab.example', '127.0.0.1.lab.example'])('refuses %s', (host) => {
    expect(() => load({ ...off, SVC_HOST: host })).toThrow(SettingsError);
    expect(() => load({ ...off, SVC_HOST: host })).toThrow(/SVC_AUTHN_REQUIRED=false.*SVC_HOST/);
  });
  it('warns of nothing else', () => {
    expect(load({ SVC_HOST: '0.0.0.0' }).warnings).toEqual([]);
  });
});

describe('the path of SVC_BASE_URL', () => {
  it.each([
    ['https://lab.example', ''],
    ['https://lab.example/', ''],
    ['https://lab.example/kindred', '/kindred'],
    ['https://lab.example/tools/kindred-2/', '/tools/kindred-2'],
  ])('of %s is %j', (address, path) => {
    const settings = load({ SVC_BASE_URL: address });
    expect([settings.basePath, settings.warnings]).toEqual([path, []]);
  });
  it.each([
    ['https://lab.example/?at=kindred', /must end with its path/],
    ['https://lab.example/kindred#top', /must end with its path/],
    ['https://lab.example/a//b', /letters, digits/],
    ["https://lab.example/a'b", /letters, digits/],
    ['https://lab.example/ä', /letters, digits/],
    ['https://lab.example/v1', /a path that the service itself has, \/v1/],
    ['https://lab.example/proteins/kindred', /a path that the service itself has, \/proteins/],
  ])('stops the start at %s', (address, sentence) => {
    expect(() => load({ SVC_BASE_URL: address })).toThrow(sentence);
    expect(() => load({ SVC_BASE_URL: address })).toThrow(
      /^SVC_BASE_URL: .*Example: https:\/\/lab\.example\/kindred/,
    );
  });
});

describe('addresses', () => {
  it.each([
    ['SVC_DB_URL', 'db.lab.example/kindred', /must be a postgresql:\/\/ address/],
    ['SVC_DB_URL', 'postgres://u:hunter2@host:99999/x', /must be a postgresql:\/\/ address/],
    ['SVC_DB_URL', 'mysql://u:hunter2@host/x', /must be a postgresql:\/\/ address/],
    ['SVC_DB_URL', 'postgres://u:hunter2@one:5432,two:x/x', /must be a postgresql:\/\/ address/],
    [
      'SVC_DB_URL',
      'postgres://u:hunter2@one/x?target_session_attrs=standby',
      /not one of read-write, primary, any/,
    ],
    ['SVC_AMQP_URL', 'mq.lab.example', /must be an amqp:\/\/ or amqps:\/\/ address/],
    ['SVC_BASE_URL', 'kindred.lab.example', /must be an http:\/\/ or https:\/\/ address/],
    ['SVC_URL', 'kindred.lab.example', /must be an http:\/\/ or https:\/\/ address/],
    ['SVC_INTERPROSCAN_URL', 'ebi', /must be an http:\/\/ or https:\/\/ address/],
  ])('%s=%s stops the start with a sentence', (name, value, sentence) => {
    expect(() => load({ [name]: value })).toThrow(SettingsError);
    expect(() => load({ [name]: value })).toThrow(sentence);
    expect(() => load({ [name]: value })).toThrow(new RegExp(`^${name}: .*Example: `));
    expect(() => load({ [name]: value })).not.toThrow('hunter2');
  });
  it.each([
    'postgresql://kindred:secret@%2Ftmp%2Fsocket:5432/kindred',
    'postgres:///kindred?host=/var/run/postgresql',
    'postgresql://kindred@db.lab.example/kindred?sslmode=require',
    'postgresql://kindred@one.lab.example:5432,two.lab.example:5432/kindred?target_session_attrs=read-write',
  ])('takes %s for a database', (url) => {
    expect(load({ SVC_DB_URL: url }).dbUrl).toBe(url);
  });
});

describe('the secret of the data folder', () => {
  it('is made once, kept, and readable by its owner alone', () => {
    const first = load().accounts.jwtSecret;
    expect(load().accounts.jwtSecret).toBe(first);
    expect(Buffer.byteLength(first)).toBeGreaterThanOrEqual(32);
    const path = join(dataDir, 'jwt-secret');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toBe(first);
  });

  it('gives way to SVC_JWT_SECRET', () => {
    const own = 'x'.repeat(32);
    expect(load({ SVC_JWT_SECRET: own }).accounts.jwtSecret).toBe(own);
  });
});

describe('institutions', () => {
  const lab = { name: 'lab', issuer: 'https://login.lab.example', client_id: 'kindred' };
  const loadOf = (value: unknown, base = 'https://kindred.lab.example/base/') =>
    load({ SVC_OIDC_PROVIDERS: JSON.stringify(value), SVC_BASE_URL: base }).institutions;

  it('are none by default, and otherwise read from JSON', () => {
    expect(load().institutions).toBeNull();
    expect(loadOf([{ ...lab, role_claim: 'groups', roles: { staff: 'operator' } }])).toEqual({
      baseUrl: 'https://kindred.lab.example/base',
      listed: [
        {
          ...{ name: 'lab', title: 'lab', issuer: 'https://login.lab.example', clientId: 'kindred' },
          ...{ clientSecret: null, scope: 'openid email profile' },
          ...{ roleClaim: 'groups', roles: { staff: 'operator' } },
        },
      ],
    });
  });

  it.each([
    ['no list', 'lab', 'must be a list'],
    ['an issuer that anybody can read along', [{ ...lab, issuer: 'http://login.lab.example' }], 'https://'],
    ['a name that cannot be in an address', [{ ...lab, name: 'The Lab' }], 'lower-case'],
    ['roles without a claim', [{ ...lab, roles: { staff: 'admin' } }], 'together'],
    ['an unknown role', [{ ...lab, role_claim: 'groups', roles: { staff: 'owner' } }], 'expected one of'],
    ['the same name twice', [lab, lab], 'twice'],
    ['a scope without openid', [{ ...lab, scope: 'email' }], 'openid'],
  ])('refuse %s', (_, value, sentence) => {
    expect(() => loadOf(value)).toThrow(sentence);
  });

  it('need the address of the page, and their secrets are in no message', () => {
    expect(() => load({ SVC_OIDC_PROVIDERS: JSON.stringify([lab]) })).toThrow('needs SVC_BASE_URL');
    expect(() => loadOf([{ ...lab, client_secret: 'hidden words', scope: 1 }])).toThrow(/^((?!hidden).)*$/s);
  });
});

describe('mail', () => {
  const whole = {
    SVC_SMTP_HOST: 'smtp.lab.example',
    SVC_SMTP_FROM: 'kindred@lab.example',
    SVC_BASE_URL: 'https://kindred.lab.example',
  };

  it('is off without SVC_SMTP_*, and encrypted by default', () => {
    expect(load().mail).toBeNull();
    expect(load(whole).mail).toEqual({
      host: 'smtp.lab.example',
      port: 587,
      security: 'starttls',
      login: null,
      from: 'kindred@lab.example',
      baseUrl: 'https://kindred.lab.example',
    });
    const more = { SVC_SMTP_USER: 'u', SVC_SMTP_PASSWORD: 'p', SVC_SMTP_PORT: '465', SVC_SMTP_SECURE: 'tls' };
    expect(load({ ...whole, ...more }).mail).toMatchObject({
      port: 465,
      security: 'tls',
      login: { user: 'u', password: 'p' },
    });
  });

  it.each([
    ['the server', { ...whole, SVC_SMTP_HOST: '' }, 'SVC_SMTP_HOST'],
    ['the sender', { ...whole, SVC_SMTP_FROM: '' }, 'SVC_SMTP_FROM'],
    ['the address of links', { ...whole, SVC_BASE_URL: '' }, 'SVC_BASE_URL'],
    ['the password', { ...whole, SVC_SMTP_USER: 'u' }, 'SVC_SMTP_PASSWORD'],
    ['a known encryption', { ...whole, SVC_SMTP_SECURE: 'maybe' }, 'starttls'],
  ])('needs %s', (_what, env, named) => {
    expect(() => load(env)).toThrow(SettingsError);
    expect(() => load(env)).toThrow(named);
  });
});

describe('the table', () => {
  const rows = describedSettingRows;
  it('has no variable and no key twice', () => {
    expect(new Set(rows.map((row) => row.env)).size).toBe(rows.length);
    expect(new Set(rows.map((row) => row.yaml)).size).toBe(rows.length);
  });
  it.each(rows.map((row) => [row.env, row] as const))(
    '%s accepts its example, unless that is in brackets',
    (_name, row) => {
      expect(row.description).not.toBe('');
      if (!row.example.startsWith('(')) expect(row.schema.safeParse(row.example).success).toBe(true);
    },
  );
});
