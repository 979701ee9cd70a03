import type { AnnotationTable, NamespaceAnnotations } from '../read/annotations.js';
import { closeUpwards, type RowTerms } from './closure.js';
import { type EvaluationNamespace, type EvaluationOntology, isOrphan } from '../read/evaluation-ontology.js';
import { ExactSum } from '../../arrays/index.js';
import { type Compatibility, EvaluationInputError } from '../options.js';
import { listedTerms, type TermList, type TermWeights } from '../read/term-lists.js';

/**
 * One way to count (all terms equal, or weighted by information accretion), and the proteins that are counted. Arrays have one entry for
 * each row.
 */
export interface EvaluationPass {
  /** The weight of each term; 0 where the term is not evaluated. float64 */
  weights: Float64Array;
  /** The total weight of the true terms of each row, w(T_i). float64 */
  truthWeight: Float64Array;
  /** The value is 1 where the row adds to the sums of precision, recall, tp, fp and fn. */
  counted: Uint8Array;
  /** The value is 1 where the row adds to n when it has a prediction. */
  covers: Uint8Array;
  /** The value is 1 where the row is one of the N. */
  divides: Uint8Array;
  /** The number of proteins to divide by, N. */
  divisor: number;
}

export interface NamespaceFrame {
  namespace: EvaluationNamespace;
  rowCount: number;
  /** The row of each protein number; -1 if it has none. */
  rowOf: Int32Array;
  truth: RowTerms;
  known: RowTerms | null;
  unweighted: EvaluationPass;
  weighted: EvaluationPass | null;
}

/** The ground truth in the form that methods are scored against. It is built once and used for any number of methods. */
export interface EvaluationFrame {
  ontology: EvaluationOntology;
  compatibility: Compatibility;
  truth: AnnotationTable;
  namespaces: NamespaceFrame[];
}

export interface FrameInput {
  ontology: EvaluationOntology;
  truth: AnnotationTable;
  /** The terms that proteins had before; they do not affect the scores. */
  known?: AnnotationTable;
  termsOfInterest?: TermList;
  /** The information accretion; terms with 0 or less are left out of the weighted metrics. */
  weights?: TermWeights;
  /** Whether terms without a parent are left out of the unweighted metrics. */
  noOrphans?: boolean;
  compatibility?: Compatibility;
}

/**
 * Compiles the frame of an evaluation: the propagated truth (and known terms), the evaluated terms with their weights, and the population
 * of each namespace. @cite Jiang2016CAFA2
 */
export function buildFrame(input: FrameInput): EvaluationFrame {
  const compatibility = input.compatibility ?? 'corrected';
  if (compatibility === 'upstream' && (input.known || input.termsOfInterest)) {
    throw new EvaluationInputError(
      'known terms and terms of interest do not exist in the upstream program; use partial-knowledge or the default',
    );
  }
  const namespaces = input.ontology.namespaces.map((namespace, number) =>
    buildNamespaceFrame(input, namespace, number),
  );
  return { compatibility, ontology: input.ontology, truth: input.truth, namespaces };
}

function buildNamespaceFrame(
  input: FrameInput,
  namespace: EvaluationNamespace,
  number: number,
): NamespaceFrame {
  const annotations = input.truth.namespaces[number];
  const rowCount = annotations.proteinOf.length;
  const truth = closeUpwards(namespace, rowCount, annotations);
  const known = input.known
    ? closeUpwards(namespace, rowCount, rowsOfTruth(input.truth, annotations, input.known, number))
    : null;
  const rows = { rowCount, truth, known };
  const toi = input.termsOfInterest ? listedTerms(namespace, input.termsOfInterest) : null;
  const one = new Float64Array(namespace.size);
  for (let term = 0; term < one.length; term++) {
    one[term] = (toi && !toi[term]) || (input.noOrphans && isOrphan(namespace, term)) ? 0 : 1;
  }
  const compatibility = input.compatibility ?? 'corrected';
  const unweighted = buildPass(rows, one, compatibility, null);
  let weighted: EvaluationPass | null = null;
  if (input.weights) {
    const { ofId } = input.weights;
    const accretion = Float64Array.from(namespace.idOf, (id) => Math.max(0, ofId[id]));
    if (toi) accretion.forEach((_, term) => (accretion[term] *= toi[term]));
    weighted = buildPass(rows, accretion, compatibility, unweighted);
  }
  return { namespace, rowCount, rowOf: annotations.rowOf, truth, known, unweighted, weighted };
}

/** Returns pairs of the known table with rows of the truth; -1 for proteins without truth in this namespace. */
function rowsOfTruth(
  truth: AnnotationTable,
  annotations: NamespaceAnnotations,
  known: AnnotationTable,
  number: number,
): { rows: Int32Array; terms: Int32Array } {
  const from = known.namespaces[number];
  const rowOfKnown = Int32Array.from(from.proteinOf, (protein) => {
    const found = truth.proteins.findText(known.proteins.textOf(protein));
    return found < 0 ? -1 : annotations.rowOf[found];
  });
  return { rows: from.rows.map((row) => rowOfKnown[row]), terms: from.terms };
}

/** @param unweighted the unweighted pass of the same namespace, given when the weighted one is built */
function buildPass(
  rows: { rowCount: number; truth: RowTerms; known: RowTerms | null },
  weights: Float64Array,
  compatibility: Compatibility,
  unweighted: EvaluationPass | null,
): EvaluationPass {
  const { rowCount, truth, known } = rows;
  const truthWeight = new Float64Array(rowCount);
  const counted = new Uint8Array(rowCount);
  const covers = new Uint8Array(rowCount);
  const divides = new Uint8Array(rowCount);
  const stamp = new Int32Array(weights.length);
  let divisor = 0;
  for (let row = 0; row < rowCount; row++) {
    if (known) for (let i = known.start[row]; i < known.start[row + 1]; i++) stamp[known.terms[i]] = row + 1;
    let some = false;
    const sum = new ExactSum();
    for (let i = truth.start[row]; i < truth.start[row + 1]; i++) {
      const weight = weights[truth.terms[i]];
      if (weight > 0) some = true;
      if (stamp[truth.terms[i]] !== row + 1) sum.add(weight);
    }
    truthWeight[row] = sum.value;
    const left = truthWeight[row] > 0;
    if (compatibility === 'upstream') counted[row] = covers[row] = divides[row] = 1;
    else if (compatibility === 'corrected') {
      counted[row] = Number(some);
      covers[row] = divides[row] = Number(left);
    } else {
      counted[row] = covers[row] = Number(some);
      // When known terms are given, the published program uses the rows of the unweighted pass here.
      divides[row] = Number(known ? left && (!unweighted || unweighted.counted[row] === 1) : some);
    }
    divisor += divides[row];
  }
  return { weights, truthWeight, counted, covers, divides, divisor };
}
