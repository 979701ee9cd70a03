// Who may import whom. `npm run walls` checks it; the table in docs/ARCHITECTURE.md is generated from it (npm run gen).
// A new room needs a row in `rooms`: without one, its first import of another room is refused.

/**
 * Returns the places of the files of each room. A room of the server is a folder (or a file) of apps/server/src, or a part of one for a
 * reserved package.
 */
const folderOf = (room) => {
  if (room === 'plugins') return 'plugins/[^/]+/';
  if (room === 'web') return 'apps/web/';
  if (room.startsWith('server/')) return `apps/server/src/${room.slice('server/'.length)}[./]`;
  return `packages/${room}/`;
};

/**
 * The rooms, each with the rooms that its product code may import besides itself. Rooms of the server are listed from top to bottom: each
 * may import only rooms below it, and the walls' test compares the lists with the real imports.
 */
export const rooms = {
  // This import is allowed, because the schemas derive from the kernels' lists of names.
  contracts: ['kernels'],
  kernels: [],
  native: ['kernels'],
  testkit: ['contracts', 'kernels'],
  client: ['contracts'],
  // The page computes with the kernels where it works in the browser alone.
  web: ['contracts', 'client', 'kernels', 'native'],
  plugins: ['contracts', 'kernels', 'native'],
  'server/main': ['contracts', 'server/cli', 'server/ground'],
  'server/cli': [
    'contracts',
    'kernels',
    'native',
    'client',
    'server/run',
    'server/http',
    'server/load',
    'server/predict',
    'server/work',
    'server/resources',
    'server/accounts',
    'server/telemetry',
    'server/store',
    'server/ground',
  ],
  'server/run': [
    'contracts',
    'client',
    'server/http',
    'server/load',
    'server/evaluate',
    'server/predict',
    'server/work',
    'server/accounts',
    'server/telemetry',
    'server/store',
    'server/ground',
  ],
  'server/http': [
    'contracts',
    'kernels',
    'server/evaluate',
    'server/predict',
    'server/work',
    'server/resources',
    'server/accounts',
    'server/telemetry',
    'server/store',
    'server/ground',
  ],
  'server/load': [
    'contracts',
    'kernels',
    'server/evaluate',
    'server/predict',
    'server/work',
    'server/resources',
    'server/store',
    'server/ground',
  ],
  'server/evaluate': [
    'contracts',
    'kernels',
    'server/predict',
    'server/work',
    'server/store',
    'server/ground',
  ],
  'server/predict': ['contracts', 'kernels', 'native', 'server/work', 'server/store', 'server/ground'],
  'server/work': [
    'contracts',
    'kernels',
    'server/resources',
    'server/accounts',
    'server/telemetry',
    'server/store',
    'server/ground',
  ],
  'server/resources': ['contracts', 'kernels', 'server/accounts', 'server/store', 'server/ground'],
  'server/accounts': ['contracts', 'server/store', 'server/ground'],
  'server/telemetry': ['contracts', 'server/store', 'server/ground'],
  'server/store': ['contracts', 'kernels', 'server/ground'],
  'server/ground': ['contracts', 'kernels', 'native'],
};

/** The areas of the store that the others may import, too. Code that all areas share is in `postgres`. */
export const lowerStoreAreas = ['accounts', 'ontology', 'proteins'];

/** The packages that only some rooms may use, and what to use elsewhere. */
export const reserved = [
  {
    packages: ['pg', 'pg-copy-streams', 'kysely'],
    rooms: ['server/store'],
    instead: 'SQL belongs in store/: add a function to a repository there.',
  },
  {
    packages: ['rabbitmq-client'],
    rooms: ['server/work/broker'],
    instead: 'Use the Broker interface of work/broker/broker.ts.',
  },
  {
    packages: ['fastify', '@fastify/[^/]+', 'fastify-[^/]+'],
    rooms: ['server/http', 'server/telemetry'],
    instead: 'Requests end in http/.',
  },
  {
    packages: ['commander', 'cli-progress'],
    rooms: ['server/cli'],
    instead: 'The terminal belongs to cli/.',
  },
  {
    packages: ['@modelcontextprotocol/[^/]+'],
    rooms: ['server/cli'],
    instead: 'Assistants are served by cli/mcp-server.ts.',
  },
  {
    packages: ['yaml'],
    rooms: ['server/run/env', 'server/predict/rerankers'],
    instead: 'run/env.ts is the only reader of the settings file.',
  },
  {
    packages: ['@aws-sdk/[^/]+'],
    rooms: ['server/ground/artifacts'],
    instead: 'Use the ArtifactStore interface of ground/artifacts/artifact-store.ts.',
  },
  {
    packages: ['onnxruntime-[^/]+', 'usearch'],
    rooms: ['native', 'plugins', 'server/predict/compute'],
    instead: 'Numerics run in the compute pool.',
  },
];

const ours = '^(packages|plugins|apps)/';
/** The tests, and the code that only tests use. */
const testCode = String.raw`\.test\.tsx?$|/testing/|^packages/testkit/`;
const anyOf = (names) => names.map((name) => `^${folderOf(name)}`);
const npm = (names) => `node_modules/(@types/)?(${names.join('|')})/`;

