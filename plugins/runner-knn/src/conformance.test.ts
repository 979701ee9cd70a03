import { runnerConformance } from '@kindred/testkit/conformance';
import { describe, it } from 'vitest';
import { plugin } from './index.js';

describe('runner knn', () => {
  it.each(runnerConformance(plugin))('$name', ({ run }) => run());
});
