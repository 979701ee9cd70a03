import { uuid } from '@kindred/contracts';
import type { SlimChoice, SlimMappingName } from '@kindred/contracts/resources/slims';
import { SlimMapping } from '@kindred/kernels/enrichment';
import type { OntologyGraph } from '@kindred/kernels/ontology';
import type { AnsweredKnownTerm } from '@kindred/kernels/answer';
import { noCrossReferences } from '@kindred/kernels/cross-references';
import { LastValue } from '../ground/last-value.js';
import type { Queryable } from '../store/postgres/db.js';
import {
  findSlim,
  findSlimByName,
  type FullSlimRow,
  listSlims,
  type SlimTermRow,
  termNames,
} from '../store/ontology/slims.repository.js';
import type { KnownOfProtein } from '../store/predictions/known-annotations.repository.js';
import type { Ontologies } from './ontologies.js';
import { fieldProblem } from './problems.js';

interface Mapped {
  graph: OntologyGraph;
  mapping: SlimMapping;
  /** The snapshot has these terms of the slim, found by their numbers. */
  terms: ReadonlyMap<number, SlimTermRow>;
}

/** Maps the terms of an ontology snapshot to terms of a slim. */
export interface SlimView {
  slim: FullSlimRow;
  /** The snapshot has these terms of the slim. */
  terms: readonly SlimTermRow[];
  of: (goId: string) => SlimTermRow[];
}

/** Scored terms of this shape can be mapped to terms of a slim. */
interface Scored {
  go_id: string;
  score: number;
  probability: number | null;
}

/** Maps a GO slim to the ontology release of a prediction set, and keeps the last mapping. */
export class Slims {
  readonly #db: Queryable;
  readonly #ontologies: Ontologies;
  readonly #last = new LastValue<Mapped>();

  constructor(db: Queryable, ontologies: Ontologies) {
    this.#db = db;
    this.#ontologies = ontologies;
  }

  /**
   * Gives null if the choice names no slim.
   * @throws ProblemError validation_failed for an unknown slim, or slim_terms without slim
   */
  async view({ slim: asked, slim_terms }: SlimChoice, snapshotId: string): Promise<SlimView | null> {
    if (asked === undefined) {
      if (slim_terms !== undefined)
        throw fieldProblem('/slim_terms', 'leave slim_terms out, or give slim with it');
      return null;
    }
    const slim = await this.#required(asked);
    const { key, graph } = await this.#ontologies.of(snapshotId);
    const mapped = await this.#last.get(`${key} ${slim.id}`, () => this.#map({ snapshotId, graph }, slim));
    return { slim, terms: [...mapped.terms.values()], of: termsIn(mapped, slim_terms ?? 'direct') };
  }

  async #required(asked: string): Promise<FullSlimRow> {
    const id = uuid.safeParse(asked);
    const found = id.success ? await findSlim(this.#db, id.data) : await findSlimByName(this.#db, asked);
    if (found !== undefined) return found;
    const { rows } = await listSlims(this.#db, 20);
    const names = [...new Set(rows.map((row) => row.name))];
    const hint =
      names.length === 0 ? 'none is loaded; load_go_slim loads one' : `loaded: ${names.join(', ')}`;
    throw fieldProblem('/slim', `no GO slim ${asked} (${hint})`);
  }

  async #map(
    { snapshotId, graph }: { snapshotId: string; graph: OntologyGraph },
    slim: FullSlimRow,
  ): Promise<Mapped> {
    const numbers = slim.terms.map((term) => graph.liveIndexOf(term.go_id)).filter((number) => number >= 0);
    const rows = await termNames(
      this.#db,
      snapshotId,
      numbers.map((number) => graph.termIds[number]),
    );
    const terms = new Map(rows.map((row) => [graph.indexOf(row.go_id), row]));
    return { graph, mapping: new SlimMapping(graph, numbers), terms };
  }
}

function termsIn({ graph, mapping, terms }: Mapped, kind: SlimMappingName): SlimView['of'] {
  return (goId) => {
    const number = graph.liveIndexOf(goId);
    return number < 0
      ? []
      : Array.from(mapping.of(number)[kind], (slimTerm) => terms.get(slimTerm) as SlimTermRow);
  };
}

/**
 * Gives the rows as terms of the slim, each once, with the values of its best row by `value`. The order is
 * that of the best rows; in a tie, the earlier row comes first.
 */
export function asSlimTerms<Row extends Scored>(
  rows: readonly Row[],
  view: SlimView,
  put: (row: Row, term: SlimTermRow) => Row,
  value: (row: Row) => number = ({ probability, score }) => probability ?? score,
): Row[] {
  const best = new Map<string, { at: number; term: SlimTermRow }>();
  rows.forEach((row, at) => {
    for (const term of view.of(row.go_id)) {
      const found = best.get(term.go_id);
      if (found === undefined || value(row) > value(rows[found.at])) best.set(term.go_id, { at, term });
    }
  });
  return [...best.values()].sort((a, b) => a.at - b.at).map(({ at, term }) => put(rows[at], term));
}

/**
 * Gives known terms as terms of the slim, each once with the annotations of all terms below it. A NOT
 * annotation is left out: it says nothing about the terms above.
 */
export function knownInSlim(known: KnownOfProtein, view: SlimView): KnownOfProtein {
  const terms = new Map<string, AnsweredKnownTerm>();
  for (const term of known.terms)
    for (const { go_id, name, aspect } of term.is_negated ? [] : view.of(term.go_id)) {
      const found = terms.get(go_id);
      terms.set(go_id, {
        ...(found ?? term),
        ...{ go_id, name, aspect },
        ...noCrossReferences,
        annotations: [...(found?.annotations ?? []), ...term.annotations],
      });
    }
  return { ...known, terms: [...terms.values()], ids: new Set([...known.ids, ...terms.keys()]) };
}

/** Gives pairs of a term and a term of the slim that it counts as. */
export function kindsOf(view: SlimView, goIds: readonly string[]): { term: string[]; kind: string[] } {
  const pairs = goIds.flatMap((goId) => view.of(goId).map((kind) => ({ term: goId, kind: kind.go_id })));
  return { term: pairs.map((pair) => pair.term), kind: pairs.map((pair) => pair.kind) };
}
