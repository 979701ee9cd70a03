import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error: the rule file is plain JavaScript
import * as ruleFile from '../.dependency-cruiser.mjs';

const rooms = ruleFile.rooms as Record<string, string[] | 'all'>;
const rules = ruleFile.default as Required<IConfiguration>;

const target: Record<string, string> = {
  'packages/contracts/src/index.ts': 'export const a = 1;',
  'packages/kernels/src/knn/index.ts': 'export const a = 1;',
  'plugins/source-goa/src/index.ts': 'export const a = 1;',
  'packages/native/src/index.ts': 'export const a = 1;',
  'apps/server/src/store/db.ts': 'export const a = 1;',
  'apps/server/src/jobs/submit.ts': 'export const a = 1;',
  'apps/server/src/operations/catalogue.ts': 'export const a = 1;',
  'apps/server/src/env.ts': 'export const a = 1;',
  'apps/server/src/testing/test-database.ts': 'export const a = 1;',
  'apps/server/src/http/types.ts': 'export interface A { a: 1 }',
  'apps/server/src/vectors/b.ts': "import type { A } from './a.js'; export type B = A",
  'node_modules/pg/index.js': 'export default 1;',
  'node_modules/pg/package.json': '{"name":"pg","version":"1.0.0","type":"module","main":"index.js"}',
  'node_modules/rabbitmq-client/index.js': 'export default 1;',
  'node_modules/rabbitmq-client/package.json':
    '{"name":"rabbitmq-client","version":"1.0.0","type":"module","main":"index.js"}',
  'package.json': '{"dependencies":{"pg":"1.0.0","rabbitmq-client":"1.0.0"}}',
  'tsconfig.tests.json': '{"compilerOptions":{"module":"NodeNext"}}',
};

/** Importing file, what it imports, and the rule that refuses it; null: allowed. */
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
  ['plugins/source-goa/src/b.test.ts', "import '../../../apps/server/src/env.js'", 'tests-below-the-server'],
  ['apps/server/src/store/a.ts', "import '../jobs/submit.js'", 'who-may-import-whom: server/store'],
  [
    'apps/server/src/jobs/a.ts',
    "import type { A } from '../http/types.js'",
    'who-may-import-whom: server/jobs',
  ],
  ['apps/server/src/http/b.ts', "import '../operations/catalogue.js'", 'who-may-import-whom: server/http'],
  [
    'apps/server/src/operations/a.ts',
    "export const env = () => import('../env.js')",
    'who-may-import-whom: server/operations',
  ],
  ['apps/server/src/http/c.ts', "import 'pg'", 'reserved: pg'],
  ['apps/server/src/store/b.ts', "import 'pg'", null],
  ['apps/server/src/worker/a.ts', "import 'rabbitmq-client'", 'reserved: rabbitmq-client'],
  ['apps/server/src/newroom/a.ts', "import '../store/db.js'", 'every-room-has-a-row'],
  ['apps/server/src/jobs/b.ts', "import '../testing/test-database.js'", 'no-test-code-in-the-product'],
  [
    'apps/server/src/jobs/c.test.ts',
    "import '../testing/test-database.js'",
    'database-tests-are-called-.db.test.ts',
  ],
  ['apps/server/src/jobs/d.db.test.ts', "import '../testing/test-database.js'", null],
  ['apps/server/src/compose.ts', "import './store/db.js'", null],
  ['apps/server/src/vectors/a.ts', "import type { B } from './b.js'; export type A = B", 'no-circles'],
  ['apps/server/src/vectors/c.ts', "import './absent.js'", 'every-import-is-found'],
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

  it('has a row for each folder of the server, and no circle between rooms', () => {
    const source = fileURLToPath(new URL('../apps/server/src', import.meta.url));
    const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const names = folders.map(({ name }) => `server/${name}`).filter((name) => name !== 'server/testing');
    expect(Object.keys(rooms)).toEqual(expect.arrayContaining(names));
    const visit = (room: string, path: string[]): void => {
      expect(path, 'a circle of rooms').not.toContain(room);
      const may = rooms[room];
      if (may !== 'all') for (const next of may ?? []) visit(next, [...path, room]);
    };
    for (const room of Object.keys(rooms)) visit(room, []);
  });
});

it('keeps the store in at most 12 areas of at most 12 files, besides the history of its schema', () => {
  const store = join(dirname(dirname(fileURLToPath(import.meta.url))), 'apps/server/src/store');
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
