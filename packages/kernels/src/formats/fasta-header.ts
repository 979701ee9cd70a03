/** What a FASTA header line says of its protein; null where it does not say. */
export interface FastaHeader {
  /** The whole line after `>`, unchanged. */
  header: string;
  /** First token; of `sp|ACC|NAME` and `tr|ACC|NAME` the middle part. Empty where there is none. */
  accession: string;
  entryName: string | null;
  /** true for `sp|`, false for `tr|`. */
  reviewed: boolean | null;
  /** Text between the first token and the first `XX=` field. */
  proteinName: string | null;
  /** `OS=` */
  organism: string | null;
  /** `OX=` */
  taxonId: number | null;
  /** `GN=` */
  geneName: string | null;
}

const uniprotToken = /^(sp|tr)\|([^|]*)\|(.*)$/;
/** UniProt's fields: two capitals and an equals sign after white space. */
const field = /(?:^|\s)([A-Z]{2})=/g;

/** Reads a header line without its `>`. Never fails: a free text has an accession and nulls. */
export function parseFastaHeader(header: string): FastaHeader {
  const text = header.trim();
  const space = text.search(/\s/);
  const token = space < 0 ? text : text.slice(0, space);
  const rest = space < 0 ? '' : text.slice(space).trim();
  const uniprot = uniprotToken.exec(token);
  const { name, fields } = splitFields(rest);
  const taxon = fields.get('OX');
  return {
    header,
    accession: uniprot === null ? token : uniprot[2],
    entryName: uniprot?.[3] || null,
    reviewed: uniprot === null ? null : uniprot[1] === 'sp',
    proteinName: name || null,
    organism: fields.get('OS') || null,
    taxonId: taxon !== undefined && /^\d{1,9}$/.test(taxon) ? Number(taxon) : null,
    geneName: fields.get('GN') || null,
  };
}

function splitFields(text: string): { name: string; fields: Map<string, string> } {
  const fields = new Map<string, string>();
  const marks = [...text.matchAll(field)];
  marks.forEach((mark, i) => {
    const start = mark.index + mark[0].length;
    const value = text.slice(start, marks[i + 1]?.index ?? text.length).trim();
    if (!fields.has(mark[1])) fields.set(mark[1], value);
  });
  return { name: text.slice(0, marks[0]?.index ?? text.length).trim(), fields };
}
