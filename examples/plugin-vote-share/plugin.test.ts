import { join } from 'node:path';
import type { RunnerPlugin } from '@kindred/contracts';
import { runnerConformance } from '@kindred/testkit/conformance';
import { describe, it } from 'vitest';

const { plugin } = (await import(join(import.meta.dirname, 'index.js'))) as { plugin: RunnerPlugin };

describe('the example runner', () => {
  it.each(runnerConformance(plugin))('$name', ({ run }) => run());
});
