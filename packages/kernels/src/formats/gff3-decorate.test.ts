import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sequenceAloneData } from '../combined/vocabulary/index.js';
import { noCrossReferences } from '../cross-references/index.js';
import { Gff3Decorator, type LineAnnotation, lineAnnotation } from './index.js';

const annotation: LineAnnotation = {
  Ontology_term: ['GO:0000001', 'GO:0000002'],
  Dbxref: ['UniProtKB:P12345'],
  ec_number: ['1.11.1.6'],
  Note: ['Predicted molecular function: a, b; 50% (probability 0.9)'],
  product: 'Catalase = A',
  predicted: ['GO:0000002'],
  predicted_name: ['putative catalase, A'],
};
const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function decorated(text: string, accessions: readonly string[], own = annotation) {
  const decorator = new Gff3Decorator(new Map(accessions.map((accession) => [accession, own])));
  const made = linesOf(text).map((line) => {
    let done = '';
    let from = 0;
    for (const { at, text: more } of decorator.insertions(line)) {
      done += line.slice(from, at) + more;
      from = at;
    }
    return done + line.slice(from);
  });
  return { text: made.join(''), placed: [...decorator.placed], strangers: decorator.strangers };
}
const feature = (kind: string, attributes: string, { source = 'X', contig = 'chr' } = {}) =>
  `${contig}\t${source}\t${kind}\t1\t9\t.\t-\t0\t${attributes}\n`;
const column9 = (text: string) => text.trimEnd().split('\t')[8];

