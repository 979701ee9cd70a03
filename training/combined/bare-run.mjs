// Learns and tests models of eukaryotes, step by step: of bare sequences, or with --known of proteins that have annotations of their own.
// docs/explanation/accuracy.md states the rules and the tables.
//
//   node training/combined/bare-run.mjs --shared <folder> --goa <folder> --out <folder> [--python <program>] [--from <step>]
//     [--known --models <folder> | --with-network] [--learnt <folder> [--than <folder>]]
//
// --goa has GOA of seven organisms of 2014 and 2019 with their sequences; --python names the Python of an environment with
// requirements.txt. --models has the combination's models that run.mjs trained without each organism. MMseqs2 makes the families. Steps
// that were finished in the folder `out` before are skipped. With --with-network, models read the sequence network, too; they are measured
// and not shipped. With --learnt nothing is learnt: the models of that folder are tested on further proteins. With --than the score that is
// shipped is also compared with the mean of an earlier try, in its folder of further proteins.
import { votesShareOf } from '@kindred/kernels/combined';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runSteps } from './steps.mjs';

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(
      ['shared', 'goa', 'out', 'from', 'models', 'learnt', 'than'].map((name) => [name, { type: 'string' }]),
    ),
    python: { type: 'string', default: 'python3' },
    known: { type: 'boolean', default: false },
    'with-network': { type: 'boolean', default: false },
  },
});
const { shared, goa, out, python } = options;
const network = options['with-network'];
const faults = [
  [!shared || !goa || !out, 'name the folders --shared, --goa and --out'],
  [options.known && !options.models, '--known needs --models, the folder of models that run.mjs trained'],
  [
    network && options.known,
    '--with-network does not go with --known: known proteins are asked without the network',
  ],
  [
    network && options.learnt,
    '--with-network does not go with --learnt: further proteins are asked without the network',
  ],
  [
    options.than && !options.learnt,
    '--than needs --learnt: only models that learnt before are compared with an earlier try',
  ],
];
const fault = faults.find(([isFault]) => isFault)?.[1];
if (fault !== undefined) {
  console.error(`bare-run.mjs: ${fault}. The beginning of the file says how to call it.`);
  process.exit(64);
}
/** Steps that another run finished in the folder would be skipped, so a folder has one kind of run. */
const run = JSON.stringify({ known: options.known, network, learnt: options.learnt ?? null });
mkdirSync(out, { recursive: true });
const mark = join(out, 'run.json');
if (existsSync(mark) && readFileSync(mark, 'utf8') !== run) {
  console.error(
    `bare-run.mjs: ${out} has a run with other options, ${readFileSync(mark, 'utf8')}; name another folder.`,
  );
  process.exit(64);
}
writeFileSync(mark, run);
const here = import.meta.dirname;
const node = (script, ...more) => [
  process.execPath,
  '--max-old-space-size=8000',
  join(here, script),
  ...more,
];
const places = ['--shared', shared, '--goa', goa];
const known = options.known ? ['--known'] : [];
const withNetwork = network ? ['--with-network'] : [];
const further = options.learnt ? ['--further'] : [];
const learnt = options.learnt ? ['--learnt', options.learnt] : [];
const evaluate = (...more) =>
  node('bare-evaluate.mjs', ...places, '--out', out, '--write', ...known, ...further, ...more);
const method = { 0.5: 'mean', 0.25: 'quarter of votes' }[votesShareOf[options.known ? 'known' : 'bare']];
runSteps(
  [
    ...(network
      ? [{ name: 'both-networks', command: node('../network/both-networks.mjs', ...places, '--out', out) }]
      : []),
    {
      name: 'rows',
      command: node(
        'bare-rows.mjs',
        ...[...places, '--out', out, ...further, ...known],
        ...(options.known ? ['--models', options.models] : []),
      ),
    },
    { name: 'folds', command: node('bare-folds.mjs', '--out', out, ...learnt) },
    { name: 'train', command: [python, join(here, 'bare_train.py'), out, ...withNetwork, ...learnt] },
    ...(network || options.learnt
      ? []
      : [{ name: 'ship', command: node('bare-ship.mjs', ...places, '--out', out, ...known) }]),
    { name: 'evaluate', command: evaluate(...withNetwork) },
    ...(options.than
      ? [{ name: 'compare', command: evaluate('--than', options.than, '--method', method) }]
      : []),
    ...(network
      ? [
          { name: 'curves', command: node('bare-curves.mjs', ...places, '--out', out, '--write') },
          { name: 'examples', command: node('bare-examples.mjs', '--shared', shared, '--out', out) },
        ]
      : []),
  ],
  options,
);
