import { rmSync } from 'node:fs';
import { backendConformance } from '@kindred/testkit/conformance';
import { afterAll, describe, it } from 'vitest';
import { plugin } from './index.js';
import { modelsFolder } from './testing/golden.js';

const models = modelsFolder('esm2', 'prott5');
afterAll(() => rmSync(models, { recursive: true }));
const context = { dataDir: '', settings: plugin.settings?.parse({ models_dir: models }) ?? {} };

describe.each(['esm2', 'prott5', 'esm2@int8'])('backend plm, %s', (model_name) => {
  const checks = backendConformance(plugin, { context, recipe: { model_name } });
  it.each(checks)('$name', ({ run }) => run());
});
