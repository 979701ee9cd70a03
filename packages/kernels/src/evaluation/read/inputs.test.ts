import { sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EvaluationInputError } from '../options.js';
import { parseScore } from './score-text.js';
import { summarise } from '../score/summary.js';
import { columnOf, listedThresholds } from '../score/best-threshold.js';
import {
  annotationsOf,
  bytesOf,
  frameOf,
  ontologyOf,
  runCase,
  type TestCase,
  utf8,
} from '../testing/cases.js';
import { TermWeightCollector } from './term-lists.js';

const obo = utf8(`format-version: 1.2
default-namespace: toy

[Term]
id: T:0
namespace: toy

[Term]
id: T:1 ! with a comment
namespace: toy
alt_id: A:1
alt_id: A:both
is_a: T:0 {source="x"} ! root
is_obsolete: false

[Term]
id: T:2
namespace: toy
alt_id: A:both
relationship: part_of T:0 {source="x"}
relationship: part_of_something T:1
relationship: regulates T:1
is_a: T:9 ! not there

[Term]
id: T:3
namespace: toy
is_obsolete: true
is_a: T:0

[Typedef]
id: part_of
namespace: relations
`);

describe('ontology', () => {
  const parentsOf = (published: boolean): Record<string, Record<string, string[]>> =>
    Object.fromEntries(
      ontologyOf(obo, published).namespaces.map(({ name, idOf, parentStart, parents }, _, __) => {
        const ids = ontologyOf(obo, published).ids;
        const listed = [...idOf].map((id, term): [string, string[]] => [
          ids.textOf(id),
          [...parents.subarray(parentStart[term], parentStart[term + 1])].map((parent) =>
            ids.textOf(idOf[parent]),
          ),
        ]);
        return [name, Object.fromEntries(listed)];
      }),
    );

  it('is read as the format says', () => {
    expect(parentsOf(false)).toEqual({ toy: { 'T:0': [], 'T:1': ['T:0'], 'T:2': ['T:0'] } });
  });

  it('is read with the sharp edges of the published programs for their sake', () => {
    // In this reader, any is_obsolete drops a term, a modifier loses an is_a link, part_of is a prefix, and a Typedef with a namespace is
    // a term.
    expect(parentsOf(true)).toEqual({ toy: { 'T:0': [], 'T:2': ['T:0'] }, relations: { part_of: [] } });
  });

  it('falls back to the default namespace only where no term has one', () => {
    const bare = utf8('default-namespace: hp\n\n[Term]\nid: H:0\n\n[Term]\nid: H:1\nis_a: H:0\n');
    expect(ontologyOf(bare).namespaces.map(({ name, size }) => [name, size])).toEqual([['hp', 2]]);
    expect(() => ontologyOf(bare, true)).toThrow(/no live term with a namespace/);
  });

  it.each([
    ['is_a: T:1\n', 'T:1'],
    ['is_a: T:2\n\n[Term]\nid: T:2\nnamespace: toy\nis_a: T:1\n', 'T:'],
  ])('with a cycle is refused by name', (rest, name) => {
    expect(() => ontologyOf(utf8(`[Term]\nid: T:1\nnamespace: toy\n${rest}`))).toThrow(
      new RegExp(`cycle.*${name}`),
    );
  });
});

describe('annotation lines', () => {
  const ontology = ontologyOf(obo);
  it('may have a header, a byte order mark, CRLF, blanks, repeats, further columns and alternative ids', () => {
    const text = '\ufeffEntryID\tterm\taspect\r\nP1\tT:1\tP\r\n\r\n  P1  A:both X\nP2\tT:99\nP2\tA:1';
    const { counts, namespaces } = annotationsOf(ontology, utf8(text));
    expect(counts).toEqual({ lines: 4, annotations: 3, unknownTerms: 1 });
    expect([...namespaces[0].rows]).toEqual([0, 0, 0, 1]);
    expect([...namespaces[0].terms]).toEqual([1, 1, 2, 1]);
  });
  it('of one column are refused with their number', () => {
    const fault = (): unknown => annotationsOf(ontology, utf8('P1\tT:1\nP2\n'));
    expect(fault).toThrow(EvaluationInputError);
    expect(fault).toThrow(
      expect.objectContaining({ line: 2, message: expect.stringContaining('expected protein and term') }),
    );
  });
});

describe('prediction lines', () => {
  const test: TestCase = { obo, truth: utf8('P1\tT:1\n'), predictions: {} };
  const read = (lines: string): object => {
    const [{ counts }] = runCase({ ...test, predictions: { method: utf8(lines) } });
    return counts;
  };
  it('are refused with their number where the score is not a number, if they count', () => {
    const header = 'EntryID\tterm\tscore\nP9\tT:1\twhat\n';
    const fault = expect.objectContaining({ line: 3, message: expect.stringContaining('"P1 T:2 high"') });
    expect(() => read(`${header}P1 T:2 high\n`)).toThrow(fault);
    expect(read(`${header}P1 T:2 0.5\n`)).toMatchObject({
      lines: 3,
      used: 1,
      unknownTerms: 1,
      withoutTruth: 1,
    });
  });
  it('are counted by what became of them', () => {
    const lines = 'P1 T:1 0.5\nP1 T:1\nP1 T:2 0\nP1 T:2 -1\nP1 T:2 nan\nP1 A:both 2 more\n\n';
    expect(read(lines)).toMatchObject({ lines: 6, used: 2, shortLines: 1, withoutScore: 3 });
    const percent = 'P1 T:1 90\nP1 T:2 inf\nP1 A:both 1\n';
    expect(read(percent)).toMatchObject({ lines: 3, used: 3, aboveOne: 2 });
  });
});

