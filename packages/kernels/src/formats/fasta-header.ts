/** The fields of a FASTA header line; a field is null if the header lacks it. */
export interface FastaHeader {
  /** The whole line after `>`, unchanged. */
  header: string;
  /** The first token; for `sp|ACC|NAME` and `tr|ACC|NAME` the middle part. It is empty if there is none. */
  accession: string;
  entryName: string | null;
  /** Whether the entry is reviewed: true for `sp|`, false for `tr|`. */
  reviewed: boolean | null;
  /** The text between the first token and the first `XX=` field. */
  proteinName: string | null;
  /** The value of `OS=`. */
  organism: string | null;
  /** The number of `OX=` anywhere in the header; the first `OX=` with a number counts. */
  taxonId: number | null;
  /** The value of `GN=`. */
  geneName: string | null;
}

const uniprotToken = /^(sp|tr)\|([^|]*)\|(.*)$/;
/** A field of UniProt begins with two capitals and an equals sign after white space. */
const field = /(?:^|\s)([A-Z]{2})=/g;
/** The pattern finds OX= also inside the token, in brackets or before other text, but not inside a word or a longer number. */
const taxon = /(?<![\p{L}\p{N}_])OX=(\d{1,9})(?![\p{L}\p{N}_])/u;

/** Prodigal writes the place of a gene where others write the name: `# 2 # 181 # 1 # ID=1_1;partial=10`. */
const prodigal = /^# \d+ # \d+ # -?1 #/;

/** Reads a header line without its `>`. No header is an error: for free text the result has an accession and nulls. */
export function parseFastaHeader(header: string): FastaHeader {
  const text = header.trim();
  const space = text.search(/\s/);
  const token = space < 0 ? text : text.slice(0, space);
  const uniprot = token.includes('|') ? uniprotToken.exec(token) : null;
  const taxonId = taxon.exec(text)?.[1];
  const head: FastaHeader = {
    header,
    accession: uniprot === null ? token : uniprot[2],
    entryName: uniprot?.[3] || null,
    reviewed: uniprot === null ? null : uniprot[1] === 'sp',
    proteinName: null,
    organism: null,
    taxonId: taxonId === undefined ? null : Number(taxonId),
    geneName: null,
  };
  if (space >= 0) readFields(text.slice(space + 1).trim(), head);
  return head;
}

/** Reads the fields of a header, of which the first value counts. */
function readFields(text: string, head: FastaHeader): void {
  let name = '';
  let start = 0;
  field.lastIndex = 0;
  for (let mark = field.exec(text); ; mark = field.exec(text)) {
    const value = text.slice(start, mark?.index ?? text.length).trim() || null;
    if (name === '') head.proteinName = value === null || prodigal.test(value) ? null : value;
    else if (name === 'OS') head.organism ??= value;
    else if (name === 'GN') head.geneName ??= value;
    if (mark === null) return;
    name = mark[1];
    start = field.lastIndex;
  }
}
