import { backendConformance } from '@kindred/testkit/conformance';
import { describe, it } from 'vitest';
import { plugin } from './index.js';

describe('backend kindred', () => {
  it.each(backendConformance(plugin))('$name', ({ run }) => run());
});
