import { expect, it } from 'vitest';
import { recordOf, searchedSentence } from './searched-words.js';

const searched = {
  name: 'mine@1',
  protein_count: 4401,
  organisms: ['Escherichia coli'],
  has_more_organisms: false,
};
const other = { annotation_set_id: 'a', name: 'human', protein_count: 4000 };

it('says which proteins of which organisms were searched, and what else there is', () => {
  expect(searchedSentence({ references: [searched], others: [other] })).toBe(
    'Searched: mine@1, 4,401 annotated proteins of Escherichia coli. Other references are loaded and were not searched:',
  );
  const many = { ...searched, organisms: ['A a', 'B b', 'C c'], has_more_organisms: true };
  const three = { references: [many], others: [] };
  expect(searchedSentence(three)).toBe(
    'Searched: mine@1, 4,401 annotated proteins of A a, B b, C c and others. No other reference is loaded: one of its own organism helps most (kindred reference build).',
  );
  const nameless = { ...searched, organisms: [] };
  expect(searchedSentence({ references: [nameless, searched], others: [other] })).toContain(
    'Searched: mine@1, 4,401 annotated proteins; mine@1, 4,401 annotated proteins of Escherichia coli. ',
  );
});

it('takes one record out of FASTA, by the name that the service uses', () => {
  const fasta = '>sp|P1|A_B x\nMK\nTT\n>P2 y\nMM\n';
  expect(recordOf(fasta, 'P1')).toBe('>sp|P1|A_B x\nMK\nTT\n');
  expect(recordOf(fasta, 'P2')).toBe('>P2 y\nMM\n');
  expect(() => recordOf(fasta, 'P3')).toThrow('no longer there');
});
