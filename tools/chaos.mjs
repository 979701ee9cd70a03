// Runs a real service under a stream of work while processes are killed and frozen at random:
//   npm run chaos -- [--seed N] [--faults N] [--servers | --postgres URL --amqp URL]
// At the end its rows and artifacts must be those of an undisturbed run, and nothing may be left over. The same seed chooses the same
// faults. By default everything is embedded. --servers starts a PostgreSQL and a RabbitMQ of Debian's packages and an S3, which are killed
// and cut off, too. --postgres names a server on which databases may be made (its connections are then cut, the server is left alone),
// --amqp a RabbitMQ that nobody else uses.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const text = { type: 'string' };
const { values } = parseArgs({
  options: { seed: text, faults: text, servers: { type: 'boolean' }, postgres: text, amqp: text },
});
const { seed = '1', faults = '40', servers = false, postgres, amqp } = values;
for (const [name, value, least] of [
  ['seed', seed, 0],
  ['faults', faults, 1],
]) {
  if (/^\d{1,9}$/.test(value) && Number(value) >= least) continue;
  console.error(`--${name} takes a whole number from ${least} on, not ${value}.`);
  process.exit(64);
}
if (!(await build(root))) process.exit(1);
const { status } = spawnSync(
  join(root, 'node_modules', '.bin', 'vitest'),
  ['run', '--project', 'slow', 'apps/server/src/run/supervise/chaos.slow.db.test.ts'],
  {
    cwd: root,
    env: {
      ...process.env,
      KINDRED_CHAOS_SEED: seed,
      KINDRED_CHAOS_FAULTS: faults,
      ...(servers ? { KINDRED_CHAOS_SERVERS: 'own' } : {}),
      ...(postgres === undefined ? {} : { KINDRED_CHAOS_POSTGRES: postgres }),
      ...(amqp === undefined ? {} : { KINDRED_CHAOS_AMQP: amqp }),
    },
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
