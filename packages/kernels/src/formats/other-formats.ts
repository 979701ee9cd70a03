import { isGoId } from './annotation.js';
import { accessionList } from '../accessions/index.js';

interface OtherFormat {
  /** Says whether a file has this format, by its first line that is not a comment (`!`). */
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

const isNumber = (text: string | undefined) => text !== undefined && /^[\d.]+(?:e-?\d+)?$/i.test(text);
/** The headings of columns of terms in tables of UniProt, BioMart, Blast2GO and PANNZER. */
const headingOfTerms = /^(?:gene ontology\b.*|goid|go[ _-]?(?:ids?|terms?|names?)(?: accession)?)$/i;

const listsOfTerms =
  'this is a table of proteins with lists of terms (as for topGO or WEGO), not GAF: write a GAF row of 15 columns for each protein and term, with its evidence';
const scoredTerms =
  'these are predictions with scores, not GAF: score them with "kindred evaluate" against the annotations';

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
    fits: (line, cells) =>
      /^(?:AUTHOR|MODEL|KEYWORDS)\s/.test(line) ||
      (cells.length === 3 && isGoId(cells[1]) && isNumber(cells[2])),
    sentence: scoredTerms,
  },
  {
    fits: (_, cells) =>
      (cells.length === 2 || cells.length === 3) &&
      /^(?:GO:\d{7}|EC:[\d.n-]+)$/.test(cells[1]) &&
      !isGoId(cells[2] ?? ''),
    sentence:
      'this is a table of proteins and terms, as Blast2GO writes it (.annot), not GAF: it has no evidence, no reference and no date. Export it as GAF from the program that made it, or write the 15 columns of GAF with evidence IEA',
  },
  {
    fits: (_, cells) =>
      (cells.length === 2 && /^GO:\d{7}(?:\s*[,;|]\s*GO:\d{7})+\s*$/.test(cells[1])) ||
      (cells.length > 2 && cells.slice(1).every(isGoId)),
    sentence: listsOfTerms,
  },
  {
    fits: (_, cells) =>
      cells.length >= 10 && cells.length <= 12 && isGoId(cells[3]) && /^ECO:\d{7}$/.test(cells[5]),
    sentence:
      'this is GPAD, not GAF: load it with load_goa_annotations and the format gpad or auto, or take the GAF of the same release',
  },
  {
    fits: (line) => /^GENE PRODUCT (?:DB|ID)\t/i.test(line),
    sentence:
      'this is a table of QuickGO, not GAF: load it with load_quickgo_annotations, or download it as GAF',
  },
  {
    fits: (line) => /^InterPro:IPR\d{6} .*> GO:/.test(line),
    sentence: 'this is interpro2go, not GAF: load it with load_interpro_go_mapping',
  },
  {
    fits: (_, cells) => cells.length > 1 && cells.some((cell) => headingOfTerms.test(cell)),
    sentence:
      'this is a table with headings, not GAF: it has no evidence, no reference and no date in the columns of GAF. Export it as GAF, or write a GAF row of 15 columns for each protein and term',
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
  {
    fits: (line) => /^##gff-version/.test(line),
    sentence: 'these are features of a genome (GFF), not GAF: "kindred annotate" reads them',
  },
  {
    fits: (_, cells) => cells.length === 1 && /[\s,;]GO:\d{7}[\s,;]/.test(cells[0]),
    sentence:
      'its columns are separated by commas or blanks, and those of GAF by tabs: export the file again, or replace the separators',
  },
  { fits: isWebPage, sentence: 'this is a web page, not GAF: the address gives a page instead of the file' },
  { fits: isXml, sentence: 'this is XML, not GAF: take the GAF from the same source' },
  {
    fits: (line) => /^\s*[{[]/.test(line),
    sentence: 'this is JSON, not GAF: take the GAF from the same source',
  },
];

const sequenceFormats: readonly OtherFormat[] = [
  {
    fits: (line) => /[^\P{Cc}\s\u0080-\u009f]/u.test(line),
    sentence:
      'this is not a text file: unpack an archive first ("tar -xf"), and save a workbook or a document as plain text',
  },
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
    fits: (line) => /^##\s*gff-version\s+3/.test(line),
    sentence:
      'this is GFF3: "kindred annotate" reads it with the FASTA of the genome (--genome); here give the FASTA of its proteins, which "gffread -y proteins.faa -g genome.fna FILE" writes',
  },
  {
    fits: (line) => /^##\s*gff-version/.test(line),
    sentence:
      'this is GFF, but not of version 3: "gffread in.gff -o out.gff3" makes GFF3 of it, which goes with the FASTA of the genome',
  },
  {
    fits: (line) => /^[@][^\t]*$/.test(line) && line.length > 1,
    sentence: 'these are reads (FASTQ), not proteins: assemble them and predict genes first',
  },
  {
    fits: (line) => /^@(?:HD|SQ|RG|PG|CO)\t|^##fileformat=VCF/.test(line),
    sentence: 'these are alignments or variants of reads (SAM or VCF), not proteins: give the proteins',
  },
  {
    fits: (line) => /^(?:# STOCKHOLM|CLUSTAL|MUSCLE|PileUp|#NEXUS|!!AA_MULTIPLE_ALIGNMENT)/i.test(line),
    sentence:
      'this is an alignment, not sequences: write it as FASTA without gaps ("seqmagick" or Biopython)',
  },
  {
    fits: (line) => /^(?:HEADER {4}|ATOM {2}|data_)/.test(line),
    sentence: 'this is a structure (PDB or mmCIF), not sequences: take the FASTA of its chains',
  },
  { fits: isWebPage, sentence: 'this is a web page, not sequences: save the file itself' },
  { fits: isXml, sentence: 'this is XML, not sequences: take the FASTA from the same source' },
  {
    fits: (line) => /^\{\\rtf|^%PDF-/.test(line),
    sentence: 'this is a document, not plain text: save the sequences as plain text',
  },
  {
    fits: (line) => /^[{[]/.test(line),
    sentence: 'this is JSON, not sequences: take the FASTA from the same source',
  },
  {
    fits: (line) => /^!\s*(?:gaf|gpa|gpad)-version/.test(line),
    sentence: 'these are annotations (GAF or GPAD), not sequences: give the FASTA of the proteins',
  },
  {
    fits: (line) => accessionList(line) !== null,
    sentence:
      'these are accessions, not sequences: "kindred annotate" takes a list of UniProt accessions; here give their FASTA',
  },
  {
    // A word that ends in a digit and perhaps a letter is not a sequence whose name is missing.
    fits: (line) => /^\s*(?:\w{1,11}_[A-Z0-9]{3,5}|[\w.:|/+-]{1,38}\d[A-Za-z]{0,2})\s*$/.test(line),
    sentence:
      'these are names, not sequences, and only accessions of UniProt are looked up: map them at UniProt (ID mapping), or give the FASTA',
  },
];

function isWebPage(line: string): boolean {
  return /^\s*<(?:!doctype|html)/i.test(line);
}

function isXml(line: string): boolean {
  return /^\s*<[?a-z]/i.test(line);
}

function sentenceFor(formats: readonly OtherFormat[], line: string): string | null {
  const cells = line.trimEnd().split('\t');
  return formats.find(({ fits }) => fits(line, cells))?.sentence ?? null;
}

/** Says by the first line what a file is that was given as GAF, and what to do with it; null if that is not known. */
export const insteadOfGaf = (line: string): string | null => sentenceFor(annotationFormats, line);

/** Says by the first line what a file is that was given as sequences, and what to do with it; null if that is not known. */
export const insteadOfSequences = (line: string): string | null => sentenceFor(sequenceFormats, line);
