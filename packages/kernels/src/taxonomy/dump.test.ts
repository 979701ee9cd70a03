import { describe, expect, it } from 'vitest';
import { readMergedTaxa, readTaxonNames, readTaxonNodes } from './dump.js';

async function all<T>(
  batches: AsyncGenerator<{ records: T[]; rejected: { line: number; reason: string }[]; skipped: number }>,
) {
  const records: T[] = [];
  const rejected: { line: number; reason: string }[] = [];
  let skipped = 0;
  for await (const batch of batches) {
    records.push(...batch.records);
    rejected.push(...batch.rejected);
    skipped += batch.skipped;
  }
  return { records, rejected, skipped };
}

describe('nodes.dmp', () => {
  it('gives id, parent and rank, whatever follows', async () => {
    const text =
      '1\t|\t1\t|\tno rank\t|\t\t|\t8\t|\n562\t|\t561\t|\tspecies\t|\n\n9\t|\t1\t|\tgenus\t|\tx\t|\r\n';
    expect(await all(readTaxonNodes(text))).toEqual({
      records: [
        { id: 1, parentId: 1, rank: 'no rank', line: 1 },
        { id: 562, parentId: 561, rank: 'species', line: 2 },
        { id: 9, parentId: 1, rank: 'genus', line: 4 },
      ],
      rejected: [],
      skipped: 0,
    });
  });

  it.each([
    ['562,561,species', 'fields between tab, bar, tab'],
    ['562\t|\t561\t|', 'fields between tab, bar, tab'],
    ['562\t|\t561\t|\tspecies', 'fields between tab, bar, tab'],
    ['x562\t|\t561\t|\tspecies\t|', 'field 1, found "x562"'],
    ['562\t|\t-1\t|\tspecies\t|', 'field 2, found "-1"'],
    ['0\t|\t1\t|\tspecies\t|', 'field 1, found "0"'],
    ['2147483648\t|\t1\t|\tspecies\t|', 'field 1'],
    ['562\t|\t561\t|\t\t|', 'the rank (third field) is empty'],
  ])('reports %j by its line', async (line, reason) => {
    const { records, rejected } = await all(
      readTaxonNodes(`1\t|\t1\t|\tno rank\t|\n${line}\n2\t|\t1\t|\tx\t|`),
    );
    expect(records.map((node) => node.id)).toEqual([1, 2]);
    expect(rejected).toEqual([expect.objectContaining({ line: 2, reason: expect.stringContaining(reason) })]);
  });
});

describe('names.dmp and merged.dmp', () => {
  it('keeps scientific names and counts the others', async () => {
    const text =
      '562\t|\tBacillus coli\t|\t\t|\tsynonym\t|\n562\t|\tEscherichia coli\t|\t\t|\tscientific name\t|\n1\t|\t\t|\t\t|\tscientific name\t|\n';
    expect(await all(readTaxonNames(text))).toMatchObject({
      records: [{ id: 562, name: 'Escherichia coli', line: 2 }],
      rejected: [{ line: 3 }],
      skipped: 1,
    });
  });

  it('reads pairs of former and present ids', async () => {
    expect(await all(readMergedTaxa('12\t|\t74109\t|\n30\t|\t29\t|\nbad\t|\t1\t|\n'))).toMatchObject({
      records: [
        { oldId: 12, newId: 74_109, line: 1 },
        { oldId: 30, newId: 29, line: 2 },
      ],
      rejected: [{ line: 3 }],
    });
  });
});
