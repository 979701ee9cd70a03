// Draws the 60 proteins of examples/first-terms by the rule of its DATA.md, and prints them as FASTA, class after class.
//   node training/starter/first-terms.mjs WORK NAMED...
// WORK is the folder of make.mjs. NAMED are packed FASTA files with UniProt's headers, because Swiss-Prot of WORK names no organisms: DB
// and QUERY of the package mmseqs2-examples of Debian, then the proteomes of E. coli and yeast of the shared data. The script needs mmseqs.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Random } from '@kindred/kernels/arrays';
import { experimentalEvidence, proteinBinding } from '@kindred/kernels/vocabulary';
import { otherProteins, starterText } from './sample.mjs';

const [work, ...named] = process.argv.slice(2);
if (named.length === 0) throw new Error('usage: first-terms.mjs WORK NAMED...');
const seed = 60;
const textbook = 'P04637 P01308 P03023 P00546 P42212 P00806 P60615 P00330 P05042 P02699'.split(' ');
const vague = /uncharacterized|putative|UPF0|probable|hypothetical|protein of unknown|-like/i;
const fits = ({ length }) => length >= 40 && length <= 2000;

function recordsOf(fasta) {
  return fasta
    .split(/^>/m)
    .slice(1)
    .map((record) => {
      const end = record.indexOf('\n');
      return { header: record.slice(0, end), sequence: record.slice(end).replaceAll(/\s/g, '') };
    });
}

/** Puts texts into one random order. */
function shuffled(texts) {
  const random = new Random(seed);
  return [...texts]
    .sort()
    .map((text) => [random.float(), text])
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text);
}

const species = (header) => /OS=(\S+ \S+)/.exec(header)?.[1];

function knownProteins() {
  const starter = ['organisms.fasta', 'families.fasta'].flatMap((name) => recordsOf(starterText(name)));
  const byAccession = new Map(starter.map((record) => [record.header.split(' ', 1)[0], record]));
  const shown = new Set();
  for (const organism of ['human', 'mouse', 'rat', 'arabidopsis', 'zebrafish', 'fly', 'worm'])
    for (const line of starterText(`${organism}.gaf`).split('\n')) {
      const [, accession, , qualifier, term, , code, , aspect] = line.split('\t');
      if (aspect !== 'F' || term === proteinBinding || qualifier.includes('NOT')) continue;
      if (experimentalEvidence.includes(code)) shown.add(accession);
    }
  const taken = new Map();
  const drawn = shuffled(byAccession.keys()).filter((accession) => {
    const { header, sequence } = byAccession.get(accession);
    const isFit =
      shown.has(accession) && !textbook.includes(accession) && !vague.test(header) && fits(sequence);
    const organism = species(header);
    if (!isFit || organism === undefined || (taken.get(organism) ?? 0) >= 2) return false;
    taken.set(organism, (taken.get(organism) ?? 0) + 1);
    return true;
  });
  return [...textbook, ...drawn.slice(0, 10)].map((accession) => byAccession.get(accession));
}

/** Returns the first 1,000 proteins outside the starter reference, of at most 60 of an organism, in the random order. */
function unknownProteins() {
  const sequences = otherProteins(work);
  const found = new Map();
  for (const path of named)
    for (const { header, sequence } of recordsOf(gunzipSync(readFileSync(path)).toString())) {
      const [, accession, rest] = /^sp\|(\w+)\|\S+ (.*)$/.exec(header) ?? [];
      if (sequences.get(accession) !== sequence || !fits(sequence) || rest.includes('Fragment')) continue;
      const text = rest.replace(/ (?:GN|PE|SV|Split)=.*/, '');
      found.set(accession, { accession, header: `${accession} ${text}`, sequence });
    }
  const taken = new Map();
  return shuffled(found.keys())
    .map((accession) => found.get(accession))
    .filter(({ header }) => {
      const organism = /OS=(.*?)(?: \(| OX=|$)/.exec(header)?.[1];
      taken.set(organism, (taken.get(organism) ?? 0) + 1);
      return taken.get(organism) <= 60;
    })
    .slice(0, 1000);
}

/** Searches the proteins in the starter reference, and returns the class of each; proteins between the classes have none. */
function classesOf(proteins) {
  const file = (name) => join(work, `first-terms.${name}`);
  writeFileSync(file('fasta'), proteins.map(({ header, sequence }) => `>${header}\n${sequence}\n`).join(''));
  const starter = ['organisms.fasta', 'families.fasta'].map(starterText).join('');
  writeFileSync(file('starter.fasta'), starter);
  const options = '-s 6.5 -e 10 --max-seqs 300 --format-output query,fident,qcov,tcov,evalue'.split(' ');
  const files = ['fasta', 'starter.fasta', 'tsv', 'tmp'].map(file);
  execFileSync('mmseqs', ['easy-search', ...files, ...options], { stdio: ['ignore', 2, 2] });
  const hits = new Map(proteins.map(({ accession }) => [accession, []]));
  for (const line of readFileSync(file('tsv'), 'utf8').trimEnd().split('\n')) {
    const [query, identity, ofQuery, ofTarget, eValue] = line.split('\t');
    const covered = Math.min(Number(ofQuery), Number(ofTarget));
    hits.get(query).push({ identity: Number(identity), covered, eValue: Number(eValue) });
  }
  return ({ accession }) => {
    const relatives = hits.get(accession).filter(({ eValue }) => eValue <= 1e-5);
    if (hits.get(accession).every(({ eValue }) => eValue > 1)) return 'none';
    if (relatives.some(({ identity, covered }) => identity >= 0.5 && covered >= 0.8)) return 'near';
    return relatives.length > 0 && relatives.every(({ identity }) => identity < 0.35) ? 'far' : null;
  };
}

/** Reads which proteins have a function in Swiss-Prot 2014. */
function withFunction() {
  const folder = join(work, 'md/usr/share/metastudent-data/dataset_201401/MFO');
  const lines = readFileSync(join(folder, 'goasp_annot.dat'), 'latin1').split('\n');
  return new Set(lines.map((line) => line.trim().split(/\s+/, 1)[0]));
}

const pool = unknownProteins();
const classOf = classesOf(pool);
const functional = withFunction();
const wanted = {
  near: { count: 20, ofOrganism: 2 },
  far: { count: 10, ofOrganism: 1 },
  none: { count: 10, ofOrganism: 1 },
};
const chosen = knownProteins();
for (const [name, { count, ofOrganism }] of Object.entries(wanted)) {
  const taken = new Map();
  const own = pool.filter((protein) => {
    const { accession, header } = protein;
    if (classOf(protein) !== name) return false;
    if (name !== 'none' && (vague.test(header.replace(/ OS=.*/, '')) || !functional.has(accession)))
      return false;
    taken.set(species(header), (taken.get(species(header)) ?? 0) + 1);
    return taken.get(species(header)) <= ofOrganism;
  });
  chosen.push(...own.slice(0, count));
}
for (const { header, sequence } of chosen)
  console.log(`>${header}\n${sequence.match(/.{1,60}/g).join('\n')}`);
