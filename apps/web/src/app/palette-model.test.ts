import { expect, it } from 'vitest';
import { commandsFor } from './palette-model.js';

const pages = [
  { label: 'Annotate', to: '/' },
  { label: 'Runs', to: '/results' },
];
const runs = Array.from({ length: 9 }, (_, i) => ({ label: `Run ${i}`, to: `/progress/${i}` }));
const parts = [{ label: 'Operation: Dead letters', to: '/operation/dead-letters' }];
const places = { pages, parts, runs };
const found = (text: string) => commandsFor(text, places).map(({ label, to }) => `${label} ${to}`);

it('offers pages and the newest runs before anything is typed, and no glossary', () => {
  expect(found('')).toHaveLength(8);
  expect(commandsFor('', places).some(({ group }) => group === 'Glossary')).toBe(false);
});

it('finds by a part of a name', () => {
  expect(found('notate')).toEqual(['Annotate /']);
  expect(found('run 8')).toEqual(['Run 8 /progress/8']);
});

it('finds a part of a page only when its name is typed', () => {
  expect(found('dead')).toEqual(['Operation: Dead letters /operation/dead-letters']);
  expect(found('').some((one) => one.includes('Dead letters'))).toBe(false);
});

it('says which pages are outside the client', () => {
  const [plain, within] = commandsFor('', {
    ...places,
    pages: [{ label: 'API', to: '/docs', isPlain: true }, ...pages],
  });
  expect([plain?.isPlain, within?.isPlain]).toEqual([true, undefined]);
});

it('leads to a term or a protein by its id', () => {
  expect(found('go:0005515')).toEqual(['Term GO:0005515 /go/GO:0005515']);
  expect(found('0005515')).toEqual(['Term GO:0005515 /go/GO:0005515']);
  expect(found('p05108')).toEqual(['Protein P05108 /proteins/P05108']);
  expect(found('similar')).toEqual([]);
});

it('explains a word of the glossary', () => {
  const [word] = commandsFor('fmax', places);
  expect(word).toMatchObject({ group: 'Glossary', label: 'Fmax', to: null });
  expect(word?.about).toMatch(/precision and recall/);
});
