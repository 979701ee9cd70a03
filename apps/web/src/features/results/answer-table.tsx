import {
  answerColumn,
  answerColumnsIn,
  answerHeading,
  roundedProbability,
  supportText,
} from '@kindred/contracts/answer-columns';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, Fragment, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import type { Answer, PredictionSetDetail } from '../../app/api/predictions.js';
import { percent, plural } from '../../shared/format.js';
import { ChevronIcon } from '../../shared/icons.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { keyMove, type TreeLine, type TreeNode, treeLines, wayTo } from './answer-tree.js';
import { ScoreBar, SourceLink } from './cells.js';
import { SortButton } from '../../shared/sort-button.js';
import { ariaSort, sorted, useSorting } from '../../shared/sorting.js';
import { ObsoleteBadge } from './obsolete-note.js';
import { onRowClick } from './row-click.js';
import { TermNumbers } from './term-numbers.js';
import { TermEvidencePanel } from './term-evidence.js';
import { useView } from './use-view.js';
import styles from './answer-table.module.css';

type Term = Answer['terms'][number];

const shown = answerColumnsIn('page');
type Column = (typeof shown)[number];
type CellColumn = Exclude<Column, 'go_name'>;
/** The columns after that of the name, which folds and opens. Certainty is the first, because the terms are in its order. */
export const cellColumns: readonly CellColumn[] = [
  'certainty',
  ...shown.filter((name): name is CellColumn => name !== 'go_name' && name !== 'certainty'),
];
const columns: readonly Column[] = ['go_name', ...cellColumns];

/** Returns the heading of a column, on the page and on paper. */
export function headingOf(name: Column): string {
  const heading = answerHeading(name);
  return heading.charAt(0).toUpperCase() + heading.slice(1);
}

/** The ways to show fields that are more than a plain value. */
const cells: Partial<Record<CellColumn, (term: Term, tabIndex: number) => ReactNode>> = {
  certainty: (term) => <Certainty term={term} />,
  score: ({ score, aspect }) => <ScoreBar score={score} aspect={aspect} />,
  source_id: (term, tabIndex) => <SourceLink source={term} tabIndex={tabIndex} />,
  evidence_code: (term, tabIndex) => <SourceEvidence term={term} tabIndex={tabIndex} />,
  identity: ({ identity }) => (identity === null ? '–' : percent(identity)),
  supporters: (term) => <Supporters term={term} />,
};

/** Makes a cell of a term, on the page and on paper. A field that `cells` does not name is written as its value. */
export function cellOf(term: Term, name: CellColumn, tabIndex: number): ReactNode {
  return name in cells ? cells[name]?.(term, tabIndex) : String(term[name] ?? '–');
}

const cellClasses: Partial<Record<CellColumn, string>> = {
  source_id: styles.source,
  identity: styles.number,
  supporters: styles.number,
};

/** Returns the value by which a column sorts; null for a term without a probability. */
function valueOf({ term }: TreeNode<Term>, column: Column): string | number | null {
  return column === 'certainty' ? term.probability : column === 'go_name' ? term.name : term[column];
}

interface Props {
  set: PredictionSetDetail;
  accession: string;
  trees: readonly TreeNode<Term>[];
}

/**
 * Shows the terms of an answer as a tree with their certainty and their best support. Up and down move between the lines, right and left
 * unfold and fold the broader terms, and Enter shows what a term rests on.
 */
