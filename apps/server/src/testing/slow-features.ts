import { alignPlain, encodeResidues } from '@kindred/kernels/alignment';

/**
 * Computes feature rows directly from the definitions, with maps and sorts, for tests. It uses none of the
 * product's search, transfer, taxonomy or feature code. Only alignments are cached, one per pair of proteins.
 */
export interface SlowProtein {
  accession: string;
  sequence: string;
  taxon: number | null;
  vector: number[];
}
export interface SlowAnnotation {
  accession: string;
  term: string;
  evidence: string;
  qualifier: string | null;
}
export interface SlowTerm {
  id: string;
  aspect: 'P' | 'F' | 'C';
  /** A term has these parents of the same aspect by is_a and part_of. */
  parents: string[];
}
export interface SlowWorld {
  proteins: Map<string, SlowProtein>;
  /** These annotations may be transferred. */
  annotations: SlowAnnotation[];
  terms: Map<string, SlowTerm>;
  /** Each taxon has its parent; the root is its own parent. */
  taxonParent: Map<number, number>;
  k: number;
  projection: { mean: number[]; axes: number[][] };
  /** Each GO id may have a vector, of any length. */
  termVectors: Map<string, number[]>;
}
export type SlowRow = Record<string, number | boolean | string | null>;

const experimental = 'EXP IDA IPI IMP IGI IEP HTP HDA HMP HGI HEP IC TAS'.split(' ');
const reviewed = 'ISS ISO ISA ISM IGC IBA IBD IKR IRD RCA'.split(' ');
const strength = (code: string): number => {
  if (experimental.includes(code)) return 1;
  if (reviewed.includes(code)) return 0.7;
  return { NAS: 0.5, IEA: 0.3, ND: 0.1 }[code] ?? 0.5;
};

/** The proteins of a group share one sequence, at one distance from the query. */
interface SlowNeighbour {
  group: SlowProtein[];
  distance: number;
}

export class SlowFeatures {
  readonly #aligned = new Map<string, SlowRow>();
  /** The map has the annotation of strongest evidence by accession and term. */
  readonly #given = new Map<string, Map<string, SlowAnnotation>>();
  readonly #world: SlowWorld;

  constructor(world: SlowWorld) {
    this.#world = world;
    const order = (a: SlowAnnotation) => `${a.evidence} ${a.qualifier ?? ''}`;
    for (const row of world.annotations) {
      const terms = this.#given.get(row.accession) ?? new Map<string, SlowAnnotation>();
      this.#given.set(row.accession, terms);
      const known = terms.get(row.term);
      const better =
        known === undefined ||
        strength(row.evidence) > strength(known.evidence) ||
        (strength(row.evidence) === strength(known.evidence) && order(row) < order(known));
      if (better) terms.set(row.term, row);
    }
  }

