// Makes files of two more organisms from the example set: its proteins with every tenth residue changed, under names and taxa of their
// own, with the annotations of the originals. Two older releases of the annotations of human are made, too, for evaluations.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const examples = join(dirname(dirname(fileURLToPath(import.meta.url))), 'examples');
const unpacked = (name) => gunzipSync(readFileSync(join(examples, name))).toString('utf8');
export const organisms = [
  { name: 'coli', taxon: 83333, species: 'Escherichia coli (strain K12)', prefix: 'EC', from: 0, count: 300 },
  { name: 'yeast', taxon: 559292, species: 'Saccharomyces cerevisiae', prefix: 'YE', from: 300, count: 300 },
];
const letters = 'ACDEFGHIKLMNPQRSTVWY';

/** Changes every tenth residue into another letter, a different one for each place. */
function changed(sequence, seed) {
  return [...sequence]
    .map((letter, at) =>
      at % 10 === seed % 10 && at > 0 ? letters[(letters.indexOf(letter) + 1 + seed + at) % 20] : letter,
    )
    .join('');
}

function writeOrganism(folder, { name, taxon, species, prefix, from, count }, { records, gaf }) {
  const accessions = new Map();
  const fasta = records.slice(from, from + count).map((record, at) => {
    const [head, ...lines] = record.trim().split('\n');
    const accession = `${prefix}${String(at).padStart(5, '0')}`;
    accessions.set(head.split(' ', 1)[0], accession);
    return `>${accession} OS=${species} OX=${taxon} GN=${name}${at}\n${changed(lines.join(''), at)}\n`;
  });
  const lines = gaf.flatMap((line) => {
    const columns = line.split('\t');
    const accession = accessions.get(columns[1]);
    if (accession === undefined) return [];
    [columns[1], columns[2], columns[12]] = [accession, accession.toLowerCase(), `taxon:${taxon}`];
    return [columns.join('\t')];
  });
  writeFileSync(join(folder, `${name}.fasta`), fasta.join(''));
  writeFileSync(join(folder, `${name}.gaf`), `!gaf-version: 2.2\n${lines.join('\n')}\n`);
}

/**
 * Writes the FASTA and GAF of each organism, older annotations, domains of some proteins with their mapping, queries, and a file that is
 * not an ontology.
 */
export function growOrganisms(folder) {
  const records = unpacked('reference.fasta.gz').split('>').slice(1);
  const gaf = unpacked('reference.gaf.gz')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('!'));
  for (const organism of organisms) writeOrganism(folder, organism, { records, gaf });
  const experimental = /\t(EXP|IDA|IPI|IMP|IGI|IEP|TAS|IC)\t/;
  // One protein in eighty gains its experiments in each newer release.
  for (const [name, gaining] of Object.entries({ older: [7], oldest: [7, 9] })) {
    const without = new Set(
      records.filter((_, at) => gaining.includes(at % 80)).map((record) => record.split(/\s/, 1)[0]),
    );
    const lines = gaf.filter((line) => !(without.has(line.split('\t')[1]) && experimental.test(line)));
    writeFileSync(join(folder, `${name}.gaf`), `!gaf-version: 2.2\n${lines.join('\n')}\n`);
  }
  const entries = records.slice(0, 200).map((record, at) => {
    const [head, ...lines] = record.trim().split('\n');
    const length = lines.join('').length;
    const entry = `IPR${String(1 + (at % 5)).padStart(6, '0')}`;
    return `${head.split(' ', 1)[0]}\t${entry}\tDomain ${at % 5}\tPF0000${at % 5}\t1\t${length}`;
  });
  writeFileSync(join(folder, 'protein2ipr.dat'), `${entries.join('\n')}\n`);
  const terms = [
    '0005515 protein binding',
    '0005634 nucleus',
    '0005737 cytoplasm',
    '0008270 zinc ion binding',
    '0003677 DNA binding',
  ];
  const mapped = terms.map((term, at) => {
    const [id, ...name] = term.split(' ');
    return `InterPro:IPR${String(at + 1).padStart(6, '0')} Domain ${at} > GO:${name.join(' ')} ; GO:${id}`;
  });
  writeFileSync(join(folder, 'interpro2go'), `${mapped.join('\n')}\n`);
  writeFileSync(join(folder, 'broken.obo'), 'This is no ontology.\n');
  const queries = readFileSync(join(examples, 'queries.fasta'), 'utf8').split('>').slice(1, 4);
  writeFileSync(join(folder, 'queries.fasta'), `>${queries.join('>')}`);
}
