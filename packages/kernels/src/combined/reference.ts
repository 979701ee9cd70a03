import { rowsByKey } from '../arrays/index.js';
import type { OntologyGraph, TermRows } from '../ontology/index.js';
import { aspects } from '../vocabulary/index.js';
import { evidenceGroups, experimentalBit, unclassifiedBit } from './vocabulary/evidence-groups.js';
import type { GroupedTerms } from './grouped-terms.js';
import { buildProfiles, type Profiles } from './profiles.js';

export const aspectCount = aspects.length;

/** The reference with all counts that the features of a query need. */
export interface CombinedReference {
  annotated: GroupedTerms;
  /** The terms that each reference has by experiment, and no others: those of reference r are [start[r] .. start[r + 1]), ascending. */
  experimentalTerms: TermRows;
  /** The organism of each reference, numbered from 0; -1 if unknown: Int32 [references]. */
  organism: Int32Array;
  /** The number of each term's aspect (0 P, 1 F, 2 C); 255 if it has none: Uint8 [terms]. */
  aspect: Uint8Array;
  parents: TermRows;
  /** The number of direct children, and the number of steps from the root by the shortest path: Int32 [terms]. */
  childCount: Int32Array;
  depth: Int32Array;
  /** The number of references with the term by experiment, and with any evidence: Int32 [terms]. */
  experimental: TermCounts;
  any: TermCounts;
  /**
   * The rate at which experiments confirm a term that a reference has by other evidence, among references with an experimental term of
   * the aspect. The rate is 0 to 1, shrunk toward that of the aspect: Float64 [terms].
   */
  proof: Float64Array;
  /** The rate at which experiments confirm annotations of an evidence group, by aspect; 1 for experiments: Float64 [groups x aspects]. */
  groupProof: Float64Array;
  /** The information of a term in bits: -log2 of the shrunk share of references with the term by experiment. Float64 [terms] */
  information: Float64Array;
  /** Flags of each reference: bit a means an experimental term of aspect a, bit 3 + a a term with any evidence: Uint8 [references]. */
  speaks: Uint8Array;
  /** The profiles of the terms by experiment, and of the terms with any evidence. */
  experimentalProfiles: Profiles;
  anyProfiles: Profiles;
  /** Whether most non-experimental annotations have a known evidence group. */
  classified: boolean;
}

/** The weight of the aspect's rate (the prior) in the confirmation rate of a term, in references. */
const proofPrior = 5;

export interface TermCounts {
  carriers: Int32Array;
  /** The number of references with a term of each aspect. */
  speakers: Int32Array;
  /** The share of carriers among the references with a term of the aspect, 0 to 1: Float64 [terms]. */
  share: Float64Array;
  /** The references that carry each term: those of term t are proteins[start[t] .. start[t + 1]), ascending. */
  start: Int32Array;
  proteins: Int32Array;
}

/**
 * Computes the counts once, for any number of queries. The cost is a few passes over all propagated annotations.
 * @param organism number of each reference's organism, -1 if unknown: Int32 [references]
 */
export function buildCombinedReference(
  graph: OntologyGraph,
  annotated: GroupedTerms,
  organism: Int32Array,
): CombinedReference {
  const aspect = Uint8Array.from(graph.aspects, (name) => (name === null ? 255 : aspects.indexOf(name)));
  const references = annotated.start.length - 1;
  const speaks = new Uint8Array(references);
  let unclassified = 0;
  let electronic = 0;
  for (let r = 0; r < references; r++) {
    for (let at = annotated.start[r]; at < annotated.start[r + 1]; at++) {
      const mask = annotated.groups[at];
      speaks[r] |= 1 << (aspectCount + aspect[annotated.terms[at]]);
      if (mask & experimentalBit) speaks[r] |= 1 << aspect[annotated.terms[at]];
      if (mask & ~experimentalBit) electronic++;
      if (mask & unclassifiedBit) unclassified++;
    }
  }
  const experimentalTerms = experimentalTermsOf(annotated);
  const experimental = countTerms(experimentalTerms, { aspect, speaks, firstBit: 0 });
  const any = countTerms(annotated, { aspect, speaks, firstBit: aspectCount });
  const information = Float64Array.from(aspect, (a, term) =>
    a === 255 ? 0 : -Math.log2((experimental.carriers[term] + 1) / (experimental.speakers[a] + 2)),
  );
  return {
    annotated,
    experimentalTerms,
    organism,
    aspect,
    parents: { start: graph.parents.start, terms: graph.parents.targets },
    childCount: Int32Array.from(aspect, (_, t) => graph.children.start[t + 1] - graph.children.start[t]),
    depth: depthsOf(graph),
    experimental,
    any,
    proof: proofOf(annotated, aspect, speaks),
    groupProof: groupProofOf(annotated, aspect, speaks),
    information,
    speaks,
    experimentalProfiles: buildProfiles(experimentalTerms, information),
    anyProfiles: buildProfiles(annotated, information),
    classified: unclassified * 2 <= electronic,
  };
}

