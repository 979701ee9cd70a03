import {
  noAnswerSentence,
  type overviewReply,
  type proteinAnswer,
  sequenceOnlyAnswer,
} from '@kindred/contracts/resources/answers';
import {
  annotationValues,
  type AnsweredKnownTerm,
  answerColumnsIn,
  answerReplyName,
  type KnownTerm,
  namesOfQuery,
  predictedValue,
} from '@kindred/kernels/answer';
import { groupedBy } from '@kindred/kernels/arrays';
import { answerEnd, belongsToAnswer, certaintyOf } from '@kindred/kernels/combined';
import type { z } from 'zod';
import { endOfTurn } from '../../../ground/event-loop.js';
import {
  type AnswerRows,
  type AnswerTermRow,
  type OverviewQueryRow,
  type OverviewRows,
  type OverviewTermRow,
} from '../../../store/predictions/answers.repository.js';
import type { ObsoleteTermRow } from '../../../store/ontology/obsolete-terms.repository.js';
import type { KnownOfProtein } from '../../../store/predictions/known-annotations.repository.js';
import { asSlimTerms, knownInSlim, type SlimView } from '../../slims.js';

type Answer = z.infer<typeof proteinAnswer>;
type AnsweredTerm = Answer['terms'][number];
type KnownReply = NonNullable<Answer['known']>;

/**
 * `all` adds the terms below the end of the answer, which the rows must then have. Sets of other methods have
 * no end and no special order.
 */
export function presentAnswer(
  { query, terms, known, names, predicted_name, reference }: AnswerRows,
  all: boolean,
  obsolete: ReadonlyMap<string, ObsoleteTermRow> = new Map(),
): Answer {
  const belong = answeredRows(terms, all);
  const shown = all ? belong : belong.filter((row) => row.contradiction === null);
  const contradicted = all ? [] : belong.filter((row) => row.contradiction !== null);
  const present = (row: AnswerTermRow, at: number) => ({
    ...presentTerm(row, at),
    ...presentObsolete(obsolete.get(row.go_id)),
  });
  return {
    accession: query.protein_accession,
    ...names,
    predicted_name,
    reference,
    known:
      query.known_accession === null || query.known_by === null
        ? null
        : {
            accession: query.known_accession,
            protein_name: known?.protein.protein_name ?? null,
            gene_name: known?.protein.gene_name ?? null,
            organism: known?.protein.organism ?? null,
            matched_by: query.known_by,
            identity: query.known_identity,
            coverage: query.known_coverage,
            terms: (known?.terms ?? []).map((term) => ({
              ...presentKnown(term),
              ...presentObsolete(obsolete.get(term.go_id)),
            })),
            annotation_count: known?.annotation_count ?? 0,
          },
    is_namesake: query.is_namesake,
    ...presentReason(query),
    terms: shown.map(present),
    contradicted: contradicted.map(present),
    left_out: {
      terms: all ? 0 : query.term_count - shown.length - contradicted.length,
      probability_below: answerEnd.probability,
      score_below: answerEnd.score,
    },
  };
}

function presentReason({
  no_answer: reason,
  is_sequence_only,
  distant_accession: accession,
  distant_e_value: eValue,
}: AnswerRows['query']): Pick<Answer, 'no_answer' | 'sequence_only'> {
  const distant = accession === null || eValue === null ? null : { accession, e_value: eValue };
  return {
    no_answer: reason === null ? null : { reason, sentence: noAnswerSentence(reason, distant), distant },
    sequence_only: is_sequence_only ? { sentence: sequenceOnlyAnswer(distant), distant } : null,
  };
}

/** Gives the rows of an answer, in its order. `all` adds the rows below its end. */
export function answeredRows(terms: readonly AnswerTermRow[], all: boolean): readonly AnswerTermRow[] {
  return all ? terms : terms.filter(belongsToAnswer(terms));
}

function presentKnown({ accession: _, ...term }: AnsweredKnownTerm): KnownReply['terms'][number] {
  return term;
}

function presentObsolete(row: ObsoleteTermRow | undefined): Pick<AnsweredTerm, 'obsolete'> {
  if (row === undefined) return {};
  const { obo_version, replaced_by, consider } = row;
  return { obsolete: { obo_version, replaced_by, consider } };
}

const replyColumns = answerColumnsIn('reply').map((name) => [name, answerReplyName(name)] as const);

function presentTerm(row: AnswerTermRow, at: number): AnsweredTerm {
  return Object.fromEntries(
    replyColumns.map(([name, replyName]) => [replyName, predictedValue(name, row, at + 1)]),
  ) as unknown as AnsweredTerm;
}

