import { isGoId } from './annotation.js';

interface OtherFormat {
  /** Whether the first line of a file that is no comment (`!`) is of this format. */
  fits(line: string, cells: readonly string[]): boolean;
  sentence: string;
}

const isWhole = (text: string | undefined) => /^\d+$/.test(text ?? '');
const isFeature = (cells: readonly string[]) =>
  (cells.length === 8 || cells.length === 9) &&
  isWhole(cells[3]) &&
  isWhole(cells[4]) &&
  /^[-+.?]$/.test(cells[6]);
const isGtf = (cells: readonly string[]) =>
  isFeature(cells) && /\b(?:gene|transcript)_id\s+"/.test(cells[8] ?? '');

const annotationFormats: readonly OtherFormat[] = [
  {
    fits: (line, cells) =>
      /^##? ?(?:emapper|Time:|eggNOG)/i.test(line) ||
      /^#?query(?:_name)?\tseed_(?:eggNOG_)?ortholog\t/.test(line) ||
      (cells.length === 21 && /(?:^|,)GO:\d{7}/.test(cells[9])),
    sentence:
      'these are annotations of eggNOG-mapper, not GAF: its column GOs has terms without evidence. Write a GAF row of evidence IEA for each protein and term, or score the terms with "kindred evaluate" as protein, term and score',
  },
  {
    fits: (line, cells) =>
      /^#?tax_id\tGeneID\tGO_ID\t/.test(line) ||
      (cells.length === 8 && isWhole(cells[0]) && isWhole(cells[1]) && isGoId(cells[2])),
    sentence:
      "this is gene2go of NCBI, not GAF: its proteins are numbers of genes. Take the GAF of the organism (*_gene_ontology.gaf.gz of NCBI's genomes, or GOA's, which has accessions of UniProt)",
  },
  {
    fits: (_, cells) =>
      (cells.length === 2 || cells.length === 3) && /^(?:GO:\d{7}|EC:[\d.n-]+)$/.test(cells[1]),
    sentence:
      'this is a table of proteins and terms, as Blast2GO writes it (.annot), not GAF: it has no evidence, no reference and no date. Export it as GAF from the program that made it, or write the 15 columns of GAF with evidence IEA',
  },
  {
    fits: (_, cells) => cells.length === 2 && /^GO:\d{7}(?:\s*[,;|]\s*GO:\d{7})+\s*$/.test(cells[1]),
    sentence:
      'this is a table of proteins with lists of terms (as for topGO), not GAF: write a GAF row of 15 columns for each protein and term, with its evidence',
  },
  {
    fits: (_, cells) =>
      cells.length >= 11 && cells.length <= 15 && /^[0-9a-f]{32}$/i.test(cells[1]) && isWhole(cells[2]),
    sentence: 'these are matches of InterProScan, not GAF: load them with load_interpro_annotations',
  },
  {
    fits: (line) => /^(?:format-version:|\[Term\])/.test(line),
    sentence: 'this is an ontology (OBO), not GAF: give it as the ontology',
  },
  {
    fits: (line) => line.startsWith('>'),
    sentence: 'these are sequences (FASTA), not GAF: give them as the proteins',
  },
  { fits: isWebPage, sentence: 'this is a web page, not GAF: the address gives a page instead of the file' },
];

const sequenceFormats: readonly OtherFormat[] = [
  {
    fits: (_, cells) => isGtf(cells),
    sentence:
      'this is GTF: "gffread in.gtf -o out.gff3" makes GFF3 of it, which goes with the FASTA of the genome',
  },
  {
    fits: (_, cells) => isFeature(cells),
    sentence:
      'these are features of GFF without the first line "##gff-version 3": write that line, and give the FASTA of the genome',
  },
  {
    fits: (line) => /^[@][^\t]*$/.test(line) && line.length > 1,
    sentence: 'these are reads (FASTQ), not proteins: assemble them and predict genes first',
  },
  { fits: isWebPage, sentence: 'this is a web page, not sequences: save the file itself' },
  {
    fits: (line) => /^[{[]/.test(line),
    sentence: 'this is JSON, not sequences: take the FASTA from the same source',
  },
];

function isWebPage(line: string): boolean {
  return /^\s*<(?:!doctype|html|\?xml)/i.test(line);
}

function sentenceFor(formats: readonly OtherFormat[], line: string): string | null {
  const cells = line.trimEnd().split('\t');
  return formats.find(({ fits }) => fits(line, cells))?.sentence ?? null;
}

/** Says what a file is that is given as GAF, by its first line, and what to do with it; null: not known. */
export const insteadOfGaf = (line: string): string | null => sentenceFor(annotationFormats, line);

/** Says what a file is that is given as sequences, by its first line, and what to do with it; null: not known. */
export const insteadOfSequences = (line: string): string | null => sentenceFor(sequenceFormats, line);
