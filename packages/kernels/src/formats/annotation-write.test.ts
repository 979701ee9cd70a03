import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sequenceAloneData } from '../combined/vocabulary/index.js';
import { noCrossReferences } from '../cross-references/index.js';
import {
  type AnnotationFile,
  complexRoot,
  featureAnnotation,
  gafEvidenceCode,
  gafHeader,
  GafLeftOut,
  gafLine,
  gff3Protein,
  gff3SequenceId,
  gff3Value,
  gpadHeader,
  gpadLine,
  type OwnAnnotation,
  type PredictedAnnotation,
  readGaf,
  readGpad,
} from './index.js';

const file: AnnotationFile = {
  database: 'local',
  taxonId: 32644,
  reference: 'KINDRED_REF:0000001',
  method: 'combined',
  date: '20261122',
  assignedBy: 'Kindred',
  ownReference: 'KINDRED_REF:0000009',
  sequenceReference: 'KINDRED_REF:0000010',
  ownAssignedBy: 'goa',
  header: [['generated-by', 'Kindred 1\nx']],
};
const row: PredictedAnnotation = {
  accession: 'P12345-2',
  taxonId: 83333,
  proteinName: null,
  geneName: null,
  goId: 'GO:0005515',
  aspect: 'F',
  sourceKind: 'protein',
  sourceId: 'P0A7B8',
  evidenceCode: 'IDA',
  score: 0.123456789,
  probability: 0.5,
  probabilityMeaning: 'held by the databases',
  isFromSequence: false,
};
const none = new Set<string>();

async function records<Row>(batches: AsyncIterable<{ records: Row[]; rejected: unknown[] }>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const { records, rejected } of batches) {
    expect(rejected).toEqual([]);
    all.push(...records);
  }
  return all;
}

it('writes the 17 columns of GAF 2.2', () => {
  expect(gafHeader(file)).toMatch(
    /^!gaf-version: 2.2\n!generated-by: Kindred 1 x\n!remark: Known annotations without an evidence code .*\n$/,
  );
  expect(gafLine(row, file, none)).toBe(
    'UniProtKB\tP12345\tP12345\tenables\tGO:0005515\tKINDRED_REF:0000001\tIEA\tUniProtKB:P0A7B8\tF\t\t\tprotein\ttaxon:83333\t20261122\tKindred\t\tUniProtKB:P12345-2\n',
  );
});

it('chooses the relation by aspect, part_of for complexes only', () => {
  const relation = (values: Partial<PredictedAnnotation>) =>
    gafLine({ ...row, ...values }, file, new Set([complexRoot])).split('\t')[3];
  expect(relation({ aspect: 'P' })).toBe('acts_upstream_of_or_within');
  expect(relation({ aspect: 'C' })).toBe('located_in');
  expect(relation({ aspect: 'C', goId: complexRoot })).toBe('part_of');
});

it('writes gene and name of the protein, and the name in the FASTA file where the id is not it', () => {
  const named: PredictedAnnotation = { ...row, proteinName: 'Heat shock\tprotein 70', geneName: 'hsp70' };
  const cells = (accession: string, values = named) =>
    gafLine({ ...values, accession }, file, none).split('\t');
  expect([2, 9].map((at) => cells('P12345')[at])).toEqual(['hsp70', 'Heat shock protein 70']);
  expect(cells('my gene')[9]).toBe('Heat shock protein 70 (my gene)');
  expect(cells('my gene', row)[9]).toBe('my gene');
});

it('fills With/From, the database and the taxon where the row has none', () => {
  const cells = gafLine(
    { ...row, accession: 'my|gene 1;x=%', taxonId: null, sourceKind: 'none', sourceId: null },
    file,
    none,
  ).split('\t');
  expect([cells[0], cells[1], cells[7], cells[12]]).toEqual([
    'local',
    'my_x7Cgene_x201_x3Bx_x3D_x25',
    'KINDRED_REF:0000001',
    'taxon:32644',
  ]);
  const entry = { ...row, sourceKind: 'interpro_entry', sourceId: 'IPR000001' } as const;
  expect(gafLine(entry, file, none).split('\t')[7]).toBe('InterPro:IPR000001');
});

it('writes GPAD 2.0 with relation ids, ECO and properties', () => {
  expect(gpadHeader(file).split('\n')[0]).toBe('!gpad-version: 2.0');
  expect(gpadLine(row, file, none)).toBe(
    'UniProtKB:P12345-2\t\tRO:0002327\tGO:0005515\tKINDRED_REF:0000001\tECO:0000501\tUniProtKB:P0A7B8\t\t2026-11-22\tKindred\t\tgo_evidence=IEA|kind=predicted|method=combined|score=0.123457|probability=0.5|probability_meaning=held by the databases|source_evidence=IDA\n',
  );
});

