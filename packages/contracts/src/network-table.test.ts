import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  type NetworkRates,
  networkSentences,
  networkTableHead,
  networkTableRows,
  withoutTermsSentence,
} from './network-table.js';

const term = {
  ...{ goId: 'GO:0004672', name: 'protein kinase activity', aspect: 'F' as const },
  ...{ bits: 6.5, score: 0.7, impliedBy: null },
};

it('writes a row for each term, and says in each that the score is not calibrated', () => {
  const [row] = networkTableRows('Q1', { terms: [term] });
  expect(row).toHaveLength(networkTableHead.length);
  expect(row?.slice(0, 7)).toEqual(['Q1', 'F', 'GO:0004672', term.name, '0.700000', '6.50', '']);
  expect(row?.at(-1)).toMatch(/^not calibrated; .*no similar protein was looked for$/);
});

it('says why a protein has no terms, and never writes a formula', () => {
  expect(networkTableRows('=Q1', { refusal: 'short_for_network' })).toEqual([
    [
      "'=Q1",
      '',
      '',
      '',
      '',
      '',
      '',
      'The sequence has fewer than 30 residues; the network was trained on longer ones.',
    ],
  ]);
  expect(withoutTermsSentence({ terms: [] })).toBe('The network gives no term a score of 0.2 or more.');
  expect(withoutTermsSentence({ terms: [term] })).toBeNull();
});

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const rates = JSON.parse(read('models/network/rates.json')) as NetworkRates;

it('says how often the shipped network was right, and that nonsense gets terms', () => {
  const [first, second, third] = networkSentences(rates);
  expect(first).toMatch(/^These scores are not calibrated\./);
  expect(second).toContain(
    'functions 20 %, 44 % and 95 %; processes 15 %, 43 % and 95 %; components 20 %, 52 % and 95 %',
  );
  expect(third).toContain('of 944 shuffled proteins, 99 %, 61 % and 20 %');
});

it('has its figures in the documentation', () => {
  const page = read('docs/explanation/accuracy.md');
  rates.bands.F.forEach((_, at) => {
    const cells = (['F', 'P', 'C'] as const).map((aspect) => {
      const { said, right } = rates.bands[aspect][at];
      return `${(right / said).toFixed(2).slice(1)} of ${said.toLocaleString('en')}`;
    });
    expect(page).toContain(`| ${cells.join(' | ')} |`);
  });
});
