// Makes the files of further references from those of the starter, for docs/explanation/accuracy.md: without the proteins that are at least
// 90 % identical, over 80 % of both, with one of the tests' (clusters), with electronic evidence alone (electronic), both, and with
// electronic evidence whose reference names the method, as GOA's does (electronic-named).
//   node training/starter/references.mjs WORK
// WORK is the folder of make.mjs. The files of each reference are in a folder of WORK/references, and `kindred reference build` takes them.
// The proteins of both tests of measure.mjs are kept apart from their clusters. The script needs mmseqs (mmseqs2).
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { organisms } from './rows.mjs';
import { otherProteins, sample, starterText, tests } from './sample.mjs';

if (process.argv[2] === undefined) throw new Error('usage: references.mjs WORK');
const work = resolve(process.argv[2], 'references');
/** The column of the evidence in a line of GAF and of GPAD 1.1, and the code and ECO class of all electronic annotation. */
const evidence = {
  gaf: { column: 6, code: 'IEA', reference: 5 },
  gpad: { column: 5, code: 'ECO:0000501', reference: 4 },
};
/** The reference of annotations by InterPro, for rows that name how they were made. */
const method = 'GO_REF:0000002';

/** Finds the proteins of the starter that are in a cluster of 90 % with one of the tests'. */
function kinOfTests() {
  const proteins = otherProteins(process.argv[2]);
  const asked = Object.values(tests).flatMap(({ from, to }) => sample(proteins, from, to));
  const file = (name) => join(work, name);
  writeFileSync(file('asked.fasta'), asked.map((name) => `>${name}\n${proteins.get(name)}\n`).join(''));
  writeFileSync(file('starter.fasta'), starterText('organisms.fasta') + starterText('families.fasta'));
  const options = '--min-seq-id 0.9 -c 0.8 --cov-mode 0 -s 4 --max-seqs 1000 --format-output query,target';
  const files = ['asked.fasta', 'starter.fasta', 'kin.tsv', 'mmseqs'].map(file);
  execFileSync('mmseqs', ['easy-search', ...files, ...options.split(' '), '-v', '1'], {
    stdio: ['ignore', 2, 2],
  });
  const pairs = readFileSync(file('kin.tsv'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'));
  for (const [name, { from, to }] of Object.entries(tests)) {
    const own = new Set(sample(proteins, from, to));
    const having = new Set(pairs.filter(([query]) => own.has(query)).map(([query]) => query));
    console.log(
      `${having.size} of the ${own.size} proteins of the ${name} test have kin of 90 % in the starter`,
    );
  }
  return new Set(pairs.map(([, target]) => target));
}

/** Writes the files of the starter into a folder, without some proteins, and with electronic evidence alone if so wanted. */
function write(name, { without, isElectronic, isNamed = false }) {
  const folder = join(work, name);
  mkdirSync(folder, { recursive: true });
  const counts = { proteins: 0, annotations: 0 };
  for (const file of ['organisms.fasta', 'families.fasta']) {
    const records = starterText(file)
      .split(/^(?=>)/m)
      .filter((record) => !without.has(/^>(\S+)/.exec(record)[1]));
    counts.proteins += records.length;
    writeFileSync(join(folder, file), records.join(''));
  }
  for (const file of [...organisms.map((organism) => `${organism}.gaf`), 'families.gpad']) {
    const { column, code, reference } = evidence[file.split('.')[1]];
    const lines = starterText(file).split('\n').filter(Boolean);
    const rows = lines
      .filter((line) => !line.startsWith('!'))
      .map((line) => line.split('\t'))
      // The code ND means that curators found nothing, so such a row cannot become electronic.
      .filter((cells) => !without.has(cells[1]) && !(isElectronic && cells[column] === 'ND'));
    if (isElectronic) for (const cells of rows) cells[column] = code;
    if (isNamed) for (const cells of rows) cells[reference] = method;
    counts.annotations += rows.length;
    const header = lines.filter((line) => line.startsWith('!'));
    writeFileSync(
      join(folder, file),
      [...header, ...rows.map((cells) => cells.join('\t'))].join('\n').concat('\n'),
    );
  }
  console.log(`${name}: ${counts.proteins} proteins, ${counts.annotations} annotations`);
}

mkdirSync(work, { recursive: true });
const kin = kinOfTests();
console.log(`${kin.size} proteins of the starter are kin of 90 %`);
const none = new Set();
write('clusters', { without: kin, isElectronic: false });
write('electronic', { without: none, isElectronic: true });
write('electronic-named', { without: none, isElectronic: true, isNamed: true });
write('electronic-clusters', { without: kin, isElectronic: true });
