import { expect, it } from 'vitest';
import { namesOfQuery } from './index.js';

const known = { protein_name: 'Fumarase', gene_name: 'fumA', organism: 'Escherichia coli' };
const nothing = { protein_name: null, gene_name: null, organism: null };

it.each([
  ['sp|P1|X_HUMAN Some protein OS=Homo sapiens GN=ABC', null, ['Some protein', 'ABC', 'Homo sapiens']],
  ['q1 Some protein', known, ['Some protein', 'fumA', 'Escherichia coli']],
  ['q1', known, ['Fumarase', 'fumA', 'Escherichia coli']],
  ['q1 OX=9606', nothing, [null, null, null]],
  ['c_1 # 2 # 181 # -1 # ID=1_1;partial=10;start_type=ATG', null, [null, null, null]],
  [null, known, ['Fumarase', 'fumA', 'Escherichia coli']],
])('takes the names of %s from its header, else from the reference', (header, reference, names) => {
  expect(Object.values(namesOfQuery(header, reference))).toEqual(names);
});
