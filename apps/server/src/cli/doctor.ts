import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { composeArtifacts, composeBroker, composeDatabase } from '../compose.js';
import { sweepableDrafts } from '../compute/drafts.js';
import { loadSettings, type Settings } from '../env.js';
import { checkPluginSettings, unknownVariables } from '../plugins/installed.js';
import { closeDatabase, type Database } from '../store/postgres/db.js';
import { databaseFacts } from '../store/maintenance/database-facts.repository.js';
import { schemaFault } from '../store/migrations/migrate.js';
import { createLog } from '../telemetry/log.js';
import { readPostmaster } from '../embedded/postmaster.js';
import { embeddedFolder } from '../supervise/serve.js';
import { runningService } from '../supervise/service-file.js';

/** One thing that was checked. `advice`: what to do about it. */
export interface Finding {
  about: string;
  state: 'ok' | 'warning' | 'fault';
  text: string;
  advice?: string;
}

type Check = (settings: Settings) => Promise<Finding[]>;

const mebibyte = 1024 * 1024;
const scarceDiskBytes = 2048 * mebibyte;
const emptyDiskBytes = 200 * mebibyte;
/** Tokens and leases tolerate this much; S3 refuses signatures that are 15 minutes off. */
const clockWarnSeconds = 5;

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check settings, database, broker, store, disk, clock and models, and say what to do')
    .action(async () => {
      const findings = await examine();
      process.stdout.write(findings.map(line).join(''));
      if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1;
    });
}

function line({ about, state, text, advice }: Finding): string {
  const mark = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' }[state];
  return `${mark}  ${about.padEnd(10)} ${text}${advice === undefined ? '' : `\n${' '.repeat(20)}-> ${advice}`}\n`;
}

/** Changes nothing; starts no server. */
export async function examine(environment?: NodeJS.ProcessEnv): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = loadSettings({}, environment);
    await checkPluginSettings(settings.plugins);
  } catch (error) {
    return [
      fault('settings', (error as Error).message, 'Correct it first; nothing else can be checked before.'),
    ];
  }
  const findings = [
    ...(await checkVariables(settings)),
    ...settings.warnings.map((text) => warning('settings', text)),
  ];
  for (const check of [checkSecret, checkService, checkDisk, checkDatabaseAndBroker, checkStore, checkBanks])
    findings.push(
      ...(await check(settings).catch((error: Error) => [fault('doctor', error.message, 'Report it.')])),
    );
  return findings;
}

const ok = (about: string, text: string): Finding => ({ about, state: 'ok', text });
const warning = (about: string, text: string, advice?: string): Finding => ({
  about,
  state: 'warning',
  text,
  advice,
});
const fault = (about: string, text: string, advice: string): Finding => ({
  about,
  state: 'fault',
  text,
  advice,
});

async function checkVariables(settings: Settings): Promise<Finding[]> {
  const unknown = await unknownVariables(settings.plugins);
  if (unknown.length === 0) return [ok('settings', 'valid; every SVC_ variable is known')];
  return unknown.map(({ name, closest }) =>
    warning(
      'settings',
      `${name} is not a setting and has no effect`,
      closest === null ? 'See docs/reference/settings.md for all names.' : `Did you mean ${closest}?`,
    ),
  );
}

/** Otherwise each host makes a secret of its own in its data folder. */
const checkSecret: Check = async (settings) => {
  const own = await readFile(join(settings.dataDir, 'jwt-secret'), 'utf8').catch(() => '');
  if (settings.dbUrl === null || own.trim() !== settings.accounts.jwtSecret)
    return [ok('secret', 'one secret signs the sessions')];
  return [
    warning(
      'secret',
      'SVC_JWT_SECRET is not set and the database is shared: another host makes a secret of its own, and sessions are valid on one only',
      'Give all API processes the same SVC_JWT_SECRET.',
    ),
  ];
};

const checkService: Check = async ({ dataDir }) => {
  const running = await runningService(dataDir);
  return [
    ok(
      'service',
      running === null ? 'none runs on this data folder' : `runs at ${running.url} (process ${running.pid})`,
    ),
  ];
};

