// The annotations known at the first date of a window, in the form that the combination uses, and the queries for its
// targets.
import {
  buildCombinedReference,
  evidenceGroupOf,
  evidenceGroups,
  experimentalBit,
  groupTerms,
  ownTermsOf,
} from '@kindred/kernels/combined';
import { AnnotationCollector, informationAccretion } from '@kindred/kernels/evaluation';
import { assertedTerms } from '@kindred/kernels/holdout';
import { holdoutOf, targetsOf } from './windows.mjs';

const experimental = evidenceGroups.indexOf('experimental');
const rule = evidenceGroups.indexOf('rule');

/**
 * Returns evidence groups of what was known in 2018, of which the source says only "by experiment" or "not": the groups by which the same
 * protein has the same term in 2020, `rule` if it no longer has it. Whether an annotation was withdrawn by 2020 reveals results of
 * experiments until then, so use this for training only, never for testing.
 */
async function groupsOf2020(data) {
  const { graph, organisms } = data;
  const closure = graph.ancestorClosure();
  const found = new Map();
  for (const organism of organisms)
    for (const { protein, term, evidenceCode, dbReference, negated } of await data.annotations(
      2020,
      organism,
    )) {
      const group = evidenceGroupOf(evidenceCode, dbReference);
      if (negated || term < 0 || group <= experimental) continue;
      for (let c = closure.start[term]; c < closure.start[term + 1]; c++) {
        const key = protein * graph.size + closure.terms[c];
        found.set(key, (found.get(key) ?? 0) | (1 << group));
      }
    }
  return (protein, term) => found.get(protein * graph.size + term) ?? 1 << rule;
}

/** Makes the reference with the annotations of all proteins known at a date. */
export async function referenceOf(data, date, lookUpGroups) {
  const { graph, proteins, organisms } = data;
  const lookedUp = lookUpGroups && date === 2018 ? await groupsOf2020(data) : null;
  const columns = evidenceGroups.map(() => ({ protein: [], term: [], negated: [] }));
  const add = (group, protein, term, negated) => {
    columns[group].protein.push(protein);
    columns[group].term.push(term);
    columns[group].negated.push(Number(negated));
  };
  for (const organism of organisms)
    for (const { protein, term, evidenceCode, dbReference, negated } of await data.annotations(
      date,
      organism,
    )) {
      if (negated) {
        evidenceGroups.forEach((_, group) => add(group, protein, term, true));
        continue;
      }
      const group = evidenceGroupOf(evidenceCode, dbReference);
      if (group < 0 || term < 0) continue;
      const mask = lookedUp === null || group === experimental ? 1 << group : lookedUp(protein, term);
      evidenceGroups.forEach((_, bit) => {
        if (mask & (1 << bit)) add(bit, protein, term, false);
      });
    }
  const byGroup = columns.map(
    ({ protein, term, negated }) =>
      assertedTerms(graph, proteins.length, {
        protein: Int32Array.from(protein),
        term: Int32Array.from(term),
        negated: Uint8Array.from(negated),
      }).rows,
  );
  const isRoot = Uint8Array.from({ length: graph.size }, (_, term) =>
    Number(graph.parentsOf(term).length === 0),
  );
  const annotated = groupTerms(byGroup, graph.ancestorClosure(), isRoot);
  const organism = Int32Array.from(proteins, (protein) => organisms.indexOf(protein.organism));
  return buildCombinedReference(graph, annotated, organism);
}

const references = new Map();

/**
 * Opens a window with what was known at its first date, which windows of one date share. `lookUpGroups` gives annotations of 2018 the
 * evidence groups of 2020 (for training only).
 */
export async function openWindow(data, window, { lookUpGroups = false } = {}) {
  const key = `${window.before} ${lookUpGroups}`;
  if (!references.has(key)) references.set(key, referenceOf(data, window.before, lookUpGroups));
  const holdout = await holdoutOf(data, window);
  return { window, reference: await references.get(key), holdout, targets: targetsOf(holdout) };
}

/** Computes the information accretion among the references of a window, by experiment, and the same by term of the graph. */
export function accretionOf({ graph, proteins }, ontology, { reference: { annotated } }) {
  const collector = new AnnotationCollector(ontology);
  const protein = [];
  const term = [];
  for (let p = 0; p + 1 < annotated.start.length; p++)
    for (let at = annotated.start[p]; at < annotated.start[p + 1]; at++)
      if (annotated.groups[at] & experimentalBit) {
        protein.push(p);
        term.push(annotated.terms[at]);
      }
  collector.addColumns({
    proteins: proteins.map(({ accession }) => accession),
    terms: graph.termIds,
    protein: Int32Array.from(protein),
    term: Int32Array.from(term),
  });
  const weights = informationAccretion(ontology, collector.end());
  const ofTerm = Float64Array.from(graph.termIds, (id) => {
    const number = ontology.ids.findText(id);
    return number < 0 ? 0 : weights.ofId[number];
  });
  return { weights, ofTerm };
}

/** Makes the query of a target: its relatives among what was annotated at the first date, and its known annotations. */
export function queryOf({ reference }, neighbours, protein, { bare = false } = {}) {
  const donates = ({ reference: source }) => source !== protein && reference.speaks[source] !== 0;
  const aligned = neighbours.aligned.get(protein).filter(donates);
  const near = neighbours.near.get(protein).filter(donates);
  return {
    aligned: {
      reference: Int32Array.from(aligned, (hit) => hit.reference),
      logEValue: Float64Array.from(aligned, (hit) => hit.logEValue),
      identity: Float64Array.from(aligned, (hit) => hit.identity),
      share: Float64Array.from(aligned, (hit) => hit.share),
    },
    near: {
      reference: Int32Array.from(near, (hit) => hit.reference),
      distance: Float64Array.from(near, (hit) => hit.distance),
    },
    self: protein,
    own: bare ? null : ownTermsOf(reference, protein),
    organism: bare ? -1 : reference.organism[protein],
  };
}

/** Returns the window with only some of its targets, in the truth, too. */
export function limitedTo(opened, targets) {
  const kept = new Set(targets);
  const only = ({ protein, term }) => {
    const at = [...protein.keys()].filter((i) => kept.has(protein[i]));
    return {
      protein: Int32Array.from(at, (i) => protein[i]),
      term: Int32Array.from(at, (i) => term[i]),
    };
  };
  const { truth, known } = opened.holdout;
  const byCategory = Object.fromEntries(Object.entries(truth).map(([name, pairs]) => [name, only(pairs)]));
  return { ...opened, targets, holdout: { ...opened.holdout, truth: byCategory, known: only(known) } };
}