const own: OwnAnnotation = {
  accession: 'P12345-2',
  taxonId: 83333,
  proteinName: null,
  geneName: null,
  goId: 'GO:0005515',
  aspect: 'F',
  annotation: {
    qualifier: 'NOT|contributes_to',
    evidence_code: 'IPI',
    db_reference: 'PMID:1',
    with_from: 'UniProtKB:P2|UniProtKB:P3',
    assigned_by: 'EcoCyc',
    annotation_date: '20190131',
  },
};

it('writes an annotation of the protein itself as its file has it', () => {
  expect(gafLine(own, file, none)).toBe(
    'UniProtKB\tP12345\tP12345\tNOT|contributes_to\tGO:0005515\tPMID:1\tIPI\tUniProtKB:P2|UniProtKB:P3\tF\t\t\tprotein\ttaxon:83333\t20190131\tEcoCyc\t\tUniProtKB:P12345-2\n',
  );
  expect(gpadLine(own, file, none)).toBe(
    'UniProtKB:P12345-2\tNOT\tRO:0002326\tGO:0005515\tPMID:1\tECO:0000353\tUniProtKB:P2|UniProtKB:P3\t\t2019-01-31\tEcoCyc\t\tgo_evidence=IPI|kind=known\n',
  );
});

it('writes an ECO id as its code in GAF, and counts those without one', () => {
  const by = (evidence_code: string) => ({ ...own, annotation: { ...own.annotation, evidence_code } });
  expect(gafLine(by('ECO:0000256'), file, none).split('\t')[6]).toBe('IEA');
  expect(['IDA', 'ECO:0000256', 'ECO:9999999'].map(gafEvidenceCode)).toEqual(['IDA', 'IEA', null]);
  const cells = gpadLine(by('ECO:9999999'), file, none).split('\t');
  expect([cells[5], cells[11]]).toEqual(['ECO:9999999', 'kind=known\n']);
  const leftOut = new GafLeftOut();
  expect(leftOut.summary).toBe('');
  expect(leftOut.linesOf([own], file)).toBe('');
  expect(leftOut.linesOf([own, by('ECO:9999999'), by('ECO:9999999')], file)).toBe(
    '!left-out: UniProtKB:P12345 is known by ECO:9999999: NOT GO:0005515\n',
  );
  expect(leftOut.summary).toMatch(/^!left-out: 2 known annotations of 1 protein by ECO:9999999, /);
});

it('fills what an annotation of the protein itself lacks with what its formats need', () => {
  const annotation = {
    qualifier: 'NOT',
    evidence_code: 'IDA',
    db_reference: null,
    with_from: null,
    assigned_by: null,
    annotation_date: null,
  };
  const cells = gafLine({ ...own, annotation }, file, none).split('\t');
  expect([cells[3], cells[5], cells[7], cells[13], cells[14]]).toEqual([
    'NOT|enables',
    'KINDRED_REF:0000009',
    '',
    '20261122',
    'goa',
  ]);
});

it('has what is known of a protein first in a feature, and what is predicted beyond it', () => {
  const term = { source_kind: 'protein', source_id: 'P2', score: 0.5, probability: 0.4 } as const;
  const { annotation } = own;
  const numbers = { ec_numbers: '3.5.4.2|3.5.-.-', rhea_reactions: '23688' };
  const more = { ...noCrossReferences, contradiction: null, folded_under: null, calibrated_on: 'windows' };
  const feature = featureAnnotation(
    [
      { go_id: 'GO:0000001', is_negated: false, annotations: [annotation], ...numbers },
      { go_id: 'GO:0000009', is_negated: true, annotations: [annotation], ...numbers, ec_numbers: '1.1.1.1' },
    ],
    [
      { ...term, ...more, go_id: 'GO:0000001', is_known: true },
      { ...term, ...more, go_id: 'GO:0000002', is_known: false, ec_numbers: '2.7.1.1' },
    ],
    'local',
  );
  expect(gff3Protein('x', 12, feature)).toContain(
    '\t0.4\t.\t.\tID=x;Ontology_term=GO:0000001,GO:0000002;Dbxref=local:P2,RHEA:23688;ec_number=3.5.4.2;known=GO:0000001|IPI|PMID:1|EcoCyc;predicted=GO:0000002\n',
  );
});

