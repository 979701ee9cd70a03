// Learns and tests models of eukaryotes, step by step: of bare sequences, or with --known of proteins that have annotations of their own.
// docs/explanation/accuracy.md states the rules and the tables.
//
//   node training/combined/bare-run.mjs --shared <folder> --goa <folder> --out <folder> [--python <program>] [--from <step>]
//     [--known --models <folder> | --with-network]
//
// --goa has GOA of seven organisms of 2014 and 2019 with their sequences; --python names the Python of an environment with
// requirements.txt. --models has the combination's models that run.mjs trained without each organism. MMseqs2 makes the families. Steps
// that were finished in the folder `out` before are skipped. With --with-network, models read the sequence network, too; they are measured
// and not shipped.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runSteps } from './steps.mjs';

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(
      ['shared', 'goa', 'out', 'from', 'models'].map((name) => [name, { type: 'string' }]),
    ),
    python: { type: 'string', default: 'python3' },
    known: { type: 'boolean', default: false },
    'with-network': { type: 'boolean', default: false },
  },
});
const { shared, goa, out, python } = options;
if (!shared || !goa || !out || (options.known && !options.models)) {
  console.error(
    'usage: node training/combined/bare-run.mjs --shared <folder> --goa <folder> --out <folder> [--python <program>] [--from <step>] [--known --models <folder>]',
  );
  process.exit(64);
}
const here = import.meta.dirname;
const node = (script, ...more) => [
  process.execPath,
  '--max-old-space-size=8000',
  join(here, script),
  ...more,
];
const places = ['--shared', shared, '--goa', goa];
const known = options.known ? ['--known'] : [];
const network = options['with-network'] && !options.known;
const withNetwork = network ? ['--with-network'] : [];
runSteps(
  [
    ...(network
      ? [{ name: 'both-networks', command: node('../network/both-networks.mjs', ...places, '--out', out) }]
      : []),
    {
      name: 'rows',
      command: node(
        'bare-rows.mjs',
        ...[...places, '--out', out, ...known, ...(options.known ? ['--models', options.models] : [])],
      ),
    },
    { name: 'folds', command: node('bare-folds.mjs', '--out', out) },
    { name: 'train', command: [python, join(here, 'bare_train.py'), out, ...withNetwork] },
    ...(network ? [] : [{ name: 'ship', command: node('bare-ship.mjs', ...places, '--out', out, ...known) }]),
    {
      name: 'evaluate',
      command: node('bare-evaluate.mjs', ...places, '--out', out, '--write', ...known, ...withNetwork),
    },
    ...(network
      ? [
          { name: 'curves', command: node('bare-curves.mjs', ...places, '--out', out, '--write') },
          { name: 'examples', command: node('bare-examples.mjs', '--shared', shared, '--out', out) },
        ]
      : []),
  ],
  options,
);
