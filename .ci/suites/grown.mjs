// Runs the checks of the grown world (tools/grown-world.mjs) in copies under FOLDER: node .ci/suites/grown.mjs FOLDER [--runs N
// --proteins N].
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../../benchmarks/service.mjs';
import { checkBackups } from './grown-backups.mjs';
import { reset, retention, upgrade } from './grown-changes.mjs';
import { check, conclude, expect, kindred, withDatabaseOf } from './grown-lib.mjs';
import { checkReads } from './grown-reads.mjs';
import { rolling } from './grown-rolling.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const [folder, ...options] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: grown.mjs FOLDER [--runs N --proteins N]');
  process.exit(64);
}
const settings = { SVC_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:9', SVC_RATELIMIT_JOBS: '1000000/minute' };
const serve = (dataDir) => startService(dataDir, folder, settings);

async function ping(service) {
  await service.api.run('/v1/jobs', { operation: 'ping', queue_name: 'svc.ping' });
}

/** Annotates against all proteins of the large set: the report compares with each of them. */
async function report(url, world) {
  const queries = join(folder, 'queries.fasta');
  const [first] = readFileSync(join(root, 'examples', 'queries.fasta'), 'utf8')
    .split('>')
    .slice(1, 2);
  writeFileSync(queries, `>${first}`);
  const outDir = join(folder, 'report');
  const args = [
    'annotate',
    '--json',
    '--url',
    url,
    '--api-key',
    world.keys.ada.key,
    '--annotation-set',
    world.large.id,
    '--out-dir',
    outDir,
    queries,
  ];
  const { code, stdout, stderr } = await kindred(join(folder, 'none'), args);
  expect(code === 0, `exit code ${code}: ${stderr}`);
  const said = JSON.parse(stdout);
  const html = readFileSync(join(outDir, 'report.html'), 'utf8');
  expect(said.not_compared === null, `not compared: ${said.not_compared}`);
  expect(
    existsSync(join(outDir, 'enriched.tsv')) && !html.includes('Not compared'),
    'the report is not whole',
  );
  const compared = Number(
    /with those of the ([\d,]+) other annotated proteins/.exec(html)?.[1].replaceAll(',', '') ?? 0,
  );
  expect(
    compared >= world.large.proteins - 2,
    `compared with ${compared} proteins, not ${world.large.proteins}`,
  );
  return `compared with ${compared} proteins`;
}

let made = '';
await check('the grown world', async () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'tools', 'grown-world.mjs'), ...options],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  expect(status === 0, 'it cannot be made');
  made = stdout.trim();
  const { database_bytes, jobs, predictions, large } = JSON.parse(
    readFileSync(join(made, 'world.json'), 'utf8'),
  );
  return `${Math.round(database_bytes / 1e6)} MB, ${jobs} jobs, ${predictions} rows of predictions, ${large.annotations} annotations of ${large.proteins} proteins`;
});
if (made !== '') {
  const world = JSON.parse(readFileSync(join(made, 'world.json'), 'utf8'));
  await checkBackups(join(made, 'data'), folder);
  // All other checks use the restored copy. Retention comes first, because any service that runs begins to forget.
  const restored = join(folder, 'restored');
  await check('what has expired goes, and nothing else', () => retention(restored, serve));
  const service = await serve(restored);
  try {
    await withDatabaseOf(restored, (db) => checkReads(service.url, world, db));
    await check('a report against a reference with the size of Swiss-Prot', () => report(service.url, world));
  } finally {
    await service.stop();
  }
  await check('a database of the last release is brought to this version', () =>
    upgrade(restored, { serve, folder, ping }),
  );
  await check('processes of the last release and of this version work side by side', () =>
    rolling(restored, world, folder),
  );
  await check('a reset leaves nothing but the audit log', () => reset(restored, world, { serve, ping }));
}
conclude();
