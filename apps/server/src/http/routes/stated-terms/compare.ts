import type { comparisonReply } from '@kindred/contracts/resources/stated-terms';
import { groupedBy } from '@kindred/kernels/arrays';
import { certaintyOf } from '@kindred/kernels/combined';
import {
  compareProtein,
  type Comparison,
  type OtherStatement,
  type OtherStatements,
  type OwnStatement,
} from '@kindred/kernels/consensus';
import type { OntologyGraph } from '@kindred/kernels/ontology';
import type { z } from 'zod';
import { endOfTurn } from '../../../ground/event-loop.js';
import type { AnswerRows } from '../../../store/predictions/answers.repository.js';
import type { StatedTermsRow } from '../../../store/records/stated-terms.repository.js';
import { answeredRows } from '../answers/present.js';

type Reply = z.infer<typeof comparisonReply>;
type ComparedProtein = Reply['proteins'][number];

/** The terms of proteins as Kindred and other programs state them, with what has no row. */
export interface Compared {
  proteins: { accession: string; silent: string[]; rows: Comparison[] }[];
  obsolete: Set<string>;
  absent: Set<string>;
  implied: number;
}

/**
 * Compares the answers with what the programs state, in turns.
 * @param all whether the terms below the end of the answers count, too, which the answers must then have
 */
export async function compareAnswers(
  answers: readonly AnswerRows[],
  stated: readonly StatedTermsRow[],
  { graph, programs, all }: { graph: OntologyGraph; programs: readonly string[]; all: boolean },
): Promise<Compared> {
  const compared: Compared = { proteins: [], obsolete: new Set(), absent: new Set(), implied: 0 };
  const ofProtein = groupedBy(stated, (row) => row.accession);
  const pause = endOfTurn();
  for (const answer of answers) {
    const accession = answer.query.protein_accession;
    const rows = ofProtein.get(accession) ?? [];
    const termsOf = new Map(rows.map(({ program, terms }) => [program, terms]));
    const others = new Map(
      programs.map((program) => [program, liveTerms(graph, termsOf.get(program) ?? [], compared)]),
    );
    const { rows: found, implied } = compareProtein(graph, ownStatements(answer, all), others);
    compared.implied += implied;
    const silent = programs.filter((program) => !termsOf.has(program));
    compared.proteins.push({ accession, silent, rows: found });
    await pause();
  }
  return compared;
}

/** Gives statements by the main id of their term. Terms that the ontology lacks or calls obsolete are left out, and noted. */
function liveTerms(
  graph: OntologyGraph,
  terms: StatedTermsRow['terms'],
  { obsolete, absent }: Pick<Compared, 'obsolete' | 'absent'>,
): OtherStatements {
  const live = new Map<string, OtherStatement>();
  for (const [goId, score, basis] of terms) {
    const term = graph.liveIndexOf(goId);
    if (term < 0) {
      (graph.indexOf(goId) < 0 ? absent : obsolete).add(goId);
      continue;
    }
    const main = graph.termIds[term];
    const held = live.get(main);
    if (held === undefined || (score ?? 0) > (held.score ?? 0)) live.set(main, { score, basis });
  }
  return live;
}

/** Gives what the answer says, with contradicted predictions, in its order: what is known first. */
function ownStatements({ known, terms }: AnswerRows, all: boolean): OwnStatement[] {
  const nothing = { score: null, certainty: null, contradiction: null };
  return [
    ...(known?.terms ?? []).map(({ go_id, is_negated }) => ({
      ...{ goId: go_id, kind: is_negated ? ('known_not' as const) : ('known' as const), ...nothing },
      isListed: !is_negated,
    })),
    ...answeredRows(terms, all).map(
      ({ go_id, score, probability, contradiction, folded_under, is_known }) => ({
        ...{
          goId: go_id,
          kind: 'predicted' as const,
          score,
          certainty: certaintyOf(probability),
          contradiction,
        },
        isListed: folded_under === null && is_known !== true,
      }),
    ),
  ];
}

/** Gives the ids of all terms that the reply names. */
export function termsOfCompared({ proteins }: Compared): string[] {
  const ids = new Set<string>();
  for (const { rows } of proteins)
    for (const { goId, own, others } of rows) {
      ids.add(goId);
      if (own !== null) ids.add(own.goId);
      for (const said of others) ids.add(said.goId);
    }
  return [...ids];
}

/** Gives the proteins in the shape of the reply. */
export function presentCompared(
  { proteins }: Compared,
  nameOf: ReadonlyMap<string, { name: string; aspect: ComparedProtein['terms'][number]['aspect'] }>,
): ComparedProtein[] {
  return proteins.map(({ accession, silent, rows }) => ({
    accession,
    silent,
    terms: rows.map(({ goId, agreement, own, others }) => ({
      go_id: goId,
      go_name: nameOf.get(goId)?.name ?? null,
      aspect: nameOf.get(goId)?.aspect ?? null,
      agreement,
      kindred: own?.kind ?? null,
      kindred_term: own?.goId ?? null,
      kindred_term_name: own === null ? null : (nameOf.get(own.goId)?.name ?? null),
      kindred_score: own?.score ?? null,
      kindred_certainty: own?.certainty ?? null,
      contradiction: own?.contradiction ?? (own?.kind === 'known_not' ? 'not_annotation' : null),
      said_by: others.map(({ program, goId: go_id, score, basis }) => ({
        ...{ program, go_id, go_name: nameOf.get(go_id)?.name ?? null, score, basis },
      })),
    })),
  }));
}
