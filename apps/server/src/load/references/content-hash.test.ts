import { describe, expect, it } from 'vitest';
import { referenceContentSha256, RowDigests } from './content-hash.js';

const tables = {
  proteins:
    'P1\tP1\t\\N\tONE_HUMAN\tt\tÉpsin\tEPN\tHomo sapiens\t9606\tabc\nP2\tP2\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\tdef\n',
  annotations: 'P1\tGO:0000002\tinvolved_in\tIDA\tX\tPMID:1\t\\N\t20200101\n',
  'interpro-go': 'IPR000001\tGO:0000002\n',
};
type Tables = typeof tables;

/** Yields rows as a server sends them, in pieces of `bytes` bytes. */
async function* pieces(text: string, bytes: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

async function hashOf(rows: Tables, bytes = 1000): Promise<string> {
  const digests = new RowDigests();
  for (const [table, text] of Object.entries(rows)) {
    const handedOn: Buffer[] = [];
    for await (const chunk of digests.watch(table, pieces(text, bytes))) handedOn.push(chunk);
    expect(Buffer.concat(handedOn).toString()).toBe(text);
  }
  return referenceContentSha256({} as never, { oboSha256: 'o', configIds: [], parts: [] }, digests.finish());
}

describe('the content hash of a reference', () => {
  it('does not depend on the pieces in which rows arrive', async () => {
    const whole = await hashOf(tables);
    for (const bytes of [1, 2, 7, 64]) expect(await hashOf(tables, bytes)).toBe(whole);
  });

  const changes: [string, Partial<Tables>][] = [
    ['a taxon', { proteins: tables.proteins.replace('9606', '9598') }],
    ['a sequence', { proteins: tables.proteins.replace('abc', 'abd') }],
    ['an accession', { proteins: tables.proteins.replace('P2\tP2', 'P3\tP2') }],
    ['an evidence code', { annotations: tables.annotations.replace('IDA', 'IEA') }],
    ['a missing annotation', { annotations: '' }],
    ['a pair of the InterPro mapping', { 'interpro-go': tables['interpro-go'].replace('002', '003') }],
    ['a reference without a mapping', { 'interpro-go': '' }],
  ];
  it.each(changes)('is another for %s', async (_, change) => {
    expect(await hashOf({ ...tables, ...change })).not.toBe(await hashOf(tables));
  });

  it('is the same for other names of a protein, which are those of the catalogue', async () => {
    const proteins = tables.proteins.replace('Épsin', 'Epsin-1').replace('ONE_HUMAN', 'EPN1_HUMAN');
    expect(await hashOf({ ...tables, proteins })).toBe(await hashOf(tables));
  });
});
