// Finds relatives of the targets of all windows by NCBI's blastp (package ncbi-blast+ of Debian), which is a floor of the tables.
//
//   node training/combined/blastp.mjs --shared <folder> --out <folder>
//
// The output is blastp.tsv: target, relative, percent of identical columns and E-value, which is at most 0.001.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { holdoutOf, openData, targetsOf, windows } from './windows.mjs';

const settings = ['-evalue', '0.001', '-max_target_seqs', '500', '-num_threads', '1'];

/** Returns blastp's hits of every target: the relative and the share of identical columns; null if they were not searched. */
export function blastpHits({ numberOf }, out) {
  const path = join(out, 'blastp.tsv');
  if (!existsSync(path)) return null;
  const hits = new Map();
  for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) {
    const [query, subject, percent] = line.split('\t');
    const protein = numberOf.get(query);
    if (!hits.has(protein)) hits.set(protein, []);
    hits.get(protein).push({ reference: numberOf.get(subject), identity: Number(percent) / 100 });
  }
  return hits;
}

async function main() {
  const { values: options } = parseArgs({ options: { shared: { type: 'string' }, out: { type: 'string' } } });
  if (!options.shared || !options.out) {
    console.error('usage: node training/combined/blastp.mjs --shared <folder> --out <folder>');
    process.exit(64);
  }
  const data = openData(join(options.shared, 'data'));
  const targets = new Set();
  for (const window of windows)
    for (const protein of targetsOf(await holdoutOf(data, window))) targets.add(protein);
  const folder = mkdtempSync(join(tmpdir(), 'kindred-blastp-'));
  const file = (name) => join(folder, name);
  const fasta = (proteins) =>
    proteins.map(({ accession, sequence }) => `>${accession}\n${sequence}\n`).join('');
  writeFileSync(file('all.fasta'), fasta(data.proteins));
  writeFileSync(file('targets.fasta'), fasta([...targets].map((protein) => data.proteins[protein])));
  execFileSync('makeblastdb', ['-in', file('all.fasta'), '-dbtype', 'prot', '-out', file('all')]);
  const columns = '6 qseqid sseqid pident evalue';
  const place = ['-query', file('targets.fasta'), '-db', file('all'), '-out', file('hits.tsv')];
  execFileSync('blastp', [...place, '-outfmt', columns, ...settings], { stdio: 'inherit' });
  writeFileSync(join(options.out, 'blastp.tsv.part'), readFileSync(file('hits.tsv')));
  renameSync(join(options.out, 'blastp.tsv.part'), join(options.out, 'blastp.tsv'));
  rmSync(folder, { recursive: true });
}

if (import.meta.filename === process.argv[1]) await main();
