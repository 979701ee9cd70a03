import { expect, it } from 'vitest';
import { cafaTable } from './tables.js';

it('keeps the names of proteins in the CAFA file, where an evaluation looks for them', async () => {
  const names = ['=1+1', '+p', '-p', '@p', "'=1+1", 'P12345'];
  async function* pages() {
    yield names.map((protein_accession) => ({ protein_accession, go_id: 'GO:0005515', score: 0.5 }));
  }
  let text = '';
  for await (const part of cafaTable(pages())) text += part;
  expect(text).toBe(names.map((name) => `${name}\tGO:0005515\t0.5\n`).join(''));
});
