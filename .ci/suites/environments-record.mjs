// Records the conditions that the suites have tried, for the table in docs/how-to/install.md. With KINDRED_RECORD=yes, the suites add a
// condition that holds to environments-record.json, and remove one that fails. `npm run gen` makes the table.
//   node .ci/suites/environments-record.mjs NAME holds|fails [NODE]
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('environments-record.json', import.meta.url));

/** @param said the sentence that the service ended with, if it did not start */
export function record(name, holds, { node = process.version, said } = {}) {
  if (process.env.KINDRED_RECORD !== 'yes') return;
  const { [name]: _before, ...others } = JSON.parse(readFileSync(file, 'utf8'));
  const entry = { day: new Date().toISOString().slice(0, 10), machine: machine(node), ...(said && { said }) };
  const all = Object.entries(holds ? { ...others, [name]: entry } : others);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all.sort(byName)), null, 2)}\n`);
}

const byName = ([one], [other]) => (one < other ? -1 : 1);

function machine(node) {
  const [, system] = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'));
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${system.replace(/ \(.*/, '')}, ${process.arch}, ${cpus().length} cores, ${memory}, Node ${node.replace(/^v/, '')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, outcome, node] = process.argv.slice(2);
  record(name, outcome === 'holds', { node });
}