  #termsOf(accession: string, aspect?: string): string[] {
    const all = [...(this.#given.get(accession)?.keys() ?? [])];
    return all.filter((term) => aspect === undefined || this.#world.terms.get(term)?.aspect === aspect);
  }

  /** Gives the term and everything above it. */
  #closure(term: string): Set<string> {
    const seen = new Set([term]);
    for (const one of seen) for (const parent of this.#world.terms.get(one)?.parents ?? []) seen.add(parent);
    return seen;
  }

  #lineage(taxon: number | null): number[] {
    const { taxonParent } = this.#world;
    if (taxon === null || !taxonParent.has(taxon)) return [];
    const chain = [taxon];
    while (taxonParent.get(chain[0]) !== chain[0]) chain.unshift(taxonParent.get(chain[0]) as number);
    return chain;
  }

  /** Makes one group per distinct sequence with a term of the aspect, nearest first. */
  #neighbours(query: SlowProtein, aspect: string): SlowNeighbour[] {
    const bySequence = new Map<string, SlowProtein[]>();
    for (const accession of [...this.#given.keys()].sort()) {
      const protein = this.#world.proteins.get(accession) as SlowProtein;
      if (protein.sequence === query.sequence) continue;
      bySequence.set(protein.sequence, [...(bySequence.get(protein.sequence) ?? []), protein]);
    }
    return [...bySequence.values()]
      .filter((group) => group.some((protein) => this.#termsOf(protein.accession, aspect).length > 0))
      .map((group) => ({ group, distance: Math.fround(1 - cosine(query.vector, group[0].vector)) }))
      .sort((a, b) => a.distance - b.distance || (a.group[0].accession < b.group[0].accession ? -1 : 1))
      .slice(0, this.#world.k);
  }

  #taxa(query: SlowProtein, source: SlowProtein) {
    const [a, b] = [this.#lineage(query.taxon), this.#lineage(source.taxon)];
    if (a.length === 0 || b.length === 0) return { distance: null, common: null, relation: null };
    if (query.taxon === source.taxon) return { distance: 0, common: 1, relation: 'same' };
    const common = a.filter((taxon) => b.includes(taxon)).length;
    const distance = a.length + b.length - 2 * common;
    const relation = () => {
      if (b.includes(query.taxon as number)) return distance === 1 ? 'parent' : 'ancestor';
      if (a.includes(source.taxon as number)) return distance === 1 ? 'child' : 'descendant';
      if (common === 1) return 'root-only';
      if (common <= 2) return 'distant';
      return common <= 15 ? 'intermediate' : 'close';
    };
    return { distance, common, relation: relation() };
  }

  /** Computes all rows of one query, by GO id. */
  rowsOf(accession: string): Map<string, SlowRow> {
    const query = this.#world.proteins.get(accession) as SlowProtein;
    const lists = new Map(['P', 'F', 'C'].map((aspect) => [aspect, this.#neighbours(query, aspect)]));
    const distances = [...lists.values()].flat().map((neighbour) => neighbour.distance);
    const rows = new Map<string, SlowRow>();
    for (const [aspect, list] of lists) {
      const terms = new Set(
        list.flatMap(({ group }) => group.flatMap((p) => this.#termsOf(p.accession, aspect))),
      );
      for (const term of terms) {
        const compared = this.#termComparison(query, term, [...terms]);
        rows.set(term, { ...this.#row(query, term, { list, distances }), ...compared });
      }
    }
    return rows;
  }

  #row(
    query: SlowProtein,
    term: string,
    { list, distances }: { list: SlowNeighbour[]; distances: number[] },
  ): SlowRow {
    const gives = (protein: SlowProtein) => this.#given.get(protein.accession)?.has(term) === true;
    const voters = list.filter(({ group }) => group.some(gives));
    const sources = voters.flatMap(({ group }) => group.filter(gives));
    const source = sources[0];
    const annotation = this.#given.get(source.accession)?.get(term) as SlowAnnotation;
    const taxa = sources.map((one) => this.#taxa(query, one));
    const relations = taxa.map(({ relation }) => relation).filter((relation) => relation !== null);
    const share = (names: string[]) =>
      relations.length === 0
        ? null
        : relations.filter((name) => names.includes(name)).length / relations.length;
    const common = taxa.map((one) => one.common).filter((count) => count !== null);
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const spread = mean(distances.map((distance) => (distance - mean(distances)) ** 2));
    return {
      source: source.accession,
      distance: voters[0].distance,
      ...this.#alignment(query, source),
      taxonomic_distance: taxa[0].distance,
      taxonomic_common_ancestors: taxa[0].common,
      vote_count: voters.length,
      k_position: list.indexOf(voters[0]) + 1,
      go_term_frequency: [...this.#given.values()].filter((terms) => terms.has(term)).length,
      ref_annotation_density: this.#termsOf(source.accession).length,
      neighbor_distance_std: Math.sqrt(spread),
      neighbor_vote_fraction: voters.length / this.#world.k,
      neighbor_min_distance: Math.min(...voters.map(({ distance }) => distance)),
      neighbor_mean_distance: mean(voters.map(({ distance }) => distance)),
      tax_voters_same_frac: share(['same']),
      tax_voters_close_frac: share(['same', 'ancestor', 'descendant', 'child', 'parent', 'close']),
      tax_voters_mean_common_ancestors: common.length === 0 ? null : mean(common),
      ...this.#coordinates(query),
      ...this.#lineageFeatures(query, term),
      qualifier: annotation.qualifier,
      evidence_code: annotation.evidence,
      taxonomic_relation: taxa[0].relation,
      aspect: { P: 'bpo', F: 'mfo', C: 'cco' }[this.#world.terms.get(term)?.aspect as 'P'],
    };
  }

  #alignment(query: SlowProtein, source: SlowProtein): SlowRow {
    const key = `${query.accession} ${source.accession}`;
    const row = this.#aligned.get(key) ?? alignmentOf(query, source);
    this.#aligned.set(key, row);
    return row;
  }

  #coordinates({ vector }: SlowProtein): SlowRow {
    const { mean, axes } = this.#world.projection;
    return Object.fromEntries(
      axes.map((axis, i) => [
        `emb_pca_query_${i}`,
        axis.reduce((sum, component, d) => sum + component * (vector[d] - mean[d]), 0),
      ]),
    );
  }

  #knownTerms({ accession }: SlowProtein): string[] {
    const rows = [...(this.#given.get(accession)?.values() ?? [])];
    return rows.filter(({ evidence }) => experimental.includes(evidence)).map(({ term }) => term);
  }

  #termComparison(query: SlowProtein, term: string, predicted: string[]): SlowRow {
    const { terms, termVectors } = this.#world;
    const aspect = terms.get(term)?.aspect;
    const known = this.#knownTerms(query).filter((one) => terms.get(one)?.aspect === aspect);
    const vectorsOf = (ids: string[]) =>
      ids.map((id) => termVectors.get(id)).filter((vector) => vector !== undefined);
    const own = termVectors.get(term);
    const compare = (ids: string[]): [number | null, number | null] => {
      const others = vectorsOf(ids.filter((id) => id !== term));
      if (own === undefined || others.length === 0) return [null, null];
      const units = others.map((vector) => vector.map((x) => x / Math.hypot(...vector)));
      const mean = own.map((_, d) => units.reduce((sum, unit) => sum + unit[d], 0) / units.length);
      return [cosine(own, mean), Math.max(...others.map((vector) => cosine(own, vector)))];
    };
    const [neighbourCosine, neighbourLargest] = compare(predicted);
    const [knownCosine, knownLargest] = compare(known);
    return {
      anc2vec_neighbor_cos: neighbourCosine,
      anc2vec_neighbor_maxcos: neighbourLargest,
      anc2vec_has_emb: own === undefined ? 0 : 1,
      anc2vec_query_known_cos: knownCosine,
      anc2vec_query_known_maxcos: knownLargest,
      anc2vec_query_known_count: vectorsOf(known).length,
    };
  }

  #lineageFeatures(query: SlowProtein, term: string): SlowRow {
    const known = this.#knownTerms(query).filter((one) => one !== term);
    const below = known.filter((one) => this.#closure(one).has(term)).length;
    const above = known.filter((one) => this.#closure(term).has(one)).length;
    return {
      lineage_is_ancestor_of_known: below > 0 ? 1 : 0,
      lineage_is_descendant_of_known: above > 0 ? 1 : 0,
      lineage_ancestor_of_count: below,
      lineage_descendant_of_count: above,
    };
  }
}

function cosine(a: number[], b: number[]): number {
  const product = (x: number[], y: number[]) => x.reduce((sum, value, i) => sum + value * y[i], 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

function alignmentOf(query: SlowProtein, source: SlowProtein): SlowRow {
  const row: SlowRow = { length_query: query.sequence.length, length_ref: source.sequence.length };
  for (const [suffix, mode] of [
    ['nw', 'global'],
    ['sw', 'local'],
  ] as const) {
    const found = alignPlain(encodeResidues(query.sequence), encodeResidues(source.sequence), mode);
    row[`identity_${suffix}`] = found.identical / Math.max(1, found.length);
    row[`similarity_${suffix}`] = found.similar / Math.max(1, found.length);
    row[`alignment_score_${suffix}`] = found.score;
    row[`gaps_pct_${suffix}`] = found.gaps / Math.max(1, found.length);
    row[`alignment_length_${suffix}`] = found.length;
  }
  return row;
}
