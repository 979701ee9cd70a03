import { describe, expect, it } from 'vitest';
// @ts-expect-error: the tools are plain JavaScript
import { faultsOf } from './check-imports.mjs';

const faults = (path: string, text: string) => faultsOf(path, text) as string[];

describe('who may import whom', () => {
  it.each([
    ['packages/kernels/src/knn/index.ts', "import { x } from '@kindred/contracts';"],
    ['packages/kernels/src/scoring/index.ts', "export * from '@kindred/contracts/roles';"],
    ['plugins/source-goa/src/index.ts', "import { openDatabase } from '@kindred/server/store/postgres/db';"],
    ['apps/server/src/store/postgres/db.ts', "import { submit } from '../../jobs/submit.js';"],
    ['apps/server/src/jobs/submit.ts', "import type { Api } from '../http/deps.js';"],
    ['apps/server/src/http/app.ts', "import { run } from '../operations/catalogue.js';"],
    ['apps/server/src/operations/ping.ts', "const { loadSettings } = await import('../env.js');"],
    ['apps/server/src/http/routes/jobs/routes.ts', "import pg from 'pg';"],
    ['apps/server/src/worker/worker.ts', "import {\n  Connection,\n} from 'rabbitmq-client';"],
    ['apps/server/src/newroom/a.ts', "import { x } from '../store/postgres/db.js';"],
  ])('refuses %s: %s', (path, text) => {
    expect(faults(path, text)).toHaveLength(1);
    expect(faults(path, text)[0]).toContain(path);
  });

  it.each([
    ['packages/kernels/src/knn/index.ts', "import { x } from '../arrays/index.js';"],
    ['plugins/source-goa/src/index.ts', "import { readGaf } from '@kindred/kernels/formats';"],
    ['apps/server/src/http/routes/jobs/routes.ts', "import { submitJob } from '../../../jobs/submit.js';"],
    ['apps/server/src/store/jobs/jobs.repository.ts', "import { sql } from 'kysely';"],
    ['apps/server/src/compose.ts', "import { createRabbitBroker } from './broker/rabbitmq.js';"],
    ['apps/server/src/jobs/submit.test.ts', "import { buildApp } from '../http/app.js';"],
    ['apps/server/src/jobs/submit.ts', "// import pg from 'pg'\nimport { createHash } from 'node:crypto';"],
  ])('lets %s: %s', (path, text) => {
    expect(faults(path, text)).toEqual([]);
  });

  it('keeps process.env in env.ts', () => {
    expect(faults('apps/server/src/jobs/submit.ts', 'const a = process.env.SVC_PORT;')).toHaveLength(1);
    expect(faults('apps/server/src/env.ts', 'const a = process.env.SVC_PORT;')).toEqual([]);
  });
});
