import { sourceConformance } from '@kindred/testkit/conformance';
import { describe, it } from 'vitest';
import { plugin } from './index.js';

const base_url = 'https://uniprot.test/search';

describe('source uniprot', () => {
  it.each(
    sourceConformance(plugin, {
      method: 'proteins',
      parameters: { search_criteria: 'x', base_url },
      files: {
        [base_url]: '>sp|P1|A_HUMAN One OS=H OX=9606\nMKT\n>sp|P2|B_HUMAN Two\nMKV\n>sp|P3|C_HUMAN\nM1\n',
      },
      records: 2,
      rejected: 1,
    }),
  )('$name', ({ run }) => run());
});
