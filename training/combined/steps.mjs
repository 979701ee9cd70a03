// Runs the steps of a training one after the other, and continues where it stopped.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Runs steps; the output of each is in <out>/<step>.log. Steps that were finished in this folder before are skipped.
 *
 * @param steps each with a name and a command or a function `call`; left out if the program that it `needs` is missing
 * @param from the step that is repeated, with all later ones
 */
export function runSteps(steps, { out, from }) {
  const first = steps.findIndex(({ name }) => name === from);
  if (from !== undefined && first < 0) {
    console.error(`--from ${from}: the steps are ${steps.map(({ name }) => name).join(', ')}`);
    process.exit(64);
  }
  mkdirSync(out, { recursive: true });
  const isAgain = (at) => first >= 0 && at >= first;
  for (const [at, { name, needs, command, call }] of steps.entries()) {
    const mark = join(out, `${name}.done`);
    if (existsSync(mark) && !isAgain(at)) continue;
    if (needs !== undefined && spawnSync(needs, ['-version']).error) {
      console.log(`${name}: left out, because the program ${needs} is not installed`);
      continue;
    }
    console.log(`${name}: begins ${new Date().toISOString()}`);
    if (call) call();
    else {
      const log = openSync(join(out, `${name}.log`), 'w');
      // Only one thread is used, because with several the sums would depend on their order.
      const env = { ...process.env, OMP_NUM_THREADS: '1' };
      const { status } = spawnSync(command[0], command.slice(1), { stdio: ['ignore', log, log], env });
      if (status !== 0) {
        console.error(`${name} failed: ${join(out, `${name}.log`)} says why`);
        process.exit(1);
      }
    }
    writeFileSync(mark, '');
  }
  console.log('done');
}
