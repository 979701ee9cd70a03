import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isNegated } from '../vocabulary/index.js';
import type { AnnotationRow } from './annotation.js';
import type { Rejection } from './format-error.js';
import { readGaf } from './gaf.js';
import { readGpad } from './gpad.js';
import { readQuickGo } from './quickgo.js';
import type { ParsedBatch } from './read-batches.js';

async function all(batches: AsyncIterable<ParsedBatch<AnnotationRow>>) {
  const records: AnnotationRow[] = [];
  const rejected: Rejection[] = [];
  for await (const batch of batches) {
    records.push(...batch.records);
    rejected.push(...batch.rejected);
  }
  return { records, rejected };
}

/** These are the three formats with one row of this qualifier. */
const gaf = (qualifier: string, date = '20200101') =>
  all(readGaf(`D\tP1\ts\t${qualifier}\tGO:0000001\tr\tIDA\t\tF\t\t\tprotein\ttaxon:1\t${date}\tX\t\t\n`));
const gpad1 = (qualifier: string) =>
  all(readGpad(`!gpa-version: 1.1\nD\tP1\t${qualifier}\tGO:0000001\tr\tECO:0000314\t\t\t20200101\tX\t\t\n`));
const quickGo = (qualifier: string, date = '20200101') =>
  all(
    readQuickGo(
      `GENE PRODUCT ID\tQUALIFIER\tGO TERM\tECO ID\tDATE\nP1\t${qualifier}\tGO:0000001\tECO:0000314\t${date}\n`,
    ),
  );
const gpad2 = (negation: string, relation = 'RO:0002327', rest = {}) => {
  const { eco = 'ECO:0000314', date = '2020-01-01', properties = '' } = rest as Record<string, string>;
  return all(
    readGpad(
      `!gpad-version: 2.0\nD:P1\t${negation}\t${relation}\tGO:0000001\tr\t${eco}\t\t\t${date}\tX\t\t${properties}\n`,
    ),
  );
};

describe.each([
  ['GAF', gaf],
  ['GPAD 1.1', gpad1],
  ['QuickGO', quickGo],
])('a negation in %s', (_, read) => {
  it.each([
    ['NOT', 'NOT'],
    ['NOT|', 'NOT'],
    ['|NOT', 'NOT'],
    ['not|enables', 'NOT|enables'],
    ['Not|Enables', 'NOT|enables'],
    ['enables|NOT', 'NOT|enables'],
    ['contributes_to|not', 'NOT|contributes_to'],
    ['NOT | enables', 'NOT|enables'],
    [' NOT|acts upstream of or within', 'NOT|acts_upstream_of_or_within'],
    ['NOT|NOT|enables', 'NOT|enables'],
  ])('is one as %j', async (qualifier, text) => {
    const { records } = await read(qualifier);
    expect(records).toMatchObject([{ qualifier: text, negated: true }]);
  });

  it.each([
    'NOT enables',
    'NOT_enables',
    'NOT:enables',
    '!enables',
    '-',
    'does not enable',
    'TRUE',
    'no',
    '|',
    'N0T|enables',
  ])('is a line that cannot be read as %j', async (qualifier) => {
    const { records, rejected } = await read(qualifier);
    expect(records).toEqual([]);
    expect(rejected[0].reason).toContain('is neither NOT nor a relation of the Gene Ontology');
  });

  it.each([
    ['', null],
    ['enables', 'enables'],
    ['Contributes_to', 'contributes_to'],
    ['colocalizes with', 'colocalizes_with'],
    ['contributes_to|enables', 'contributes_to|enables'],
    ['is_active_in', 'is_active_in'],
  ])('is none in %j', async (qualifier, text) => {
    const { records } = await read(qualifier);
    expect(records).toMatchObject([{ qualifier: text, negated: false }]);
  });
});

describe('the column Negation of GPAD 2.0', () => {
  it.each(['NOT', 'not', 'Not', 'NOT|', ' NOT ', '|not'])('%j is a negation', async (negation) => {
    expect((await gpad2(negation)).records).toMatchObject([{ qualifier: 'NOT|enables', negated: true }]);
  });

  it.each(['TRUE', 'true', '1', '-', 'no', 'NOT|enables', '|', 'NOT TRUE'])(
    '%j cannot be read',
    async (negation) => {
      const { records, rejected } = await gpad2(negation);
      expect(records).toEqual([]);
      expect(rejected).toMatchObject([
        { line: 2, reason: expect.stringContaining('column 2: expected NOT or nothing') },
      ]);
    },
  );

  it('is joined by a NOT in the relation, and unknown relations are named', async () => {
    expect((await gpad2('', 'NOT|enables')).records).toMatchObject([{ negated: true }]);
    expect((await gpad2('', 'RO:9999999')).rejected[0].reason).toContain('"RO:9999999"');
  });
});

it('never takes a negation of the given files as positive', async () => {
  const given = (name: string) => readFileSync(new URL(`./golden/cases/${name}`, import.meta.url), 'utf8');
  const shown = ({ records, rejected }: Awaited<ReturnType<typeof all>>) => [
    records.filter(({ negated }) => negated).map(({ accession }) => accession),
    records.filter(({ negated }) => !negated).map(({ accession }) => accession),
    rejected.map(({ record }) => record),
  ];
  const second = await all(readGpad(given('82-gpad20.gpad')));
  expect(shown(second)).toEqual([['P70002', 'P70003', 'P70004'], ['P70001'], ['P70005']]);
  expect(second.records.map(({ evidenceCode }) => evidenceCode)).toEqual(['IDA', 'IDA', 'IDA', 'IDA']);
  const [negated, positive] = shown(await all(readGaf(given('51-variants.gaf'))));
  expect(negated).toEqual(['P70002', 'P70003', 'P70004']);
  expect(positive).toContain('P70005');
});

it.each([
  ['20200131', '20200131'],
  ['2020-01-31', '20200131'],
  ['2020-01-31T12:00:00Z', '20200131'],
  ['2020-0131', null],
  ['31-01-2020', null],
  ['20200131T', null],
])('reads the date %s', async (date, compact) => {
  for (const { records, rejected } of [
    await gaf('', date),
    await quickGo('', date),
    await gpad2('', '', { date }),
  ]) {
    if (compact === null) expect(rejected[0].reason).toContain('YYYY-MM-DD');
    else expect(records).toMatchObject([{ annotationDate: compact }]);
  }
});

it.each([
  ['ECO:0000314', '', 'IDA'],
  ['ECO:0007005', '', 'HDA'],
  ['ECO:0000256', '', 'IEA'],
  ['ECO:0000307', 'id=x', 'ND'],
  ['ECO:0000314', 'go_evidence=IMP', 'IMP'],
  ['ECO:0005589', '', 'ECO:0005589'],
])('%s with the properties %j is the evidence %s', async (eco, properties, code) => {
  expect((await gpad2('', '', { eco, properties })).records).toMatchObject([
    { evidenceCode: code, ecoId: eco },
  ]);
});

it('finds NOT in stored qualifiers in any case', () => {
  expect(['NOT', 'not|enables', 'enables|Not', ' NOT |x'].map(isNegated)).toEqual([true, true, true, true]);
  expect([null, '', 'enables', 'NOTED'].map(isNegated)).toEqual([false, false, false, false]);
});
