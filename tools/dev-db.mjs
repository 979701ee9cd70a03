// Starts a PostgreSQL for tests that stays up (npm run dev:db), with the empty template and the example world, so that a run of tests
// makes neither. It prints the line that names the server to the tests of another terminal. Ctrl-C ends it.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
await installDependencies(root, 'everything');
const { build } = await import('./build.mjs');
if (!(await build(root))) process.exit(1);
const { startEmbeddedPostgres } = await import('../apps/server/dist/run/embedded/postgres.js');
const { closeDatabase, openDatabase } = await import('../apps/server/dist/store/postgres/connection.js');
const { migrate } = await import('../apps/server/dist/store/migrations/migrate.js');

const [world] = execFileSync(process.execPath, [join(root, 'tools', 'example-world.mjs')], {
  encoding: 'utf8',
}).split('\n');
const folder = mkdtempSync(join(tmpdir(), 'kindred-dev-db-'));
// The folder is open to others, because PostgreSQL runs as another user if root starts it.
chmodSync(folder, 0o755);
execFileSync('cp', ['-a', join(world, 'data', 'postgres', 'data'), folder]);
const server = await startEmbeddedPostgres(folder, { durability: 'none', endsWithProcess: true });
const address = (database) => server.url.replace(/[^/]*$/, database);

// The names are those that tests look for (test-server.ts), with the state of the build in the comment of the second database.
const admin = openDatabase(address('postgres'), 1);
await admin.pool.query(`alter database ${basename(new URL(server.url).pathname)} rename to kindred_examples`);
await admin.pool.query(`comment on database kindred_examples is '${basename(world)}'`);
await admin.pool.query("create database kindred_template template template0 encoding 'UTF8' locale 'C'");
await admin.pool.query("comment on database kindred_template is 'migrated by each run of tests'");
await closeDatabase(admin);
const template = openDatabase(address('kindred_template'), 1);
await migrate(template);
await closeDatabase(template);
process.stdout.write(`export SVC_TEST_DB_URL='${address('postgres')}'\n`);

let ending = false;
async function end() {
  if (ending) return;
  ending = true;
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end());
// The timer alone keeps this process alive.
setInterval(() => {}, 1 << 30);
