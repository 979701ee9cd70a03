import { expect, it } from 'vitest';
import {
  type AnnotationFile,
  type OwnAnnotation,
  type PredictedAnnotation,
  turtleHeader,
  turtleProtein,
  turtleTermName,
  turtleText,
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
  header: [['generated-by', 'Kindred 1\n@prefix x: <y> .']],
};
const run = '00000000-0000-4000-8000-000000000001';
const protein = {
  ...{ accession: 'P12345-2', taxonId: 83333, proteinName: 'A "kinase"', geneName: null },
  ...{ run, noAnswer: null, predictedName: null },
};
const predicted: PredictedAnnotation = {
  ...protein,
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
const known = (values: object): OwnAnnotation => ({
  ...protein,
  goId: 'GO:0008150',
  aspect: 'P',
  annotation: {
    ...{ qualifier: 'NOT|involved_in', evidence_code: 'IDA', db_reference: 'PMID:1', with_from: null },
    ...{ annotation_date: '20200102', assigned_by: 'MGI', ...values },
  } as OwnAnnotation['annotation'],
});
const none = new Set<string>();

it('escapes what ends a literal, and every control character', () => {
  expect(turtleText('a"b\\c\n\r\t\b\f')).toBe('"a\\"b\\\\c\\n\\r\\t\\b\\f"');
  for (let code = 0; code < 0x100; code++) {
    const text = turtleText(`x${String.fromCharCode(code)}y`);
    expect(JSON.parse(text)).toBe(`x${String.fromCharCode(code)}y`);
    expect(text).not.toMatch(/\p{Cc}/u);
  }
  expect(turtleText('\ud800 🧬 é')).toBe('"\ufffd 🧬 é"');
});

it('writes a protein with its term, and what the term rests on', () => {
  expect(
    turtleProtein(protein, [predicted], file, none),
  ).toBe(`<http://purl.uniprot.org/isoforms/P12345-2> a up:Protein ;
  rdfs:label "A \\"kinase\\"" ;
  dcterms:identifier "P12345-2" ;
  up:organism <http://purl.uniprot.org/taxonomy/83333> ;
  up:classifiedWith obo:GO_0005515 .
[] a oban:association ;
  oban:association_has_subject <http://purl.uniprot.org/isoforms/P12345-2> ;
  oban:association_has_predicate obo:RO_0002327 ;
  oban:association_has_object obo:GO_0005515 ;
  obo:RO_0002558 obo:ECO_0000501 ;
  kindred:evidenceCode "IEA" ;
  dcterms:source "KINDRED_REF:0000001" ;
  kindred:withFrom "UniProtKB:P0A7B8" ;
  prov:wasDerivedFrom <http://purl.uniprot.org/uniprot/P0A7B8> ;
  dcterms:date "2026-11-22"^^xsd:date ;
  dcterms:creator "Kindred" ;
  kindred:kind "predicted" ;
  prov:wasGeneratedBy <urn:uuid:${run}> ;
  kindred:score 1.23457e-1 ;
  kindred:probability 5e-1 ;
  kindred:probabilityMeaning "held by the databases" .
`);
});

it('writes a predicted name as such, with who has it, and never as the label', () => {
  const predictedName = { name: 'putative "kinase"', sources: ['P12345', 'mine 1'] };
  const text = turtleProtein({ ...protein, proteinName: null, predictedName }, [], file, none);
  expect(text).toContain('rdfs:label "P12345-2" ;');
  expect(text).toContain(
    'kindred:predictedName "putative \\"kinase\\"" ;\n  kindred:predictedNameFrom <http://purl.uniprot.org/uniprot/P12345>, "mine 1" .',
  );
});

it('does not say that a protein has a term that curators denied', () => {
  const text = turtleProtein(protein, [known({})], file, none);
  expect(text).toContain('kindred:isNegated true ;\n  obo:RO_0002558 obo:ECO_0000314 ;');
  expect(text).toContain('oban:association_has_predicate obo:RO_0002331 ;');
  expect(text).toContain(
    'dcterms:date "2020-01-02"^^xsd:date ;\n  dcterms:creator "MGI" ;\n  kindred:kind "known" .',
  );
  expect(text).not.toMatch(/classifiedWith|wasGeneratedBy|wasDerivedFrom|score/);
  const both = turtleProtein(protein, [known({}), known({ qualifier: null })], file, none);
  expect(both).toContain('up:classifiedWith obo:GO_0008150 .');
});

it('takes names of any form, and says why a protein has no term', () => {
  const odd = {
    ...protein,
    accession: 'a b>\\|é\ud800',
    proteinName: null,
    taxonId: null,
    noAnswer: 'too_short',
  };
  const text = turtleProtein(odd, [], file, none);
  expect(text).toBe(
    `<urn:x-kindred:protein:${run}:a%20b%3E%5C%7C%C3%A9%EF%BF%BD> a up:Protein ;\n  rdfs:label "a b>\\\\|é\ufffd" ;\n  dcterms:identifier "a b>\\\\|é\ufffd" ;\n  kindred:noAnswer "too_short" .\n`,
  );
  const unusual = turtleProtein(
    odd,
    [known({ qualifier: 'likes > it', evidence_code: 'not "recorded"' })],
    file,
    none,
  );
  expect(unusual).toContain('<urn:x-kindred:concept:likes%20%3E%20it> ;');
  expect(unusual).toContain('kindred:evidenceCode "not \\"recorded\\"" ;');
  expect(unusual).not.toContain('RO_0002558');
});

it('begins with the release as comments of one line, and defines its own properties', () => {
  const text = turtleHeader(file, run);
  expect(text).toContain('# generated-by: Kindred 1 @prefix x: <y> .\n');
  expect(text.match(/^@prefix .*$/gm)).toHaveLength(8);
  const named = { ...protein, noAnswer: 'x', predictedName: { name: 'putative x', sources: ['P12345'] } };
  const used = turtleProtein(named, [predicted, known({})], file, none).match(/kindred:\w+/g);
  for (const property of new Set(used)) expect(text).toContain(`${property} rdfs:comment "`);
  expect(text).toContain(`<urn:uuid:${run}> a prov:Activity ; rdfs:label "combined" .`);
  expect(turtleTermName('GO:0005515', 'a "b"')).toBe('obo:GO_0005515 rdfs:label "a \\"b\\"" .\n');
});
