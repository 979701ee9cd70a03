import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningExample, runScript, startService } from './testing/service.js';

describe('the example set through the running service', () => {
  let service: RunningExample;
  beforeAll(async () => {
    service = await startService({}, 'examples');
  });
  afterAll(() => service?.stop());

  it('names a known term first for at least 8 of 10 queries with a close relative', async () => {
    const { code, output } = await runScript('check-queries.mjs', service.access);
    expect(output).toMatch(/all queries: \d+ of 25/);
    expect(output).toMatch(/best hit above 60 % identity: [67] of 7/);
    // The list leaves out "protein binding", which most of the reference proteins carry and which says little.
    expect(output).not.toMatch(/GO:0005515/);
    expect(code, output).toBe(0);
  });
});
