// Who may import whom (docs/ARCHITECTURE.md). Prints a sentence for each import that goes the wrong way; returns their number.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

const ours = ['contracts', 'kernels'];
const everything = null;

/** Room -> what it may import besides itself. `null`: everything. Names of packages stand beside folders of the server. */
const mayImport = {
  contracts: ['kernels'],
  kernels: [],
  native: ['kernels'],
  testkit: ours,
  client: ['contracts'],
  web: ['contracts', 'client'],
  plugin: ours,
  'server/main': everything,
  'server/compose': everything,
  'server/cli': everything,
  'server/supervise': everything,
  'server/testing': everything,
  'server/env': ['contracts', 'server/settings', 'server/accounts'],
  'server/settings': ['contracts'],
  'server/folders': [],
  'server/event-loop': [],
  'server/version': [],
  'server/http': [
    ...ours,
    'server/jobs',
    'server/accounts',
    'server/store',
    'server/broker',
    'server/plugins',
    'server/artifacts',
    'server/compute',
    'server/evaluation',
    'server/rerankers',
    'server/scoring',
    'server/vectors',
    'server/telemetry',
    'server/event-loop',
    'server/folders',
    'server/version',
  ],
  'server/accounts': ['contracts', 'server/store'],
  'server/jobs': [...ours, 'server/store', 'server/broker'],
  'server/broker': ['contracts', 'server/store', 'server/event-loop'],
  'server/worker': [...ours, 'server/jobs', 'server/operations', 'server/store', 'server/broker'],
  'server/operations': [
    ...ours,
    'server/event-loop',
    'server/plugins',
    'server/sources',
    'server/store',
    'server/artifacts',
    'server/compute',
    'server/jobs',
    'server/evaluation',
    'server/rerankers',
    'server/scoring',
    'server/vectors',
  ],
  'server/evaluation': [
    ...ours,
    'server/artifacts',
    'server/compute',
    'server/rerankers',
    'server/scoring',
    'server/store',
  ],
  'server/scoring': [...ours, 'server/store', 'server/event-loop'],
  'server/rerankers': [...ours, 'server/artifacts', 'server/compute', 'server/store', 'server/event-loop'],
  'server/compute': [...ours, 'native', 'server/plugins', 'server/settings'],
  'server/plugins': [...ours, 'server/settings'],
  'server/sources': ours,
  'server/artifacts': ['contracts'],
  'server/store': [...ours, 'server/event-loop'],
  'server/vectors': [...ours, 'server/event-loop'],
  'server/embedded': ['contracts'],
  'server/telemetry': ['contracts', 'server/store', 'server/worker'],
};

/** Where code belongs that a room may not import, by what it wanted. */
const advice = {
  'server/store':
    'Ask the database through a folder that may (jobs, accounts, operations), or pass the rows in.',
  'server/http':
    'Nothing behind the API may know of requests: move what is shared into contracts, jobs or accounts.',
  'server/operations': 'Queue a job for it (jobs/submit) instead of running it here.',
  'server/worker': 'Only the worker runs jobs: publish one through jobs/.',
  'server/compose': 'Take what you need as an argument; compose.ts hands it in.',
  'server/env': 'Take the setting as an argument; compose.ts hands it in.',
  kernels: 'Kernels are reached through operations and the compute pool.',
};

/** Packages of others that only one room may use. */
const reserved = [
  {
    pattern: /^(pg|pg-copy-streams|kysely)$/,
    rooms: ['server/store'],
    why: 'SQL lives in store/: add a function to a repository there.',
  },
  {
    pattern: /^rabbitmq-client$/,
    rooms: ['server/broker'],
    why: 'Use the Broker interface of broker/broker.ts.',
  },
  {
    pattern: /^(fastify|@fastify\/.*|fastify-.*)$/,
    rooms: ['server/http', 'server/telemetry'],
    why: 'Requests end in http/.',
  },
  {
    pattern: /^(commander|cli-progress)$/,
    rooms: ['server/main', 'server/cli', 'server/supervise'],
    why: 'Terminals are the business of cli/.',
  },
  {
    pattern: /^yaml$/,
    rooms: ['server/env', 'server/rerankers'],
    why: 'env.ts is the only reader of the settings file.',
  },
];

const environmentReaders =
  /^(apps\/server\/src\/env\.ts|tools\/|packages\/testkit\/|packages\/native\/|.*\/testing\/|.*\.test\.ts$)/;
/** Files that pass the environment on whole, or need it before any setting is read; each with its reason. */
const environmentExceptions = new Map([
  ['apps/server/src/supervise/serve.ts', 'hands its environment on to the processes it starts'],
  ['apps/server/src/embedded/place.ts', 'hands PATH on to the database server'],
  ['apps/server/src/main.ts', 'shows stacks before any setting could be read'],
]);

const statement =
  /(?:^|\n)\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?\s*'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

export function checkImports(root) {
  const faults = sources(root).flatMap((path) => faultsOf(path, readFileSync(join(root, path), 'utf8')));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  return faults.length;
}

function sources(root) {
  return ['packages', 'plugins', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => `${folder}/${String(name).split(sep).join('/')}`)
      .filter((path) => /^[^/]+\/[^/]+\/src\/.*\.tsx?$/.test(path) && !path.includes('/node_modules/')),
  );
}

export function faultsOf(path, text) {
  const faults = [];
  const from = roomOf(path);
  const isTest = /\.test\.tsx?$/.test(path) || /\/(testing\/|test-)/.test(path);
  for (const match of text.matchAll(statement)) {
    const wanted = match[1] ?? match[2];
    const fault = isTest ? null : faultOf(path, from, wanted);
    if (fault) faults.push(fault);
  }
  if (/\bprocess\.env\b/.test(text) && !environmentReaders.test(path) && !environmentExceptions.has(path)) {
    faults.push(`${path}: reads process.env. Only env.ts does; take the setting as an argument.`);
  }
  return faults;
}

function faultOf(path, from, wanted) {
  const own = wanted.startsWith('.') ? roomOf(normalize(join(dirname(path), wanted))) : packageRoom(wanted);
  if (own === null) {
    const rule = reserved.find(({ pattern, rooms }) => pattern.test(wanted) && !rooms.includes(from));
    return rule ? `${path}: ${from} may not import ${wanted}. ${rule.why}` : null;
  }
  const allowed = mayImport[from];
  if (allowed === undefined)
    return `${path}: the folder ${from} is not in tools/check-imports.mjs; say there what it may import.`;
  if (allowed === null || own === from || allowed.includes(own)) return null;
  return `${path}: ${from} may not import ${own} (${wanted}). ${advice[own] ?? 'See "Who may import whom" in docs/ARCHITECTURE.md.'}`;
}

/** `server/jobs`, `kernels`, `plugin` ... of a path in the repository. */
function roomOf(path) {
  const [, workspace, name, , first = ''] =
    /^([^/]+)\/([^/]+)(\/src\/([^/]+))?/.exec(relative('.', path).split(sep).join('/')) ?? [];
  if (workspace === 'plugins') return 'plugin';
  if (workspace === 'apps' && name === 'server') return `server/${first.replace(/\.(js|ts)$/, '')}`;
  return name ?? null;
}

function packageRoom(name) {
  const match = /^@kindred\/([a-z-]+)/.exec(name);
  if (!match) return null;
  if (match[1] === 'server') return 'server/compose';
  return /^(backend|source|runner)-/.test(match[1]) ? 'plugin' : match[1];
}
