import { expect, it } from 'vitest';
import { commandsFor } from './palette-model.js';

const pages = [
  { label: 'Annotate', to: '/' },
  { label: 'Results', to: '/results' },
];
const runs = Array.from({ length: 9 }, (_, i) => ({ label: `Run ${i}`, to: `/progress/${i}` }));
const found = (text: string) => commandsFor(text, pages, runs).map(({ label, to }) => `${label} ${to}`);

it('offers pages and the newest runs before anything is typed, and no glossary', () => {
  expect(found('')).toHaveLength(8);
  expect(commandsFor('', pages, runs).some(({ group }) => group === 'Glossary')).toBe(false);
});

it('finds by a part of a name', () => {
  expect(found('resul')).toEqual(['Results /results']);
  expect(found('run 8')).toEqual(['Run 8 /progress/8']);
});

it('says which pages are outside the client', () => {
  const [plain, within] = commandsFor('', [{ label: 'API', to: '/docs', isPlain: true }, ...pages], []);
  expect([plain?.isPlain, within?.isPlain]).toEqual([true, undefined]);
});

it('leads to a term or a protein by its id', () => {
  expect(found('go:0005515')).toEqual(['Term GO:0005515 /go/GO:0005515']);
  expect(found('0005515')).toEqual(['Term GO:0005515 /go/GO:0005515']);
  expect(found('p05108')).toEqual(['Protein P05108 /proteins/P05108']);
  expect(found('similar')).toEqual([]);
});

it('explains a word of the glossary', () => {
  const [word] = commandsFor('fmax', pages, runs);
  expect(word).toMatchObject({ group: 'Glossary', label: 'Fmax', to: null });
  expect(word?.about).toMatch(/precision and recall/);
});