type Overview = z.infer<typeof overviewReply>;
type OverviewTerm = Overview['proteins'][number]['terms'][number];

/**
 * Presents the proteins in turns, because a page may have two thousand. A page with `limit` proteins is
 * followed by another. With `view`, the terms are those of a slim; the certainty of a protein still counts its
 * own terms.
 */
export async function presentOverview(
  rows: OverviewRows,
  limit: number,
  view: SlimView | null = null,
): Promise<Overview> {
  const { queries } = rows;
  const own = groupedBy(rows.terms, (row) => row.protein_accession);
  const page: Overview = {
    next: queries.length < limit ? null : (queries.at(-1)?.protein_accession ?? null),
    proteins: [],
    terms: {},
    organisms: {},
  };
  const pause = endOfTurn();
  for (const query of queries) {
    page.proteins.push(presentQuery(query, rows, own.get(query.protein_accession) ?? [], { page, view }));
    await pause();
  }
  return page;
}

/** Gives a protein of the page, and notes there what its terms and their organisms are called. */
function presentQuery(
  query: OverviewQueryRow,
  { knownOf, referenceOf, predictedNames, organismOf, general }: OverviewRows,
  rows: readonly OverviewTermRow[],
  { page, view }: { page: Pick<Overview, 'terms' | 'organisms'>; view: SlimView | null },
): Overview['proteins'][number] {
  const { protein_accession: accession, position, header, length, known_by, is_namesake } = query;
  const { no_answer, is_sequence_only } = query;
  const knowledge = knownOf(query);
  const names = namesOfQuery(header, knowledge?.protein ?? null);
  const { known, predicted } = inView(knowledge, rows, view);
  const terms: OverviewTerm[] = [];
  const add = (
    term: OverviewTerm,
    { name, aspect }: Pick<KnownTerm, 'name' | 'aspect'>,
    organism: string | null,
  ) => {
    terms.push(term);
    page.terms[term.go_id] ??= { name, aspect, is_general: general.has(term.go_id) };
    if (term.source_id !== null && organism !== null) page.organisms[term.source_id] ??= organism;
  };
  for (const term of known) add(knownInOverview(term, query), term, organismOf.get(term.accession) ?? null);
  for (const row of predicted) add(predictedInOverview(row), row, row.organism);
  return {
    accession,
    position,
    header,
    name: names.protein_name ?? names.gene_name,
    organism: names.organism,
    predicted_name: predictedNames.get(accession)?.name ?? null,
    length,
    known_as: knownAs(query, knowledge),
    reference: referenceOf(query),
    known_by,
    is_namesake,
    no_answer,
    is_sequence_only,
    term_count: rows.length,
    certainty: certaintyOf(rows[0]?.probability ?? null),
    terms,
  };
}

function knownAs(
  { known_accession: accession }: OverviewQueryRow,
  known: KnownOfProtein | null,
): Overview['proteins'][number]['known_as'] {
  if (accession === null) return null;
  const { protein_name, gene_name, organism = null } = known?.protein ?? {};
  return { accession, name: protein_name ?? gene_name ?? null, organism };
}

/**
 * Gives the known terms of the protein and the terms predicted beyond them. With a slim, both are terms of
 * the slim.
 */
function inView(known: KnownOfProtein | null, rows: readonly OverviewTermRow[], view: SlimView | null) {
  const shown = known === null || view === null ? known : knownInSlim(known, view);
  const beyond = rows.filter((row) => known?.ids.has(row.go_id) !== true);
  const predicted =
    view === null
      ? beyond
      : asSlimTerms(beyond, view, (row, term) => ({ ...row, ...term })).filter(
          (row) => shown?.ids.has(row.go_id) !== true,
        );
  return { known: (shown?.terms ?? []).filter((term) => !term.is_negated), predicted };
}

/** Equal sequences are identical; for another version of the protein, the alignment gives the identity. */
function knownInOverview(term: KnownTerm, { known_identity }: OverviewQueryRow): OverviewTerm {
  return {
    kind: 'known',
    go_id: term.go_id,
    probability: null,
    certainty: null,
    score: null,
    source_id: term.accession,
    evidence_code: annotationValues(term, 'evidence_code'),
    identity: known_identity ?? 1,
  };
}

function predictedInOverview(row: OverviewTermRow): OverviewTerm {
  const { go_id, probability, score, source_id, evidence_code, identity } = row;
  const certainty = certaintyOf(probability);
  return { kind: 'predicted', go_id, probability, certainty, score, source_id, evidence_code, identity };
}
