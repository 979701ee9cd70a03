import { expect, it } from 'vitest';
import { faultOf, partsOfFiles, sizeOfFiles } from './source-files.js';

const named = (...names: string[]) => names.map((name) => ({ name }));
const whole = ['go.obo.gz', 'mine.fasta', 'mine.gaf.gz'];

it('says which file is missing, strange or one too many', () => {
  expect(faultOf(named(...whole))).toBeNull();
  expect(faultOf(named('mine.fasta'))).toBe(
    'Still missing: their annotations (GAF or GPAD), the ontology (OBO).',
  );
  expect(faultOf(named(...whole, 'notes.txt'))).toMatch(/^The name of notes\.txt does not say/);
  expect(faultOf(named(...whole, 'old.obo'))).toMatch(/two ontologies/);
  expect(faultOf(named(...whole, 'nodes.dmp'))).toMatch(/nodes\.dmp and names\.dmp/);
});

it('puts each file where a build expects it', () => {
  const sources = [...whole, 'NODES.dmp.gz', 'names.dmp.gz', 'interpro2go'].map((file_name) => ({
    file_name,
    url: `upload:${file_name}`,
  }));
  const [ontology, proteins, annotations, nodes, names, interpro_mapping] = sources;
  expect(partsOfFiles(sources)).toEqual({
    ontology,
    proteins: [proteins],
    annotations: [annotations],
    taxonomy: { nodes, names },
    interpro_mapping,
  });
});

it('counts proteins and rows, packed and plain', async () => {
  const rows = '!gaf-version: 2.2\nUniProtKB\tA\nUniProtKB\tB\n\n';
  const packed = new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream('gzip')));
  const files = [
    new File(['>A\nMK\n>B\nM>K'], 'mine.fa'),
    new File([await packed.blob()], 'mine.gaf.gz'),
    new File(['format-version: 1.2\n'], 'go.obo'),
  ];
  const size = await sizeOfFiles(files);
  expect(size).toMatchObject({ proteins: 2, rows: 2, dimension: 1024, unpackedBytes: 12 + rows.length + 20 });
});
