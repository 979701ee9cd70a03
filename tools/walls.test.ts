import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: the rule file is plain JavaScript
import * as ruleFile from '../.dependency-cruiser.mjs';
// @ts-expect-error: so is this one
import { cruisedTree, houseOf } from './walls.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rooms = ruleFile.rooms as Record<string, string[]>;
const rules = ruleFile.default as Required<IConfiguration>;

const target: Record<string, string> = {
  'packages/contracts/src/index.ts': 'export const a = 1;',
  'packages/kernels/src/knn/index.ts': 'export const a = 1;',
  'plugins/source-goa/src/index.ts': 'export const a = 1;',
  'packages/native/src/index.ts': 'export const a = 1;',
  'apps/server/src/store/db.ts': 'export const a = 1;',
  'apps/server/src/store/postgres/cursor.ts': 'export const a = 1;',
  'apps/server/src/work/jobs/submit.ts': 'export const a = 1;',
  'apps/server/src/run/catalogue.ts': 'export const a = 1;',
  'apps/server/src/run/env.ts': 'export const a = 1;',
  'apps/server/src/testing/test-database.ts': 'export const a = 1;',
  'apps/server/src/http/types.ts': 'export interface A { a: 1 }',
  'apps/server/src/predict/b.ts': "import type { A } from './a.js'; export type B = A",
  'node_modules/pg/index.js': 'export default 1;',
  'node_modules/pg/package.json': '{"name":"pg","version":"1.0.0","type":"module","main":"index.js"}',
  'node_modules/rabbitmq-client/index.js': 'export default 1;',
  'node_modules/rabbitmq-client/package.json':
    '{"name":"rabbitmq-client","version":"1.0.0","type":"module","main":"index.js"}',
  'package.json': '{"dependencies":{"pg":"1.0.0","rabbitmq-client":"1.0.0"}}',
  'tsconfig.tests.json': '{"compilerOptions":{"module":"NodeNext"}}',
};

/** Cases with the importing file, the import, and the rule that refuses it; null means allowed. */
const imports: [path: string, line: string, rule: string | null][] = [
  ['packages/kernels/src/a.ts', "import '../../contracts/src/index.js'", 'who-may-import-whom: kernels'],
  ['packages/kernels/src/b.ts', "import 'node:fs'", 'kernels-do-no-io'],
  ['packages/kernels/src/c.ts', "import './knn/index.js'", null],
  ['packages/contracts/src/a.ts', "import '../../native/src/index.js'", 'who-may-import-whom: contracts'],
  [
    'plugins/source-quickgo/src/a.ts',
    "import '../../source-goa/src/index.js'",
    'who-may-import-whom: plugins',
  ],
  ['plugins/source-goa/src/a.ts', "import './index.js'", null],
  [
    'plugins/source-goa/src/b.test.ts',
    "import '../../../apps/server/src/run/env.js'",
    'tests-below-the-server',
  ],
  ['apps/server/src/store/a.ts', "import '../work/jobs/submit.js'", 'who-may-import-whom: server/store'],
  [
    'apps/server/src/work/jobs/a.ts',
    "import type { A } from '../../http/types.js'",
    'who-may-import-whom: server/work',
  ],
  ['apps/server/src/http/b.ts', "import '../run/catalogue.js'", 'who-may-import-whom: server/http'],
  [
    'apps/server/src/predict/d.ts',
    "export const env = () => import('../run/env.js')",
    'who-may-import-whom: server/predict',
  ],
  ['apps/server/src/http/c.ts', "import 'pg'", 'reserved: pg'],
  ['apps/server/src/store/b.ts', "import 'pg'", null],
  ['apps/server/src/store/jobs/a.ts', "import '../proteins/a.js'", null],
  ['apps/server/src/store/records/a.ts', "import '../jobs/a.js'", 'areas-of-the-store-are-apart'],
  [
    'apps/server/src/store/proteins/a.ts',
    "import '../ontology/a.js'",
    'lower-areas-of-the-store-import-no-area',
  ],
  ['apps/server/src/store/ontology/a.ts', "import '../postgres/cursor.js'", null],
  [
    'apps/server/src/store/postgres/a.ts',
    "export const rows = () => import('../proteins/a.js')",
    'lower-areas-of-the-store-import-no-area',
  ],
  ['apps/server/src/work/worker/a.ts', "import 'rabbitmq-client'", 'reserved: rabbitmq-client'],
  ['apps/server/src/work/broker/a.ts', "import 'rabbitmq-client'", null],
  ['apps/server/src/newroom/a.ts', "import '../store/db.js'", 'every-room-has-a-row'],
  ['apps/server/src/work/b.ts', "import '../testing/test-database.js'", 'no-test-code-in-the-product'],
  [
    'apps/server/src/work/c.test.ts',
    "import '../testing/test-database.js'",
    'database-tests-are-called-.db.test.ts',
  ],
  ['apps/server/src/work/d.db.test.ts', "import '../testing/test-database.js'", null],
  ['apps/server/src/run/compose.ts', "import '../store/db.js'", null],
  ['apps/server/src/predict/a.ts', "import type { B } from './b.js'; export type A = B", 'no-circles'],
  ['apps/server/src/predict/c.ts', "import './absent.js'", 'every-import-is-found'],
];