const roomRules = Object.entries(rooms)
  .filter(([, may]) => may !== 'all')
  .map(([room, may]) => ({
    name: `who-may-import-whom: ${room}`,
    comment: `${room} may import ${may.length > 0 ? may.join(', ') : 'nothing else of ours'}.`,
    severity: 'error',
    from: { path: `^${folderOf(room)}`, pathNot: room === 'testkit' ? [] : [testCode] },
    // The rule lets no plugin import another one: `$1` is the folder of the importing file.
    to: { path: ours, pathNot: [...anyOf(may), ...ownFolder(room)] },
  }));

function ownFolder(room) {
  return room === 'plugins' ? [] : [`^${folderOf(room)}`];
}

const pluginRule = roomRules.find(({ name }) => name.endsWith(': plugins'));
pluginRule.from.path = '^plugins/([^/]+)/';
pluginRule.to.pathNot.push('^plugins/$1/');

const reservedRules = reserved.map(({ packages, rooms: users, instead }) => ({
  name: `reserved: ${packages[0]}`,
  comment: instead,
  severity: 'error',
  from: { path: ours, pathNot: [...anyOf(users), testCode] },
  to: { path: npm(packages) },
}));

const testRules = [
  {
    name: 'no-test-code-in-the-product',
    comment: 'What the product and its tests share belongs in the product.',
    severity: 'error',
    from: { path: ours, pathNot: testCode },
    to: { path: testCode },
  },
  {
    name: 'no-import-of-a-test',
    comment: 'Move what two tests share into a file of testing/ or into packages/testkit.',
    severity: 'error',
    from: {},
    to: { path: String.raw`\.test\.tsx?$` },
  },
  {
    name: 'tests-below-the-server',
    comment: 'Tests of packages and plugins need no server: they use contracts, kernels and testkit.',
    severity: 'error',
    from: { path: `^(packages|plugins)/.*(${testCode})`, pathNot: '^packages/testkit/' },
    to: { path: '^apps/' },
  },
  {
    name: 'database-tests-are-called-.db.test.ts',
    comment: 'A reader sees by the suffix that a test starts a database.',
    severity: 'error',
    from: { path: String.raw`\.test\.ts$`, pathNot: String.raw`\.db\.test\.ts$` },
    to: { path: '^apps/server/src/testing/test-database', reachable: true },
  },
];

const store = '^apps/server/src/store/';
const storeRules = [
  {
    name: 'areas-of-the-store-are-apart',
    comment: `An area imports postgres/ and ${lowerStoreAreas.join(', ')}. What joins two others is a verb (resources/) or a fragment (postgres/).`,
    severity: 'error',
    from: { path: `${store}(?!migrations/)([^/]+)/`, pathNot: testCode },
    to: { path: store, pathNot: [`${store}(postgres|${lowerStoreAreas.join('|')})/`, `${store}$1/`] },
  },
  {
    name: 'lower-areas-of-the-store-import-no-area',
    comment: 'The lower areas and postgres/ import nothing of the store but themselves and postgres/.',
    severity: 'error',
    from: { path: `${store}(postgres|${lowerStoreAreas.join('|')})/`, pathNot: testCode },
    to: { path: store, pathNot: [`${store}postgres/`, `${store}$1/`] },
  },
];

const generalRules = [
  {
    name: 'no-circles',
    comment: 'Move what both files need into a third one. Type-only imports count: they are a wall, too.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'query-methods-in-store-only',
    comment: 'Outside store/ the handles of postgres/db.ts are passed on: add a function to a repository.',
    severity: 'error',
    from: { path: ours, pathNot: ['^apps/server/src/store/', testCode] },
    to: { path: String.raw`^apps/server/src/store/postgres/connection\.ts$` },
  },
  {
    name: 'every-room-has-a-row',
    comment: 'Add the new room to `rooms` in .dependency-cruiser.mjs, with what it may import.',
    severity: 'error',
    from: {
      path: ours,
      pathNot: [...anyOf(Object.keys(rooms)), testCode],
    },
    to: { path: ours },
  },
  {
    name: 'every-import-is-found',
    severity: 'error',
    from: { path: ours },
    // The output of a build is ignored, because child processes of tests run it, and it may be absent here.
    to: { couldNotResolve: true, pathNot: '/dist/' },
  },
  {
    name: 'kernels-do-no-io',
    comment: 'Bytes and plain objects in, data out. Files, sockets and clocks belong to operations.',
    severity: 'error',
    from: { path: '^packages/kernels/', pathNot: testCode },
    to: { dependencyTypes: ['core'], pathNot: '^(node:)?(buffer|crypto)$' },
  },
];

export default {
  forbidden: [...roomRules, ...reservedRules, ...testRules, ...storeRules, ...generalRules],
  options: {
    doNotFollow: { path: ['node_modules'] },
    exclude: { path: ['^(packages|plugins|apps)/[^/]+/dist/'] },
    tsConfig: { fileName: 'tsconfig.tests.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['kindred-source', 'import', 'node', 'default', 'types'],
    },
  },
};
