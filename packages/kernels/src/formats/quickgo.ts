import type { OntologyAspect } from './aspect.js';
import { type AnnotationRow, compactDate, expected, isEcoId, isEvidenceCode, isGoId } from './annotation.js';
import { codeOfEcoId } from './eco-codes.js';
import { FormatError, quoted } from './format-error.js';
import type { TextSource } from './lines.js';
import { type Qualifier, readQualifier } from './qualifier.js';
import { type LineReader, type ParsedBatch, readBatches, type ReadOptions } from './read-batches.js';

export interface QuickGoOptions extends ReadOptions {
  /**
   * The GO code for each ECO id, which is used if the file has no GO EVIDENCE CODE; see parseEcoMapping. The default is the ids that GO's
   * mapping names. Unmapped ids are kept.
   */
  codeOfEco?: ReadonlyMap<string, string>;
}

const required = ['GENE PRODUCT ID', 'GO TERM'];
const aspectOfText: Record<string, OntologyAspect> = {
  P: 'P',
  biological_process: 'P',
  F: 'F',
  molecular_function: 'F',
  C: 'C',
  cellular_component: 'C',
};

/**
 * Reads a TSV download of QuickGO as a stream of annotations. Columns are found by their names in the first line, in any order; GENE
 * PRODUCT ID, GO TERM and one of GO EVIDENCE CODE and ECO ID are required. A row with another number of cells, or an invalid GO id,
 * evidence, aspect or date, is in `rejected`. An empty text (QuickGO's response when nothing matches) yields nothing.
 * @throws FormatError if the first line lacks a needed column, or a line is too long
 */
export function readQuickGo(
  source: TextSource,
  options: QuickGoOptions = {},
): AsyncGenerator<ParsedBatch<AnnotationRow>> {
  return readBatches(source, new QuickGoReader(options), options);
}

class QuickGoReader implements LineReader<AnnotationRow> {
  readonly #codeOfEco: ReadonlyMap<string, string>;
  #columns: Map<string, number> | null = null;
  #cells: string[] = [];

  constructor(options: QuickGoOptions) {
    this.#codeOfEco = options.codeOfEco ?? codeOfEcoId;
  }

  read(line: string, lineNumber: number, batch: ParsedBatch<AnnotationRow>): void {
    if (line.trim() === '') return;
    if (this.#columns === null) {
      this.#columns = columnsOf(line, lineNumber);
      return;
    }
    this.#cells = line.split('\t');
    const fault = this.#fault(this.#columns.size);
    if (fault === null) batch.records.push(this.#row(lineNumber));
    else
      batch.rejected.push({ line: lineNumber, record: this.#cell('GENE PRODUCT ID') || null, reason: fault });
  }

  /** Returns the text of a named column; an empty text if the file has no such column. */
  #cell(name: string): string {
    const index = this.#columns?.get(name);
    return index === undefined ? '' : (this.#cells[index] ?? '');
  }

  #fault(columnCount: number): string | null {
    const found = this.#cells.length;
    if (found !== columnCount)
      return `expected ${columnCount} tab-separated columns as in the first line, found ${found}`;
    if (this.#cell('GENE PRODUCT ID') === '') return expected('an accession', 'GENE PRODUCT ID', '');
    const goId = this.#cell('GO TERM');
    if (!isGoId(goId)) return expected('GO: and seven digits', 'GO TERM', goId);
    const code = this.#cell('GO EVIDENCE CODE');
    const eco = this.#cell('ECO ID');
    if (code !== '' && !isEvidenceCode(code)) return expected('an evidence code', 'GO EVIDENCE CODE', code);
    if (eco !== '' && !isEcoId(eco)) return expected('ECO: and seven digits', 'ECO ID', eco);
    if (code === '' && eco === '') return expected('an evidence code or an ECO id', 'GO EVIDENCE CODE', '');
    const aspect = this.#cell('GO ASPECT');
    if (aspect !== '' && !Object.hasOwn(aspectOfText, aspect))
      return expected('an aspect', 'GO ASPECT', aspect);
    const qualifier = readQualifier(this.#cell('QUALIFIER'));
    if (typeof qualifier === 'string') return qualifier;
    const date = this.#cell('DATE');
    return date === '' || compactDate(date) !== null
      ? null
      : expected('a date YYYYMMDD or YYYY-MM-DD', 'DATE', date);
  }

  #row(line: number): AnnotationRow {
    const { text, negated } = readQualifier(this.#cell('QUALIFIER')) as Qualifier;
    const ecoId = this.#cell('ECO ID') || null;
    const taxon = this.#cell('TAXON ID');
    return {
      line,
      database: this.#cell('GENE PRODUCT DB') || 'UniProtKB',
      accession: this.#cell('GENE PRODUCT ID'),
      qualifier: text,
      negated,
      goId: this.#cell('GO TERM'),
      dbReference: this.#cell('REFERENCE') || null,
      evidenceCode:
        this.#cell('GO EVIDENCE CODE') || (ecoId && this.#codeOfEco.get(ecoId)) || (ecoId as string),
      ecoId,
      withFrom: this.#cell('WITH/FROM') || null,
      aspect: aspectOfText[this.#cell('GO ASPECT')] ?? null,
      taxonId: /^\d{1,9}$/.test(taxon) ? Number(taxon) : null,
      annotationDate: compactDate(this.#cell('DATE')),
      assignedBy: this.#cell('ASSIGNED BY') || null,
      extension: this.#cell('ANNOTATION EXTENSION') || null,
      geneProductForm: null,
    };
  }
}

function columnsOf(line: string, lineNumber: number): Map<string, number> {
  const columns = new Map(line.split('\t').map((name, i) => [name.trim().toUpperCase(), i]));
  const missing = required.filter((name) => !columns.has(name));
  if (!columns.has('GO EVIDENCE CODE') && !columns.has('ECO ID')) missing.push('GO EVIDENCE CODE or ECO ID');
  if (missing.length === 0) return columns;
  const reason = `expected the column names of a QuickGO download; missing ${missing.join(', ')}; found ${quoted(line)}`;
  throw new FormatError({ line: lineNumber, record: null, reason });
}
