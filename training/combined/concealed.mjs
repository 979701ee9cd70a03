// Makes more rows for training: proteins of a reference whose experimental terms are concealed in turns, so that the model learns from
// many more proteins how often electronic annotations, relatives and co-annotation name what experiments find.
import { buildCombinedReference, CombinedFeatures, experimentalBit } from '@kindred/kernels/combined';
import { Random } from '@kindred/kernels/arrays';
import { join } from 'node:path';
import { keptRelatives } from './neighbours.mjs';
import { TrainingRows } from './training-rows.mjs';
import { accretionOf, openWindow, queryOf } from './window-reference.mjs';
import { aspects, windows } from './windows.mjs';

/** The maximum number of proteins of each organism and date. */
const mostProteins = 1500;
/** The number of turns: a fifth of the proteins is concealed at a time, so that the others still donate. */
const turns = 5;
/**
 * The share of the wrong candidates that are kept, like NEGATIVES of other windows in train.py, because all of them would be gigabytes.
 */
const negatives = 0.35;
/** The share of the most specific terms of an aspect that are concealed if the aspect stays known. */
const concealedShare = 0.4;

/** Returns the name of these rows, by which train.py knows them. */
const concealedName = (organism, date) => `concealed-${organism}-${date}`;

/** Returns the proteins with experimental terms, spaced evenly: [organisms][proteins]. */
function chosenOf({ organisms, proteins }, { speaks, organism }) {
  const found = organisms.map(() => []);
  for (let protein = 0; protein < proteins.length; protein++)
    if (speaks[protein] & 7) found[organism[protein]].push(protein);
  return found.map((list) => {
    const step = Math.max(1, list.length / mostProteins);
    const chosen = [];
    for (let at = 0; at < list.length && chosen.length < mostProteins; at += step)
      chosen.push(list[Math.floor(at)]);
    return chosen;
  });
}

/**
 * Returns the terms of a protein that are concealed: all that experiments found (category 0), all of one aspect (1), or some of the most
 * specific terms of each aspect, with what only these imply (2). Kinds that a protein cannot have become the first one.
 */
function concealedOf(terms, kind, { aspect, closure, random }) {
  const has = [...new Set(terms.map((term) => aspect[term]))];
  if (kind === 1 && has.length > 1) {
    const one = has[random.integer(has.length)];
    return { category: 1, terms: new Set(terms.filter((term) => aspect[term] === one)) };
  }
  const above = (term) => closure.terms.subarray(closure.start[term], closure.start[term + 1]);
  const gone = new Set();
  if (kind === 2) {
    const implied = new Set(terms.flatMap((term) => [...above(term)].filter((other) => other !== term)));
    for (const a of has) {
      const all = terms.filter((term) => aspect[term] === a);
      const specific = random.shuffle(all.filter((term) => !implied.has(term)));
      if (specific.length < 2) continue;
      const count = Math.min(specific.length - 1, Math.max(1, Math.round(concealedShare * specific.length)));
      const left = new Set(specific.slice(count).flatMap((term) => [...above(term)]));
      for (const term of all) if (!left.has(term)) gone.add(term);
    }
  }
  return gone.size > 0 ? { category: 2, terms: gone } : { category: 0, terms: new Set(terms) };
}

/** Returns the reference without the concealed terms of some proteins. */
function referenceWithout(graph, { annotated, organism }, concealed) {
  const start = new Int32Array(annotated.start.length);
  const terms = [];
  const groups = [];
  for (let protein = 0; protein + 1 < start.length; protein++) {
    const gone = concealed.get(protein)?.terms;
    for (let at = annotated.start[protein]; at < annotated.start[protein + 1]; at++) {
      const mask = annotated.groups[at] & (gone?.has(annotated.terms[at]) ? ~experimentalBit : 255);
      if (mask === 0) continue;
      terms.push(annotated.terms[at]);
      groups.push(mask);
    }
    start[protein + 1] = terms.length;
  }
  const left = { start, terms: Int32Array.from(terms), groups: Uint8Array.from(groups) };
  return buildCombinedReference(graph, left, organism);
}

function experimentalOf({ start, terms, groups }, protein) {
  const all = [...terms.subarray(start[protein], start[protein + 1])];
  return all.filter((_, i) => groups[start[protein] + i] & experimentalBit);
}

/** Writes the rows of one date for all organisms; `variant` is that of the windows of features.mjs. */
export async function writeConcealed({ data, ontology, out }, date, variant) {
  const { graph, organisms } = data;
  const window = windows.find(({ before }) => before === date);
  const opened = await openWindow(data, window, { lookUpGroups: variant === 'grouped' });
  const { reference } = opened;
  const accretion = accretionOf(data, ontology, opened).ofTerm;
  const chosen = chosenOf(data, reference);
  const neighbours = await keptRelatives(data, { out, prefix: `concealed-${date}.` }, () => chosen.flat());
  const random = new Random(date);
  const make = { aspect: reference.aspect, closure: graph.ancestorClosure(), random };
  const isKept = (right) => right || random.float() < negatives;
  const rows = organisms.map(() => new TrainingRows());
  for (let turn = 0; turn < turns; turn++) {
    const concealed = new Map();
    for (const list of chosen)
      for (let i = turn; i < list.length; i += turns) {
        const kind = Math.floor(i / turns) % 3;
        concealed.set(list[i], concealedOf(experimentalOf(reference.annotated, list[i]), kind, make));
      }
    const left = referenceWithout(graph, reference, concealed);
    const kernel = new CombinedFeatures(left);
    for (const [protein, { category, terms }] of concealed) {
      const isGrouped = date === 2018 && protein % 2 === 1;
      if (date === 2018 && isGrouped !== (variant === 'grouped')) continue;
      const gains = new Map();
      for (const term of terms) {
        const name = aspects[reference.aspect[term]];
        if (!gains.has(name)) gains.set(name, { category, terms: new Set() });
        gains.get(name).terms.add(term);
      }
      const described = kernel.describe(queryOf({ reference: left }, neighbours, protein));
      rows[reference.organism[protein]].add(protein, described, {
        gainOf: (aspect) => gains.get(aspect),
        accretion,
        isKept,
      });
    }
    process.stderr.write(`concealed ${date} ${variant}: ${turn + 1} of ${turns}\n`);
  }
  organisms.forEach((organism, o) => {
    if (chosen[o].length === 0) return;
    const name =
      variant === 'grouped' ? `${concealedName(organism, date)}.grouped` : concealedName(organism, date);
    rows[o].write(join(out, name));
    for (const line of rows[o].summary()) console.log(`${name} ${line}`);
  });
  return organisms
    .filter((_, o) => chosen[o].length > 0)
    .map((organism) => ({ name: concealedName(organism, date), organism, before: date }));
}
