import { type BuildSize, defaultModel, dimensionOf } from '@kindred/client/reference-builds';
import type { Parts } from '../../app/api/reference-builds.js';

export type SourceKind = 'ontology' | 'proteins' | 'annotations' | 'nodes' | 'names' | 'taxdump' | 'interpro';

/** The kinds of files by what their names hold, without .gz. */
const kindsByName: readonly (readonly [RegExp, SourceKind])[] = [
  [/\.obo$/, 'ontology'],
  [/\.(fasta|fa|faa|fas)$/, 'proteins'],
  [/\.(gaf|gpa|gpad|goa)$/, 'annotations'],
  [/^interpro2go/, 'interpro'],
  [/^nodes.*\.dmp$/, 'nodes'],
  [/^names.*\.dmp$/, 'names'],
  [/^taxdump.*\.tar$/, 'taxdump'],
];

export const kindOf = (name: string): SourceKind | null =>
  kindsByName.find(([pattern]) => pattern.test(name.toLowerCase().replace(/\.gz$/, '')))?.[1] ?? null;

export const wordsOfKind: Readonly<Record<SourceKind, string>> = {
  ontology: 'Ontology',
  proteins: 'Proteins',
  annotations: 'Annotations',
  nodes: 'Taxonomy',
  names: 'Taxonomy, names',
  taxdump: 'Taxonomy',
  interpro: 'InterPro mapping',
};

interface Named {
  name: string;
}

/** Says what keeps these files from being built into a reference; null: nothing. */
export function faultOf(files: readonly Named[]): string | null {
  const strange = files.filter(({ name }) => kindOf(name) === null);
  if (strange.length > 0)
    return `The name of ${strange.map(({ name }) => name).join(', ')} does not say what it holds. End it in .fasta, .gaf, .gpad or .obo (also with .gz), then drop it again.`;
  const count = (kind: SourceKind) => files.filter(({ name }) => kindOf(name) === kind).length;
  const missing = (['proteins', 'annotations', 'ontology'] as const).filter((kind) => count(kind) === 0);
  if (missing.length > 0) return `Still missing: ${missing.map((kind) => neededWords[kind]).join(', ')}.`;
  if (count('ontology') > 1) return 'These are two ontologies. Take one away.';
  if (count('nodes') !== count('names'))
    return 'The taxonomy is two files, nodes.dmp and names.dmp. Drop both, or neither.';
  return null;
}
const neededWords = {
  proteins: 'the proteins (FASTA)',
  annotations: 'their annotations (GAF or GPAD)',
  ontology: 'the ontology (OBO)',
};

/** Puts the sent files where a build expects them. They have no fault. */
export function partsOfFiles<S extends { file_name: string; url: string }>(sources: readonly S[]): Parts {
  const of = (kind: SourceKind) => sources.filter(({ file_name }) => kindOf(file_name) === kind);
  const [[nodes], [names], [taxdump], [interpro]] = [of('nodes'), of('names'), of('taxdump'), of('interpro')];
  return {
    ontology: of('ontology')[0],
    proteins: of('proteins'),
    annotations: of('annotations'),
    ...(nodes !== undefined && names !== undefined ? { taxonomy: { nodes, names } } : {}),
    ...(taxdump === undefined ? {} : { taxonomy: { taxdump } }),
    ...(interpro === undefined ? {} : { interpro_mapping: interpro }),
  };
}

/** Counts what a build of the files has to take in. @throws if a file can't be unpacked here */
export async function sizeOfFiles(files: readonly File[]): Promise<BuildSize> {
  const size: BuildSize = {
    proteins: 0,
    rows: 0,
    sentBytes: 0,
    unpackedBytes: 0,
    dimension: dimensionOf(defaultModel),
    model: defaultModel,
  };
  for (const file of files) {
    const kind = kindOf(file.name);
    const { records, bytes } = await countLines(
      file,
      kind === 'proteins' ? isFastaHead : kind === 'annotations' ? isRow : () => false,
    );
    size.sentBytes += file.size;
    size.unpackedBytes += bytes;
    if (kind === 'proteins') size.proteins += records;
    if (kind === 'annotations') size.rows += records;
  }
  return size;
}

const [fastaMark, comment, lineEnd] = [0x3e, 0x21, 0x0a];
const isFastaHead = (byte: number) => byte === fastaMark;
const isRow = (byte: number) => byte !== comment && byte !== lineEnd;

/** Counts the lines whose first byte is that of a record. */
async function countLines(file: File, begins: (byte: number) => boolean) {
  const stream = file.name.toLowerCase().endsWith('.gz')
    ? file.stream().pipeThrough(new DecompressionStream('gzip'))
    : file.stream();
  const reader = stream.getReader();
  let [records, bytes, before] = [0, 0, lineEnd];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    for (const byte of part.value) {
      if (before === lineEnd && begins(byte)) records++;
      before = byte;
    }
  }
  return { records, bytes };
}