describe('who may import whom', () => {
  let folder: string;
  let refused: Map<string, string[]>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kindred-walls-'));
    for (const [path, line] of [...Object.entries(target), ...imports]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${line}\n`);
    }
    const { tsConfig: _, ...options } = rules.options;
    const ruleSet = { forbidden: rules.forbidden };
    const { output } = await cruise(['packages', 'plugins', 'apps'], {
      ...options,
      baseDir: folder,
      validate: true,
      ruleSet,
    });
    refused = new Map();
    for (const { from, rule } of (output as ICruiseResult).summary.violations)
      refused.set(from, [...(refused.get(from) ?? []), rule.name]);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(imports)('%s: %s -> %s', (path, _line, rule) => {
    const found = refused.get(path) ?? [];
    if (rule === null) expect(found).toEqual([]);
    else expect(found).toContain(rule);
  });
});

describe('the house of the server', () => {
  let house: { rooms: string[]; arrows: Map<string, string[]>; upward: string[]; circles: string[][] };
  let violations: unknown[];
  beforeAll(async () => {
    const tree = (await cruisedTree()) as ICruiseResult;
    violations = tree.summary.violations;
    house = houseOf(tree);
  });

  it('has at most 16 rooms and 70 arrows between them, none of which runs upward', () => {
    expect(violations).toEqual([]);
    expect(house.rooms.length).toBeLessThanOrEqual(16);
    expect(house.arrows.size).toBeLessThanOrEqual(70);
    expect(house.upward).toEqual([]);
  });

  it('has no circle of folders in a room', () => {
    expect(house.circles).toEqual([]);
  });

  it('allows the imports that there are, and no others', () => {
    const inServer = (name: string) => name.startsWith('server/');
    const allowed = Object.entries(rooms).flatMap(([room, may]) =>
      inServer(room) ? may.filter(inServer).map((target) => `${room} -> ${target}`) : [],
    );
    const found = [...house.arrows.keys()].filter((arrow) => !arrow.startsWith('testing'));
    expect(allowed.map((arrow) => arrow.replaceAll('server/', '')).sort()).toEqual(found.sort());
  });

  it('is drawn on the map with each folder that there is, and no other', () => {
    const map = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8');
    const drawn = new Set<string>();
    let wing = '';
    for (const line of /^ {2}server\/src\/\n(.*?)^ {2}web/ms.exec(map)?.[1].split('\n') ?? []) {
      const [, indent, names] = /^( {4}| {6})((?:[\w.-]+\/ *)+) /.exec(line) ?? [];
      if (indent === undefined) continue;
      const folders = names.trim().split(/\/ */).slice(0, -1);
      if (indent.length === 4) wing = folders[0];
      for (const folder of folders) drawn.add(indent.length === 4 ? folder : `${wing}/${folder}`);
    }
    const foldersOf = (path: string) =>
      readdirSync(join(root, 'apps/server/src', path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => (path === '' ? name : `${path}/${name}`));
    // The folders of the command line are left out, because its line describes them.
    const inside = foldersOf('')
      .filter((name) => name !== 'cli')
      .flatMap(foldersOf);
    expect([...drawn].sort()).toEqual(
      [...foldersOf(''), ...inside.filter((name) => name !== 'http/routes')].sort(),
    );
  });
});

it('keeps the store in at most 12 areas of at most 12 files, besides the history of its schema', () => {
  const store = join(root, 'apps/server/src/store');
  const areas = readdirSync(store, { withFileTypes: true })
    .filter(
      (entry) =>
        entry.isDirectory() && entry.name !== 'migrations' && readdirSync(join(store, entry.name)).length > 0,
    )
    .map(({ name }) => name);
  expect(areas.length).toBeLessThanOrEqual(12);
  for (const area of areas) {
    const files = readdirSync(join(store, area)).filter((name) => /(?<!\.test)\.ts$/.test(name));
    expect(files.length, area).toBeLessThanOrEqual(12);
  }
});