function experimentalTermsOf({ start, terms, groups }: GroupedTerms): TermRows {
  const isExperimental = (_: number, at: number): boolean => (groups[at] & experimentalBit) !== 0;
  const starts = new Int32Array(start.length);
  for (let r = 0; r + 1 < start.length; r++) {
    let count = 0;
    for (let at = start[r]; at < start[r + 1]; at++) count += groups[at] & experimentalBit;
    starts[r + 1] = starts[r] + count;
  }
  return { start: starts, terms: terms.filter(isExperimental) };
}

function countTerms(
  { start, terms }: Readonly<TermRows>,
  { aspect, speaks, firstBit }: { aspect: Uint8Array; speaks: Uint8Array; firstBit: number },
): TermCounts {
  const speakers = new Int32Array(aspectCount);
  for (const bits of speaks)
    for (let a = 0; a < aspectCount; a++) speakers[a] += (bits >> (firstBit + a)) & 1;
  const carrying = rowsByKey(start, terms, aspect.length);
  const carriers = Int32Array.from(aspect, (_, t) => carrying.start[t + 1] - carrying.start[t]);
  const share = Float64Array.from(carriers, (count, t) => (count === 0 ? 0 : count / speakers[aspect[t]]));
  return { carriers, speakers, share, start: carrying.start, proteins: carrying.rows };
}

function proofOf(
  { start, terms, groups }: GroupedTerms,
  aspect: Uint8Array,
  speaks: Uint8Array,
): Float64Array {
  const claimed = new Int32Array(aspect.length);
  const confirmed = new Int32Array(aspect.length);
  const all = new Float64Array(aspectCount);
  const right = new Float64Array(aspectCount);
  for (let r = 0; r + 1 < start.length; r++)
    for (let at = start[r]; at < start[r + 1]; at++) {
      const a = aspect[terms[at]];
      if ((groups[at] & ~experimentalBit) === 0 || ((speaks[r] >> a) & 1) === 0) continue;
      claimed[terms[at]]++;
      all[a]++;
      if ((groups[at] & experimentalBit) === 0) continue;
      confirmed[terms[at]]++;
      right[a]++;
    }
  return Float64Array.from(aspect, (a, term) =>
    a === 255
      ? 0
      : (confirmed[term] + proofPrior * ((right[a] + 1) / (all[a] + 2))) / (claimed[term] + proofPrior),
  );
}

function groupProofOf(
  { start, terms, groups }: GroupedTerms,
  aspect: Uint8Array,
  speaks: Uint8Array,
): Float64Array {
  const size = evidenceGroups.length * aspectCount;
  const claimed = new Float64Array(size);
  const confirmed = new Float64Array(size);
  for (let r = 0; r + 1 < start.length; r++)
    for (let at = start[r]; at < start[r + 1]; at++) {
      const a = aspect[terms[at]];
      if (((speaks[r] >> a) & 1) === 0) continue;
      for (let group = 0; group < evidenceGroups.length; group++) {
        if ((groups[at] & (1 << group)) === 0) continue;
        claimed[group * aspectCount + a]++;
        confirmed[group * aspectCount + a] += groups[at] & experimentalBit;
      }
    }
  return claimed.map((all, i) => (i < aspectCount ? 1 : (confirmed[i] + 1) / (all + 2)));
}

/** Counts the steps from a root to each term, by the shortest path. */
function depthsOf({ size, parents, children }: OntologyGraph): Int32Array {
  const depth = new Int32Array(size).fill(-1);
  const queue: number[] = [];
  for (let term = 0; term < size; term++) {
    if (parents.start[term] !== parents.start[term + 1]) continue;
    depth[term] = 0;
    queue.push(term);
  }
  for (let head = 0; head < queue.length; head++) {
    const term = queue[head];
    for (let e = children.start[term]; e < children.start[term + 1]; e++) {
      if (depth[children.targets[e]] >= 0) continue;
      depth[children.targets[e]] = depth[term] + 1;
      queue.push(children.targets[e]);
    }
  }
  return depth;
}
