import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { networkTableHead } from '@kindred/contracts/network-table';
import { parseFasta } from '@kindred/kernels/formats';
import { NetworkTerms } from '@kindred/kernels/network';
import { repositoryRoot } from '@kindred/testkit';
import { afterAll, expect, it } from 'vitest';
import { commands } from './commands.js';
import { loadNetwork, readModelFile } from './model.js';

const folder = mkdtempSync(join(tmpdir(), 'kindred-network-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const example = readFileSync(join(repositoryRoot(), 'apps/web/public/example.fasta'));

async function annotate(file: string): Promise<{ table: string[][]; remarks: string }> {
  let text = '';
  let remarks = '';
  const terminal = {
    write: (part: string) => {
      text += part;
    },
    remark: (part: string) => {
      remarks += part;
    },
    progress: () => {},
  };
  await commands.commands[0].run({ file }, { dataDir: folder, settings: { native_kernels: 'on' } }, terminal);
  return {
    table: text
      .trimEnd()
      .split('\n')
      .map((row) => row.split('\t')),
    remarks,
  };
}

it('writes the numbers of the network for each protein, and why one has none', async () => {
  const file = join(folder, 'some.fasta.gz');
  writeFileSync(file, gzipSync(`${example}>short\nMKTAYIAKQRQISFVKSHFSRQLEERL\n`));
  const { table, remarks } = await annotate(file);
  expect(table[0]).toEqual(networkTableHead);
  expect(table.at(-1)?.[7]).toMatch(/fewer than 30 residues/);
  expect(remarks).toMatch(/not calibrated.*\n.*How often it was right.*\nNonsense gets terms/);
  const network = loadNetwork('off');
  const terms = new NetworkTerms(readModelFile('terms.tsv').toString());
  for (const { accession, sequence } of parseFasta(example)) {
    const probabilities = network.answer(sequence)?.probabilities ?? new Float32Array();
    const expected = terms.answer(probabilities).map(({ goId, score }) => [goId, score.toFixed(6)]);
    expect(expected.length).toBeGreaterThan(10);
    expect(table.filter(([name]) => name === accession).map((row) => [row[2], row[4]])).toEqual(expected);
  }
});

it('says what is wrong with a file', async () => {
  await expect(annotate(join(folder, 'none.fasta'))).rejects.toThrow(/none.fasta cannot be read/);
  const file = join(folder, 'bad.fasta');
  writeFileSync(file, '>a\nMKT4\n');
  await expect(annotate(file)).rejects.toThrow(/bad.fasta: .*line 2/);
});