describe('the lines of a GFF3 file', () => {
  it('gain attributes behind their own, escaped', () => {
    expect(column9(decorated(feature('CDS', 'ID=A;Parent=t'), ['A']).text)).toBe(
      'ID=A;Parent=t;Ontology_term=GO:0000001,GO:0000002;Dbxref=UniProtKB:P12345;ec_number=1.11.1.6;' +
        'Note=Predicted molecular function: a%2C b%3B 50%25 (probability 0.9);predicted=GO:0000002;predicted_name=putative catalase%2C A;product=Catalase %3D A',
    );
  });

  it('gain only what they lack, and keep what they have', () => {
    const had =
      'ID=A;Ontology_term="GO:0000001" ;Dbxref=UniProtKB/Swiss-Prot:P12345;Note=mine;product=hypothetical protein;';
    const { text } = decorated(feature('CDS', had), ['A']);
    expect(column9(text)).toBe(
      'ID=A;Ontology_term="GO:0000001",GO:0000002 ;Dbxref=UniProtKB/Swiss-Prot:P12345;' +
        'Note=mine,Predicted molecular function: a%2C b%3B 50%25 (probability 0.9);product=hypothetical protein;ec_number=1.11.1.6;predicted=GO:0000002;predicted_name=putative catalase%2C A',
    );
    expect(decorated(text, ['A']).text).toBe(text);
  });

  it('of a gene gain no product, known or predicted', () => {
    expect(decorated(feature('gene', 'ID=A'), ['A']).text).not.toMatch(/product|predicted_name/);
  });

  it.each([
    ['of NCBI, by the protein', 'CDS', 'ID=cds-NP_1.1;Parent=gene-b1;protein_id=NP_1.1', 'NP_1.1'],
    ['of NCBI, by the gene', 'gene', 'ID=gene-b1;locus_tag=b1', 'b1'],
    ['of NCBI, by the database', 'CDS', 'ID=x;Dbxref=GeneID:1,UniProtKB/Swiss-Prot:P12345', 'P12345'],
    ['of Ensembl, whose FASTA has versions', 'CDS', 'ID=CDS:ENSP1;Parent=transcript:ENST1', 'ENSP1.3'],
    ['of Ensembl, by the transcript', 'mRNA', 'ID=transcript:ENST1;Parent=gene:ENSG1', 'ENST1.2'],
    ['of Prokka and Bakta', 'CDS', 'ID=PRK_00001;locus_tag=PRK_00001', 'PRK_00001'],
    ['of MAKER and AUGUSTUS', 'CDS', 'ID=g1.t1.cds;Parent=g1.t1', 'g1.t1'],
    ['of a release without versions in the FASTA', 'CDS', 'protein_id=P12345.2', 'P12345'],
    ['with the type as an accession', 'SO:0000316', 'ID=A', 'A'],
  ])('%s belong to the protein', (_name, kind, attributes, accession) => {
    const { placed, strangers } = decorated(feature(kind, attributes), [accession]);
    expect({ placed, strangers }).toEqual({ placed: [accession], strangers: 0 });
  });

  it('of Prodigal belong to the protein of the contig that their number stands for', () => {
    const text = ['k_1', 'k_2'].map((contig, at) =>
      feature('CDS', `ID=${at + 1}_1`, { source: 'Prodigal_v2.6.3', contig }),
    );
    const { text: made, placed } = decorated(text.join(''), ['k_2_1', '1_2']);
    expect(placed).toEqual(['k_2_1']);
    expect(linesOf(made)[0]).toBe(text[0]);
  });

  it('of one isoform are not those of another', () => {
    const text = feature('CDS', 'ID=c;Parent=AT1G01010.2');
    expect(decorated(text, ['AT1G01010.1'])).toEqual({ text, placed: [], strangers: 1 });
    expect(decorated(feature('gene', 'ID=gene:AT1'), ['AT1.1', 'AT1.2']).placed).toEqual([]);
    expect(decorated(feature('CDS', 'Parent=t1,t2'), ['t1', 't2']).placed).toEqual(['t1', 't2']);
  });

  it('of other kinds, directives, comments and sequences stay as they are', () => {
    const text = `##gff-version 3\n#ID=A\n${feature('exon', 'ID=A')}${feature('CDS', 'ID=B')}###\n##FASTA\n${feature('CDS', 'ID=A')}`;
    expect(decorated(text, ['A'])).toEqual({ text, placed: [], strangers: 1 });
  });

  it('lose nothing, whatever they hold', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\n', '')),
      fc
        .array(fc.constantFrom('ID=A', 'ID=A%', 'Note=', 'Note=x', ' ', '=', ',', ';', 'Dbxref', '\t'), {
          maxLength: 9,
        })
        .map((parts) => feature('CDS', parts.join(';')).trimEnd()),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), (all, end) => {
        const text = all.map((one) => one + end).join('');
        const decorator = new Gff3Decorator(new Map([['A', annotation]]));
        for (const one of linesOf(text)) {
          const places = decorator.insertions(one).map(({ at }) => at);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          expect(places.every((at) => at > 0 && at <= one.trimEnd().length)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

it('gives a line the terms of an answer, and a note of the first of each aspect', () => {
  const term = (go_id: string, aspect: 'F' | 'P', probability: number | null, is_known: boolean | null) => ({
    ...{ go_id, aspect, probability, is_known, name: `name of ${go_id}`, score: 0.456, folded_under: null },
    calibrated_on: null,
    ...(go_id === 'GO:2' ? { ec_numbers: '1.11.1.6', rhea_reactions: '20309' } : noCrossReferences),
  });
  const known = {
    go_id: 'GO:1',
    name: 'known function',
    aspect: 'F' as const,
    is_negated: false,
    ...noCrossReferences,
  };
  expect(
    lineAnnotation({
      protein_name: 'Catalase',
      predicted_name: null,
      known: { accession: 'P12345', terms: [{ ...known, go_id: 'GO:9', is_negated: true }, known] },
      terms: [term('GO:1', 'F', 0.9, true), term('GO:2', 'F', 0.8, false), term('GO:3', 'P', 0.712, false)],
    }),
  ).toEqual({
    Ontology_term: ['GO:1', 'GO:2', 'GO:3'],
    Dbxref: ['UniProtKB:P12345', 'RHEA:20309'],
    ec_number: ['1.11.1.6'],
    Note: [
      'Known molecular function: known function',
      'Predicted biological process: name of GO:3 (probability 0.71)',
    ],
    product: 'Catalase',
    predicted: ['GO:2', 'GO:3'],
    predicted_name: [],
  });
  const other = lineAnnotation({
    protein_name: null,
    predicted_name: { name: 'putative catalase' },
    known: { accession: 'mine', terms: [] },
    terms: [term('GO:2', 'F', null, null)],
  });
  expect([other.product, other.predicted_name, other.Dbxref, other.ec_number, other.Note]).toEqual([
    null,
    ['putative catalase'],
    [],
    [],
    ['Predicted molecular function: name of GO:2 (score 0.46)'],
  ]);
  const alone = lineAnnotation({
    ...{ protein_name: null, predicted_name: null, known: null },
    terms: [{ ...term('GO:3', 'P', 0.5, null), calibrated_on: sequenceAloneData }],
  });
  expect(alone.Note).toEqual([
    'Predicted biological process: name of GO:3 (probability 0.5, from the sequence alone)',
  ]);
});
