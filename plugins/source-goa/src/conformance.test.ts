import { sourceConformance } from '@kindred/testkit/conformance';
import { describe, it } from 'vitest';
import { plugin } from './index.js';

const row = (accession: string, goId = 'GO:0008150') =>
  `UniProtKB\t${accession}\tS\tinvolved_in\t${goId}\tPMID:1\tIDA\t\tP\t\t\tprotein\ttaxon:1\t20200101\tX\t\t\n`;

describe('source goa', () => {
  it.each(
    sourceConformance(plugin, {
      method: 'annotations',
      parameters: { gaf_url: 'file:///a.gaf' },
      files: {
        'file:///a.gaf': `!gaf-version: 2.2\n${row('P1')}${row('P2')}${row('P2')}${row('P3', 'GO:1')}`,
      },
      records: 3,
      rejected: 1,
    }),
  )('$name', ({ run }) => run());
});
