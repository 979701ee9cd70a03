import { informationAccretion, linkOntology } from '@kindred/kernels/evaluation';
import { assertedTerms, type DatedAnnotations } from '@kindred/kernels/holdout';
import { type OntologyColumns, OntologyGraph } from '@kindred/kernels/ontology';
import { task } from '../../../ground/pool/pool.js';
import { annotationTable } from '../annotation-table.js';

export interface AccretionInput {
  ontology: OntologyColumns;
  proteinCount: number;
  /** NOT rows are treated as in the ground truth. */
  annotations: DatedAnnotations;
}
export interface AccretionOutput {
  /** Live terms are ordered by GO id. */
  goIds: string[];
  bits: Float64Array;
  /** This number of proteins has an annotation that counts. */
  proteins: number;
}

/** Computes the information accretion of all live terms from one annotation set. */
function accretion(input: AccretionInput): AccretionOutput {
  const { ontology: columns, proteinCount, annotations } = input;
  const { rows } = assertedTerms(new OntologyGraph(columns), proteinCount, annotations);
  const protein = new Int32Array(rows.terms.length);
  for (let p = 0; p < proteinCount; p++) protein.fill(p, rows.start[p], rows.start[p + 1]);
  const ontology = linkOntology(columns);
  const proteins = Array.from({ length: proteinCount }, (_, p) => String(p));
  const table = annotationTable(ontology, { proteins, terms: columns.termIds, protein, term: rows.terms });
  const { ofId } = informationAccretion(ontology, table);
  const goIds = columns.termIds.filter((_, term) => columns.obsolete[term] === 0);
  return {
    goIds,
    bits: Float64Array.from(goIds, (id) => ofId[ontology.ids.findText(id)]),
    proteins: new Set(protein).size,
  };
}

export const accretionTask = task(import.meta.url, accretion);
