import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@kindred/kernels/arrays';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { readQueries } from './query-file.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-genes-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => rm(folder, { recursive: true }));

async function saved(name: string, content: string): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

/** ATG, three codons and a stop, then the same without a start, on a contig that ends inside it. */
const bases = 'ATGGCTTGGAAATAACCGCTTGGAAAGAT';
const contigs = `>ctg1 of a sample\n${bases.slice(0, 12)}\n${bases.slice(12)}\n>b;2\n${bases}\n`;
const gff3 = [
  '##gff-version  3',
  '# Model Data: version=Prodigal.v2.6.3;run_type=Metagenomic;transl_table=11',
  'ctg1\tProdigal_v2.6.3\tCDS\t1\t15\t9\t+\t0\tID=1_1;partial=00;start_type=ATG;',
  'ctg1\tProdigal_v2.6.3\tCDS\t18\t29\t9\t+\t0\tID=1_2;partial=01;start_type=GCT;',
  'b;2\tProdigal_v2.6.3\tCDS\t1\t15\t9\t+\t0\tID=2_1;partial=10;start_type=Edge;',
  '',
].join('\n');

/** Installs a program that writes this result and notes how it was called. */
async function fakeFinder(name: string, result: string, ending = ''): Promise<string> {
  const written = await saved(`${name}.gff3`, result);
  const script = `#!/bin/sh\necho "$@" > '${folder}/args'\n/bin/cp "$2" '${folder}/input.fna'\n/bin/cp '${written}' "$6"\n${ending}\n`;
  const path = await saved(name, script);
  await chmod(path, 0o755);
  return path;
}
const saysOf = () => {
  const said: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  return said;
};

it('makes proteins of the genes that a program calls, named by contig, and says which a contig cuts', async () => {
  vi.stubEnv('SVC_GENE_FINDER_COMMAND', await fakeFinder('prodigal', gff3));
  const said = saysOf();
  const read = await readQueries(await saved('a.fna', contigs), { genes: true });
  expect(Buffer.from(read.bytes).toString()).toBe('>ctg1_1\nMAWK\n>ctg1_2\nAWKD\n>b;2_1\nMAWK\n');
  expect(read).toMatchObject({
    name: 'a.fna.fasta',
    genes: { genes: 3, contigs: 2, cut: ['ctg1_2', 'b;2_1'] },
  });
  expect(read.genes?.gff3.toString()).toBe(gff3);
  expect(said.join('')).toMatch(
    /Prodigal v2\.6\.3 called 3 genes in 2 contigs\. .* cuts 2 of them.*: ctg1_2, b;2_1/,
  );
  expect(await readFile(join(folder, 'args'), 'utf8')).toMatch(/-f gff -o \S+ -p meta\n$/);
  expect(await readFile(join(folder, 'input.fna'), 'utf8')).toBe(`>ctg1\n${bases}\n>b;2\n${bases}\n`);
});

it('lets the program learn from large contigs, by the genetic code that is given', async () => {
  vi.stubEnv('SVC_GENE_FINDER_COMMAND', await fakeFinder('prodigal', gff3));
  saysOf();
  const random = new Random(1);
  const large = Array.from({ length: 100_000 }, () => 'ACGT'[random.integer(4)]).join('');
  const all = await saved('b.fna', `${contigs}>large\n${large}\n`);
  await readQueries(all, { genes: true });
  expect(await readFile(join(folder, 'args'), 'utf8')).toMatch(/-p single\n$/);
  await readQueries(all, { genes: true, geneticCode: 4 });
  expect(await readFile(join(folder, 'args'), 'utf8')).toMatch(/-p single -g 4\n$/);
  await expect(readQueries(await saved('a.fna', contigs), { genes: true, geneticCode: 4 })).rejects.toThrow(
    /a\.fna has 58 bases\..* takes 20000: leave --genetic-code out/,
  );
});

it('uses the first program that is installed, and says what to install where there is none', async () => {
  const path = await saved('a.fna', contigs);
  vi.stubEnv('PATH', join(folder, 'nothing'));
  await expect(readQueries(path, { genes: true })).rejects.toThrow(
    /needs one of the programs prodigal, pyrodigal, prodigal-gv, .*"apt install prodigal".*SVC_GENE_FINDER_COMMAND/,
  );
  vi.stubEnv('SVC_GENE_FINDER_COMMAND', join(folder, 'none'));
  await expect(readQueries(path, { genes: true })).rejects.toThrow(
    /SVC_GENE_FINDER_COMMAND is .*none, which cannot/,
  );
  vi.unstubAllEnvs();
  const said = saysOf();
  await fakeFinder('pyrodigal', gff3.replaceAll('Prodigal_v2.6.3', 'pyrodigal_v3.7.1'));
  await rm(join(folder, 'prodigal'), { force: true });
  vi.stubEnv('PATH', folder);
  await readQueries(path, { genes: true });
  expect(said.join('')).toContain('pyrodigal v3.7.1 called 3 genes');
});

it('says what the program said where it fails, and that there is no gene', async () => {
  const path = await saved('a.fna', contigs);
  vi.stubEnv(
    'SVC_GENE_FINDER_COMMAND',
    await fakeFinder('failing', gff3, 'echo "Error: odd contigs" >&2; exit 6'),
  );
  await expect(readQueries(path, { genes: true })).rejects.toThrow(/ended with 6: Error: odd contigs/);
  vi.stubEnv('SVC_GENE_FINDER_COMMAND', await fakeFinder('finding-none', '##gff-version 3\n'));
  await expect(readQueries(path, { genes: true })).rejects.toThrow(
    /finding-none found no gene in a\.fna\. .* give their GFF3/,
  );
});

it('takes contigs alone, and contigs only with --genes', async () => {
  const proteins = await saved('p.faa', '>one\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n');
  await expect(readQueries(proteins, { genes: true })).rejects.toThrow(
    /p\.faa, record one: "I" is not a base\. .* proteins are annotated without it/,
  );
  const letters = await saved('l.faa', `>two\n${'MKHDWSRYVB'.repeat(5)}\n`);
  await expect(readQueries(letters, { genes: true })).rejects.toThrow(
    'record two: few of its letters are bases',
  );
  await expect(readQueries(await saved('a.gff3', gff3), { genes: true })).rejects.toThrow(
    /names its genes or proteins itself: leave --genes out/,
  );
  await expect(readQueries(await saved('a.txt', 'P70001\n'), { genes: true })).rejects.toThrow(
    'is not FASTA',
  );
  await expect(readQueries(await saved('twice.fna', '>a\nAC\n>a\nGT\n'), { genes: true })).rejects.toThrow(
    /twice\.fna, line 3 .*occurs twice/,
  );
  await expect(readQueries(await saved('a.fna', contigs))).rejects.toThrow(
    /a\.fna has nucleotides, not proteins\. --genes finds the genes/,
  );
  const mixed = await saved('mixed.fasta', `${contigs}>p\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n`);
  expect((await readQueries(mixed)).name).toBe('mixed.fasta');
});
