import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crossReferencesOf, ecOfText, noCrossReferences, numbersIn, referencesOfProtein } from './index.js';

const record = (text: string, goId: string) => {
  const [database, externalId] = text.split(':');
  return { database, externalId, goId };
};

test('an EC number is written with its four parts; another text is none', () => {
  expect(['3.5.4.2', '3.5', '3.5.-.-', '1', '1.-.-.-', '1.1.1.n12'].map(ecOfText)).toEqual([
    '3.5.4.2',
    '3.5.-.-',
    '3.5.-.-',
    '1.-.-.-',
    '1.-.-.-',
    '1.1.1.n12',
  ]);
  for (const text of ['', '8.1.1.1', '3.5.4.2.1', '3.5.4.B4', '3.-.4.2', '3.5.-.-.-', 'x', '3.5.4.2 '])
    expect(ecOfText(text), text).toBeNull();
});

test('numbers are gathered by term, each once, in the order of numbers', () => {
  const references = crossReferencesOf([
    record('EC:1.1.1.10', 'GO:0000001'),
    record('EC:1.1.1.9', 'GO:0000001'),
    record('EC:1.1.1.9', 'GO:0000001'),
    record('RHEA:200', 'GO:0000001'),
    record('RHEA:30', 'GO:0000001'),
    record('RHEA:7', 'GO:0000002'),
    record('EC:2.7.1.B19', 'GO:0000003'),
    record('KEGG:R00001', 'GO:0000003'),
  ]);
  expect([...references]).toEqual([
    ['GO:0000001', { ec_numbers: '1.1.1.9|1.1.1.10', rhea_reactions: '30|200' }],
    ['GO:0000002', { ec_numbers: null, rhea_reactions: '7' }],
  ]);
});

describe('the numbers of a protein', () => {
  const known = (ec_numbers: string | null) => ({ ec_numbers, rhea_reactions: null, is_negated: false });
  const of = (...numbers: (string | null)[]) => referencesOfProtein(numbers.map(known), []).ecNumbers;

  test('leave out a class that one of the others belongs to, and no other number', () => {
    expect(of('1.1.1.1', null, '1.1.1.-', '1.-.-.-', '2.7.-.-', '1.1.1.1')).toEqual(['1.1.1.1', '2.7.-.-']);
    expect(of('1.1.-.-', '1.10.3.2')).toEqual(['1.1.-.-', '1.10.3.2']);
    expect(of('1.1.1.1|4.2.1.2')).toEqual(['1.1.1.1', '4.2.1.2']);
    expect(of(noCrossReferences.ec_numbers)).toEqual([]);
  });

  test('are those of known terms and of likely ones: not of denied, doubtful, contradicted, implied or uncalibrated terms', () => {
    const term = { is_known: false, folded_under: null, contradiction: null, ec_numbers: null };
    const predicted = (rhea: string, probability: number | null, more = {}) => ({
      ...{ ...term, rhea_reactions: rhea, probability },
      ...more,
    });
    const { ecNumbers, rheaReactions } = referencesOfProtein(
      [known('1.1.1.1'), { ...known('2.2.2.2'), is_negated: true }],
      [
        predicted('1', 0.5),
        predicted('2', 0.49),
        predicted('3', null),
        predicted('4', 0.9, { contradiction: 'never in Bacteria' }),
        predicted('5', 0.9, { is_known: true }),
        predicted('6|1', 0.99, { is_known: null }),
        predicted('7', 0.9, { folded_under: 'GO:0000001' }),
      ],
    );
    expect([ecNumbers, rheaReactions]).toEqual([['1.1.1.1'], ['1', '6']]);
  });

  test('are each a number of a term, and each number of a term is one of them or a class of one', () => {
    const number = fc
      .tuple(fc.integer({ min: 1, max: 7 }), fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }))
      .map(([first, more]) => ecOfText([first, ...more].join('.')) as string);
    fc.assert(
      fc.property(fc.array(number, { maxLength: 12 }), (numbers) => {
        const kept = of(...numbers);
        expect(new Set(kept).size).toBe(kept.length);
        for (const one of kept) expect(numbers).toContain(one);
        for (const one of numbers)
          expect(kept.some((other) => other.startsWith(one.replace(/(?:\.-)+$/, '.')))).toBe(true);
      }),
    );
  });
});

test('a field without numbers splits into none', () => {
  expect([numbersIn(null), numbersIn('1|2')]).toEqual([[], ['1', '2']]);
});