it('names the reference of terms from the sequence alone, in each format', () => {
  const alone = { ...row, sourceKind: 'none', sourceId: null, isFromSequence: true } as const;
  const cells = gafLine(alone, file, none).split('\t');
  expect([cells[5], cells[6], cells[7]]).toEqual(['KINDRED_REF:0000010', 'IEA', 'KINDRED_REF:0000010']);
  expect(gpadLine(alone, file, none)).toContain('\tKINDRED_REF:0000010\tECO:0000501\tKINDRED_REF:0000010\t');
  const term = {
    ...{ go_id: 'GO:0000002', source_id: null, score: 0.4, probability: 0.4 },
    source_kind: 'none',
    ...{ is_known: null, contradiction: null, folded_under: null, calibrated_on: sequenceAloneData },
    ...noCrossReferences,
  } as const;
  expect(gff3Protein('x', 12, featureAnnotation([], [term], 'local'))).toMatch(
    /ID=x;Ontology_term=GO:0000002;basis=sequence_alone\n$/,
  );
});

it('writes what the readers read back', async () => {
  const annotation = fc.record<PredictedAnnotation>({
    accession: fc.oneof(fc.constantFrom('P12345', 'A0A024R161'), fc.stringMatching(/^[a-zA-Z0-9_.]{1,20}$/)),
    taxonId: fc.option(fc.integer({ min: 1, max: 1e6 })),
    proteinName: fc.option(fc.string({ minLength: 1 })),
    geneName: fc.option(fc.stringMatching(/^\S{1,9}$/)),
    goId: fc.integer({ min: 0, max: 9_999_999 }).map((n) => `GO:${String(n).padStart(7, '0')}`),
    aspect: fc.constantFrom('P', 'F', 'C'),
    sourceKind: fc.constantFrom('protein', 'interpro_entry', 'own_annotation'),
    sourceId: fc.option(fc.stringMatching(/^[A-Z0-9]{1,10}$/)),
    evidenceCode: fc.option(fc.constantFrom('IDA', 'IEA')),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    probability: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    probabilityMeaning: fc.option(fc.constantFrom('shown by experiment', 'held by the databases')),
    isFromSequence: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(annotation, { maxLength: 20 }), async (rows) => {
      const gaf = gafHeader(file) + rows.map((one) => gafLine(one, file, none)).join('');
      const back = await records(readGaf([new TextEncoder().encode(gaf)]));
      expect(back.map((one) => [one.accession, one.goId, one.aspect, one.taxonId, one.evidenceCode])).toEqual(
        rows.map((one) => [one.accession, one.goId, one.aspect, one.taxonId ?? 32644, 'IEA']),
      );
      const gpad = gpadHeader(file) + rows.map((one) => gpadLine(one, file, none)).join('');
      const again = await records(readGpad([new TextEncoder().encode(gpad)]));
      expect(again.map((one) => [one.accession, one.goId, one.qualifier, one.withFrom])).toEqual(
        back.map((one) => [one.accession, one.goId, one.qualifier, one.withFrom]),
      );
    }),
    { numRuns: 30 },
  );
});

it('writes a protein as a GFF3 record', () => {
  const annotation = {
    goIds: ['GO:0000001', 'GO:0000002'],
    known: [],
    predicted: [],
    sources: ['UniProtKB:P1'],
    ecNumbers: [],
    best: 0.75,
    isFromSequence: false,
  };
  expect(gff3Protein('a;b', 12, annotation)).toBe(
    '##sequence-region a%3Bb 1 12\na%3Bb\tKindred\tpolypeptide\t1\t12\t0.75\t.\t.\tID=a%3Bb;Ontology_term=GO:0000001,GO:0000002;Dbxref=UniProtKB:P1\n',
  );
  expect(
    gff3Protein('x', 3, {
      ...{ goIds: [], known: [], predicted: [], sources: [], ecNumbers: [] },
      ...{ best: null, isFromSequence: false },
    }),
  ).toContain('\t.\t.\t.\tID=x\n');
  expect(gff3Protein('x', 3, annotation, { name: 'mine', predictedName: 'putative a;b' })).toContain(
    '\tID=x;Name=mine;predicted_name=putative a%3Bb;Ontology_term=',
  );
  expect(gff3SequenceId('>x y')).toBe('%3Ex%20y');
  expect(decodeURIComponent(gff3Value('a,b=c&d\n%'))).toBe('a,b=c&d\n%');
});