export function AnswerTable({ set, accession, trees: given }: Props) {
  const [{ open, unfold, implied }, change] = useView();
  const [active, setActive] = useState(0);
  const [sorting, sortBy] = useSorting<Column>();
  const trees = sorted(given, sorting, valueOf);
  const body = useRef<HTMLTableSectionElement>(null);
  const unfolded = new Set(unfold?.split(','));
  // The terms that lead to the open term are unfolded, so that it is in view wherever it is.
  const leading = new Set(wayTo(trees, open));
  const isUnfolded = (goId: string) => implied === true || unfolded.has(goId) || leading.has(goId);
  const lines = treeLines(trees, isUnfolded);
  const fold = (goId: string) => {
    const folds = isUnfolded(goId);
    if (folds) unfolded.delete(goId);
    else unfolded.add(goId);
    change({
      unfold: [...unfolded].join(',') || undefined,
      open: folds && leading.has(goId) ? undefined : open,
    });
  };
  const toggle = (goId: string) => change({ open: open === goId ? undefined : goId });
  const focus = (at: number) => {
    setActive(at);
    body.current?.querySelector<HTMLElement>(`tr[data-line="${at}"]`)?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const move = keyMove(event.key, lines, Number((event.currentTarget as HTMLElement).dataset.line));
    if (move === null) return;
    event.preventDefault();
    if (move.focus !== undefined) focus(move.focus);
    if (move.fold !== undefined) fold(move.fold);
    if (move.toggle !== undefined) toggle(move.toggle);
  };
  // If lines disappeared, the tab key reaches the first one.
  const stop = active < lines.length ? active : 0;
  return (
    <div className={styles.wrap}>
      <table className={styles.table} role="treegrid" aria-label="Terms">
        <thead>
          <tr>
            {columns.map((name) => (
              <th
                key={name}
                scope="col"
                title={answerColumn(name).meaning}
                aria-sort={ariaSort(sorting, name)}
              >
                <SortButton sort={ariaSort(sorting, name)} onSort={() => sortBy(name)}>
                  {headingOf(name)}
                </SortButton>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {lines.map((line, at) => (
            <Fragment key={line.term.go_id}>
              <TermRow
                line={line}
                at={at}
                isStop={at === stop}
                isOpen={open === line.term.go_id}
                onFold={implied === true ? undefined : () => fold(line.term.go_id)}
                onToggle={() => toggle(line.term.go_id)}
                onFocus={() => setActive(at)}
                onKey={onKey}
              />
              {open === line.term.go_id && (
                <tr className={styles.more} aria-level={line.level}>
                  <td colSpan={columns.length} id={detailId(line.term.go_id)}>
                    <TermEvidencePanel set={set} accession={accession} term={line.term} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function detailId(goId: string): string {
  return `evidence-${goId.replace(':', '-')}`;
}

interface RowProps {
  line: TreeLine<Term>;
  at: number;
  /** Whether the tab key reaches this line and its links; it reaches only one line. */
  isStop: boolean;
  isOpen: boolean;
  /** The act of folding; undefined if all lines are unfolded. */
  onFold: (() => void) | undefined;
  onToggle: () => void;
  onFocus: () => void;
  onKey: (event: KeyboardEvent) => void;
}

function TermRow({ line, at, isStop, isOpen, onFold, onToggle, onFocus, onKey }: RowProps) {
  const { term, level, broader, unfolded } = line;
  const tabIndex = isStop ? 0 : -1;
  return (
    <tr
      className={styles.term}
      aria-level={level}
      aria-expanded={broader > 0 ? unfolded : undefined}
      data-line={at}
      data-open={isOpen || undefined}
      tabIndex={tabIndex}
      onClick={onRowClick(onToggle)}
      onKeyDown={onKey}
      onFocus={onFocus}
    >
      <td className={styles.name} style={{ '--level': level - 1 } as CSSProperties}>
        {broader > 0 && onFold !== undefined ? (
          <button
            type="button"
            className={styles.fold}
            tabIndex={-1}
            aria-label={`${unfolded ? 'Hide' : 'Show'} ${broader} broader than ${term.name}`}
            title={unfolded ? 'Hide the broader terms' : `Show ${plural(broader, 'broader term')}`}
            data-unfolded={unfolded || undefined}
            onClick={onFold}
          >
            <ChevronIcon />
          </button>
        ) : (
          <span className={styles.fold} />
        )}
        <span className={styles.words}>
          <button
            type="button"
            className={styles.opener}
            tabIndex={tabIndex}
            aria-expanded={isOpen}
            aria-controls={isOpen ? detailId(term.go_id) : undefined}
            onClick={onToggle}
          >
            {term.contradiction === null ? term.name : <s>{term.name}</s>}
          </button>
          {term.obsolete !== undefined && <ObsoleteBadge />}
          {term.contradiction !== null && (
            <span className={styles.against}>Against it: {term.contradiction}</span>
          )}
          <Link to="/go/$goId" params={{ goId: term.go_id }} tabIndex={tabIndex} className={styles.goId}>
            {term.go_id}
          </Link>
          <TermNumbers of={term} />
        </span>
      </td>
      {cellColumns.map((name) => (
        <td key={name} data-label={headingOf(name)} className={cellClasses[name]}>
          {cellOf(term, name, tabIndex)}
        </td>
      ))}
    </tr>
  );
}

function SourceEvidence({ term, tabIndex }: { term: Term; tabIndex: number }) {
  if (term.source_kind === 'none') return <span title="No protein gave the term">–</span>;
  if (term.evidence_code === null) return <span title="The source has a more specific term">implied</span>;
  return <EvidenceCode code={term.evidence_code} tabIndex={tabIndex} />;
}

/** Shows how many of the similar proteins have a term; a dash in sets that were made before they were counted. */
function Supporters({ term }: { term: Term }) {
  const text = supportText(term);
  if (text === null) return <span title="Not counted for this run">–</span>;
  const { supporters, similar_proteins: similar } = term;
  return <span title={`${supporters} of ${plural(similar ?? 0, 'similar protein')}`}>{text}</span>;
}

/** Says what a probability is the rate of, as the start of a sentence. */
function meantBy(meaning: Term['probability_meaning']): string {
  return meaning === 'held by the databases'
    ? 'Such terms are held by the databases in that share of cases'
    : 'Such terms were shown by experiment in that share of cases';
}

/** Shows how certain a term is, in words and percent. */
function Certainty({ term }: { term: Term }) {
  const { certainty, probability, probability_low, probability_high, probability_meaning, calibrated_on } =
    term;
  if (probability === null)
    return (
      <span className={styles.certainty} title="No probability was measured for proteins like this one">
        not calibrated
      </span>
    );
  const range =
    probability_low === null || probability_high === null
      ? ''
      : ` (95 % interval ${percent(roundedProbability(probability_low))} to ${percent(roundedProbability(probability_high))})`;
  return (
    <span
      className={styles.certainty}
      title={`${meantBy(probability_meaning)}${range}; measured on ${calibrated_on ?? 'no data'}`}
    >
      {certainty} <span className={styles.number}>{percent(roundedProbability(probability))}</span>
    </span>
  );
}