const checkDisk: Check = async ({ dataDir }) => {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK);
  } catch (error) {
    return [
      fault(
        'disk',
        `${dataDir} cannot be written: ${(error as Error).message}`,
        'Become its owner, or choose another SVC_DATA_DIR.',
      ),
    ];
  }
  const { bavail, bsize, blocks } = await statfs(dataDir);
  const free = bavail * bsize;
  const text = `${gibibytes(free)} of ${gibibytes(blocks * bsize)} GiB free for ${dataDir}`;
  const advice = 'Free space: lower the retention (SVC_RETENTION_*), delete datasets, or move SVC_DATA_DIR.';
  if (free < emptyDiskBytes) return [fault('disk', text, advice)];
  return [free < scarceDiskBytes ? warning('disk', text, advice) : ok('disk', text)];
};

const gibibytes = (bytes: number) => (bytes / (1024 * mebibyte)).toFixed(1);

const checkDatabaseAndBroker: Check = async (settings) => {
  if (settings.dbUrl !== null) return examineDatabase(settings);
  const postmaster = await readPostmaster(join(embeddedFolder(settings), 'data'));
  if (postmaster === null)
    return [ok('database', 'embedded; it does not run now and starts with the service')];
  if (postmaster.status !== 'ready')
    return [
      warning(
        'database',
        `embedded; process ${postmaster.pid} says "${postmaster.status}"`,
        'Wait half a minute; kindred serve ends one that hangs.',
      ),
    ];
  // Attach only: starting the server would wait for whatever hangs.
  const { startEmbeddedPostgres } = await import('../embedded/postgres.js');
  const { url } = await startEmbeddedPostgres(embeddedFolder(settings));
  return examineDatabase({ ...settings, dbUrl: url });
};

async function examineDatabase(settings: Settings): Promise<Finding[]> {
  const db = composeDatabase({ ...settings, dbConnections: 2 });
  try {
    const facts = await databaseFacts(db).catch((error: Error) => error);
    if (facts instanceof Error)
      return [fault('database', `not reachable: ${facts.message}`, 'Start it, or correct SVC_DB_URL.')];
    const findings = [ok('database', `PostgreSQL ${facts.serverVersion}, ${gibibytes(facts.sizeBytes)} GiB`)];
    const wrong = await schemaFault(db);
    findings.push(
      wrong === null
        ? ok('schema', 'that of this version')
        : fault('schema', wrong, 'Then start the service again.'),
    );
    const used = facts.connections / facts.maxConnections;
    if (used > 0.8)
      findings.push(
        warning(
          'database',
          `${facts.connections} of ${facts.maxConnections} connections are in use`,
          'Raise max_connections, or lower SVC_DB_CONNECTIONS.',
        ),
      );
    const clock = `${Math.abs(facts.clockAheadSeconds).toFixed(1)} s between this machine's clock and the database's`;
    findings.push(
      Math.abs(facts.clockAheadSeconds) > clockWarnSeconds
        ? warning('clock', clock, 'Synchronise both with NTP.')
        : ok('clock', clock),
    );
    if (wrong === null) findings.push(await checkBroker(settings, db));
    return findings;
  } finally {
    await closeDatabase(db);
  }
}

async function checkBroker(settings: Settings, db: Database): Promise<Finding> {
  const broker = composeBroker(settings, db, createLog('silent', 'doctor'));
  const name = broker.kind === 'rabbitmq' ? 'RabbitMQ' : 'queues in the database';
  try {
    await broker.check();
    const dead = await broker.depth('svc.dead-letter');
    if (dead === 0) return ok('broker', `${name}: takes messages`);
    return warning(
      'broker',
      `${name}: ${dead} dead letters`,
      'GET /v1/admin/dlq shows them; replay or purge them (docs/how-to/operate.md).',
    );
  } catch (error) {
    return fault('broker', (error as Error).message, 'Start it, or correct SVC_AMQP_URL.');
  } finally {
    await broker.close();
  }
}

const checkStore: Check = async (settings) => {
  const store = composeArtifacts(settings);
  const key = `doctor/${process.pid}`;
  try {
    const { uri } = await store.put(key, Buffer.from('kindred doctor'));
    await store.delete(uri);
    return [ok('store', `${store.backend}: takes and deletes objects`)];
  } catch (error) {
    return [fault('store', (error as Error).message, 'Correct SVC_ARTIFACT_* or the store.')];
  }
};

const checkBanks: Check = async ({ dataDir }) => {
  const folder = join(dataDir, 'banks');
  const names = await readdir(folder).catch(() => []);
  const drafts = await sweepableDrafts(folder);
  const text = `${names.filter((name) => !name.endsWith('.draft')).length} reference banks in ${folder}`;
  if (drafts.length === 0) return [ok('banks', text)];
  return [
    warning('banks', `${text}, ${drafts.length} unfinished`, 'The next start of a worker deletes them.'),
  ];
};
