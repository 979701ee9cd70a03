import { OntologyGraph, parseObo } from '../ontology/index.js';
import { describe, expect, it } from 'vitest';
import { compareProtein, type OtherStatements, type OwnStatement } from './who-says-what.js';

const id = (number: number) => `GO:000000${number}`;
const term = (number: number, ...parents: number[]) =>
  `[Term]\nid: ${id(number)}\nname: t${number}\nnamespace: molecular_function\n${parents.map((parent) => `is_a: ${id(parent)}\n`).join('')}`;
/** 1 is the root; 2 and 5 are below it, 3 below 2, 4 below 3. */
const graph = OntologyGraph.fromDocument(
  parseObo(
    `format-version: 1.2\ndata-version: test\n\n${[term(1), term(2, 1), term(3, 2), term(4, 3), term(5, 1)].join('\n')}`,
  ),
);
const own = (number: number, more: Partial<OwnStatement> = {}): OwnStatement => ({
  ...{
    goId: id(number),
    kind: 'predicted',
    score: 0.5,
    certainty: 'likely',
    contradiction: null,
    isListed: true,
  },
  ...more,
});
const told = (terms: Record<number, number | null>) =>
  new Map(Object.entries(terms).map(([number, score]) => [id(Number(number)), { score, basis: null }]));
/** The programs are a, b and so on. */
const compare = (mine: OwnStatement[], ...others: OtherStatements[]) =>
  compareProtein(graph, mine, new Map(others.map((statements, at) => ['abc'[at], statements])));
const short = (mine: OwnStatement[], ...others: OtherStatements[]) =>
  compare(mine, ...others).rows.map(({ goId, agreement, own: by, others: said }) =>
    [
      goId,
      agreement,
      by?.goId ?? '-',
      ...(said.length === 0 ? ['-'] : said.map((one) => one.program + one.goId)),
    ]
      .map((text) => text.replace('GO:000000', ''))
      .join(' '),
  );

describe('the comparison with another program', () => {
  it('takes a more specific term of either side as agreement', () => {
    expect(short([own(2)], told({ 4: null }))).toEqual(['2 both 2 a4', '4 only_others - a4']);
    expect(short([own(4)], told({ 2: null }))).toEqual(['4 only_kindred 4 -', '2 both 4 a2']);
    expect(short([own(5)], told({ 5: null }))).toEqual(['5 both 5 a5']);
  });

  it('leaves out terms that a term of the same side implies, unless they are more certain', () => {
    expect(short([], told({ 1: null, 2: null, 4: null }))).toEqual(['4 only_others - a4']);
    expect(compare([], told({ 1: null, 2: null, 4: null })).implied).toBe(2);
    expect(short([], told({ 2: 0.9, 3: 0.4, 4: 0.4 }))).toEqual(['2 only_others - a2', '4 only_others - a4']);
    expect(short([own(2, { isListed: false }), own(4)], told({ 2: 1 }))).toEqual([
      '4 only_kindred 4 -',
      '2 both 2 a2',
    ]);
  });

  it('says what speaks against a term: NOT also against those below, a contradiction against the term alone', () => {
    const not = own(2, { kind: 'known_not', score: null });
    expect(short([not], told({ 4: null }))).toEqual(['4 contradicted 2 a4']);
    expect(short([own(3, { contradiction: 'never_in_taxon' })], told({ 3: null }))).toEqual([
      '3 contradicted 3 a3',
    ]);
    expect(short([own(3, { contradiction: 'never_in_taxon' })], told({ 4: null }))).toEqual([
      '4 only_others - a4',
    ]);
    expect(short([not], told({}))).toEqual([]);
  });

  it('puts several programs into one row, each with what it says', () => {
    expect(short([own(2)], told({ 4: null }), told({ 3: 0.5, 5: 0.2 }))).toEqual([
      '2 both 2 a4 b3',
      '4 only_others - a4',
      '3 only_others - a4 b3',
      '5 only_others - b5',
    ]);
    expect(compare([], told({ 1: null, 2: null }), told({ 1: null, 2: null })).implied).toBe(2);
  });

  it('names what is known before what is predicted, and the highest score', () => {
    const rows = compare([own(3, { score: 0.9 }), own(4, { kind: 'known', score: null })], told({ 2: 1 }));
    expect(rows.rows.at(-1)).toMatchObject({ goId: id(2), own: { kind: 'known', goId: id(4) } });
  });
});
