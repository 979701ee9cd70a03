import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Gff3Decorator } from './index.js';

const annotation = (goId: string) => ({
  goIds: [goId],
  known: [],
  predicted: [],
  sources: ['UniProtKB:P1'],
  best: 0.5,
});
const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function decorated(text: string, accessions: readonly string[]): string {
  const known = new Map(accessions.map((accession, at) => [accession, annotation(`GO:000000${at}`)]));
  const decorator = new Gff3Decorator((accession) => known.get(accession));
  return linesOf(text)
    .map((line) => decorator.before(line) + line)
    .concat(decorator.end())
    .join('');
}
const added = (text: string) => linesOf(text).filter((line) => line.split('\t')[1] === 'Kindred');
const feature = (kind: string, attributes: string, start = 1, end = 9) =>
  `chr\tX\t${kind}\t${start}\t${end}\t.\t-\t0\t${attributes}\n`;

it('spans all lines of a CDS and derives from it', () => {
  const text = `##gff-version 3\n${feature('CDS', 'ID=cds-NP_1.1;protein_id=NP_1.1', 50, 70)}${feature('CDS', 'ID=cds-NP_1.1;protein_id=NP_1.1', 10, 30)}`;
  expect(added(decorated(text, ['NP_1']))).toEqual([
    'chr\tKindred\tpolypeptide\t10\t70\t0.5\t-\t.\tID=kindred:NP_1;Derives_from=cds-NP_1.1;Name=NP_1;Ontology_term=GO:0000000;Dbxref=UniProtKB:P1\n',
  ]);
});

it('finds a protein by cross-reference, ID, name and locus tag', () => {
  for (const attributes of [
    'Dbxref=GeneID:1,UniProtKB/Swiss-Prot:P12345',
    'ID=cds-P12345',
    'Name=P12345',
    'locus_tag=P12345',
    'protein_id=P12345.2',
  ])
    expect(added(decorated(feature('CDS', attributes), ['P12345']))).toHaveLength(1);
  expect(added(decorated(feature('CDS', 'ID=other'), ['P12345']))).toEqual([]);
  expect(added(decorated(feature('exon', 'ID=P12345'), ['P12345']))).toEqual([]);
});

it('takes the CDS where a gene has the same name, and adds one feature for a protein', () => {
  const text = feature('gene', 'ID=g;Name=A', 1, 99) + feature('CDS', 'ID=c;Name=A', 5, 50);
  const [line, ...more] = added(decorated(`${text}###\n${text}`, ['A']));
  expect(line.split('\t').slice(3, 5)).toEqual(['5', '50']);
  expect(more).toEqual([]);
});

it('comes before ### and ##FASTA, and leaves sequences alone', () => {
  const text = `${feature('CDS', 'ID=A')}###\n${feature('CDS', 'ID=B')}##FASTA\n>ID=A\nACGT`;
  const kinds = linesOf(decorated(text, ['A', 'B'])).map((line) => line.split('\t')[1] ?? line.trim());
  expect(kinds).toEqual(['X', 'Kindred', '###', 'X', 'Kindred', '##FASTA', '>ID=A', 'ACGT']);
});

it('keeps every line as it was, whatever it holds', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\n', '')),
    fc.constantFrom('###', '# x', feature('CDS', 'ID=A').trimEnd(), feature('CDS', 'ID=A%').trimEnd(), ''),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
      const text = lines.map((one) => one + end).join('');
      const kept = linesOf(decorated(text, ['A'])).filter((one) => !one.includes('\tKindred\tpolypeptide\t'));
      expect(kept.join('')).toBe(text);
    }),
    { numRuns: 40 },
  );
});