describe('information accretion lines', () => {
  const read = (text: string): Float64Array => {
    const ontology = ontologyOf(obo);
    const collector = new TermWeightCollector(ontology);
    collector.push(utf8(text));
    const { ofId } = collector.end();
    return Float64Array.from(['T:0', 'T:1', 'T:2'], (id) => ofId[ontology.ids.findText(id)]);
  };
  it('may have a header, empty lines and further columns; what is not finite counts 0', () => {
    expect([...read('term\tia\nT:0\tnan\n\nT:1 1.5 0.2\nT:2\tinf\nT:77\t3\n')]).toEqual([0, 1.5, 0]);
  });
  it('without a number are refused', () => {
    expect(() => read('T:1\t1\nT:2\tbig\n')).toThrow(expect.objectContaining({ line: 2 }));
    expect(() => read('T:1\n')).toThrow(expect.objectContaining({ line: 1 }));
  });
});

describe('numbers', () => {
  const parse = (text: string): number | undefined => parseScore(utf8(text), 0, utf8(text).length);
  it('are read as the nearest double', () => {
    const same = (text: string): void => expect(parse(text), text).toBe(Number(text));
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.nat(),
        fc.nat(9),
        (value, n, decimals) => {
          same(String(value));
          same((n / 1000).toFixed(decimals));
        },
      ),
    );
  });
  it.each([
    ['0.12345678901234567890', 0.12345678901234568],
    ['1e-3', 0.001],
    ['+.5', 0.5],
    ['5.', 5],
    ['1_000', 1000],
    ['-Infinity', -Infinity],
    ['007', 7],
  ])('%s', (text, value) => {
    expect(parse(text)).toBe(value);
  });
  it.each(['', '.', 'x', '1,5', '0x10', '1e', '--1', '1__0', '_1', '1.2.3'])('"%s" is none', (text) => {
    expect(parse(text)).toBeUndefined();
  });
});

const lafa = sharedData('data', 'lafa-2025-11_2025-12');
const go = sharedData('data', 'ontology', 'go-2022-07-01.obo.gz');

describe.skipIf(!lafa || !go)("the running board's official files", () => {
  const lines = (path: string): string[] => new TextDecoder().decode(bytesOf(path)).trimEnd().split('\n');

  it.each([
    ['NK', 54],
    ['LK', 65],
    ['PK', 533],
  ])('%s truth is taken as it comes', (category, proteins) => {
    const truth = bytesOf(`${lafa}/groundtruth_${category}.tsv.gz`);
    const rows = lines(`${lafa}/groundtruth_${category}.tsv.gz`)
      .slice(1)
      .map((line) => line.split('\t'));
    const test: TestCase = {
      obo: bytesOf(go!),
      truth,
      known: category === 'PK' ? bytesOf(`${lafa}/groundtruth_PK_known.tsv.gz`) : undefined,
      toi: bytesOf(`${lafa}/groundtruth_terms_of_interest.txt.gz`),
      predictions: { truth: utf8(rows.map(([protein, term]) => `${protein}\t${term}\t0.9\n`).join('')) },
      noOrphans: true,
      propagation: 'fill',
    };
    const { truth: table } = frameOf(test);
    expect(new Set(rows.map(([protein]) => protein)).size).toBe(proteins);
    expect(table.counts.lines).toBe(rows.length);
    expect(table.counts.annotations + table.counts.unknownTerms).toBe(rows.length);
    const [{ namespaces }] = runCase(test);
    expect(namespaces.length).toBe(3);
    for (const evaluation of namespaces) {
      // A prediction of the truth finds all of it, up to the last threshold below its score.
      expect(listedThresholds(evaluation).length).toBe(90);
      expect(summarise(evaluation)).toMatchObject({ recall: 1, coverage: 1 });
      expect(columnOf(evaluation, 'fn')![0]).toBe(0);
    }
  });

  it('names 251 terms of 27,170 that the older ontology lacks, and says so', () => {
    const ontology = ontologyOf(bytesOf(go!));
    const files = ['NK', 'LK', 'PK', 'PK_known'].map((name) => `${lafa}/groundtruth_${name}.tsv.gz`);
    const counts = files.map((path) => annotationsOf(ontology, bytesOf(path)).counts);
    expect(counts.reduce((sum, { lines: read }) => sum + read, 0)).toBe(27170);
    expect(counts.reduce((sum, { unknownTerms }) => sum + unknownTerms, 0)).toBe(251);
  });
});
