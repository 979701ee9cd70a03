import { sourceConformance } from '@kindred/testkit/conformance';
import { describe, it } from 'vitest';
import { plugin } from './index.js';

const row = (accession: string, entry: string) => `${accession}\t${entry}\tname\tPF00001\t1\t9\n`;

describe('source interpro', () => {
  it.each(
    sourceConformance(plugin, {
      method: 'domainMatches',
      parameters: { matches_url: 'file:///matches.dat' },
      files: { 'file:///matches.dat': row('P1', 'IPR000001') + row('P2', 'IPR000002') + row('P3', 'x') },
      records: 2,
      rejected: 1,
    }),
  )('$name', ({ run }) => run());
});
