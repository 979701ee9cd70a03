import { expect, it } from 'vitest';
import { supportSentence, supportText } from './support.js';

const distant = { is_similar: false, is_copied: false };
const similar = { is_similar: true, is_copied: false };
const copy = { is_similar: true, is_copied: true };
const sequence = { is_similar: null, is_copied: false };

it.each([
  [{ similar_proteins: 7, supporters: 4, source_kind: 'protein' }, '4 of 7'],
  [{ similar_proteins: 1, supporters: 0, source_kind: 'protein' }, 'only distant'],
  [{ similar_proteins: 0, supporters: 0, source_kind: 'protein' }, 'only distant'],
  [{ similar_proteins: 3, supporters: 0, source_kind: 'own_annotation' }, '0 of 3'],
  [{ similar_proteins: 0, supporters: 0, source_kind: 'own_annotation' }, 'none'],
  [{ similar_proteins: null, supporters: null, source_kind: 'protein' }, null],
])('a cell of %o is %s', (term, text) => {
  expect(supportText(term)).toBe(text);
});

it.each([
  [7, 4, [similar, similar, similar, similar], '4 of 7 similar proteins have the term'],
  [7, 1, [similar, distant, distant], '1 of 7 similar proteins has the term; 2 more distant ones have it'],
  [1, 0, [distant], '0 of 1 similar protein has the term; 1 more distant one has it'],
  [0, 0, [distant], 'No protein is similar; 1 more distant one has it'],
  [0, 0, [], 'No protein is similar'],
  [5, 2, [sequence, sequence, sequence], '3 proteins with the term'],
  [7, 2, [similar, copy], '2 of 7 similar proteins have the term; 1 has it from this very protein'],
  [null, null, [], 'No protein has the term'],
])('a heading of %s and %s is %o', (similar_proteins, supporters, sources, text) => {
  expect(supportSentence({ similar_proteins, supporters }, sources)).toBe(text);
});
