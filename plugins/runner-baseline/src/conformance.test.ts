import { runnerConformance } from '@kindred/testkit/conformance';
import { describe, it } from 'vitest';
import { plugin } from './index.js';

describe('runner baseline', () => {
  it.each(runnerConformance(plugin, { withoutSources: true }))('$name', ({ run }) => run());
});
