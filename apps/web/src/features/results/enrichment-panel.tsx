import { NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import type { Against } from '../../shared/against.js';
import { formatCount, plural } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './overview.module.css';
import type { OverviewRow, TermRow } from './overview-model.js';
import { TermList } from './term-list.js';
import { type FoundEnrichment, useEnrichment } from './use-enrichment.js';

interface Props {
  set: PredictionSetDetail;
  /** The rows of the chosen proteins. */
  rows: readonly OverviewRow[];
  terms: readonly TermRow[];
  against: Against | undefined;
  slim: string | undefined;
  onAgainst: (against: Against | undefined) => void;
  onChoose: (goId: string) => void;
}

/** Shows the terms of the chosen proteins, and on demand how they differ from those of other proteins. */
export function EnrichmentPanel({ set, rows, terms, against, slim, onAgainst, onChoose }: Props) {
  const found = useEnrichment({ set, rows, against, slim });
  const enriched = against === undefined ? undefined : found.data?.terms;
  const ordered = useMemo(
    () => (enriched === undefined ? terms : byChance(terms, enriched)),
    [terms, enriched],
  );
  const isWhole = rows.length === set.protein_count;
  return (
    <>
      <div className={styles.tools}>
        <NativeSelect
          label="Compare the terms of these proteins with"
          size="sm"
          value={against ?? ''}
          data={[
            { value: '', label: 'Nothing' },
            { value: 'queries', label: 'All proteins of this run' },
            ...(set.annotation_set_id === null ? [] : [{ value: 'reference', label: 'The reference' }]),
          ]}
          onChange={(event) => onAgainst((event.currentTarget.value || undefined) as Against | undefined)}
        />
      </div>
      {against === 'queries' && isWhole && (
        <p className={styles.chosen}>
          These are all proteins of the run, so nothing can differ. Narrow them down by a search or a choice
          at the side.
        </p>
      )}
      {against !== undefined && found.isFetching && <p role="status">Comparing…</p>}
      {against !== undefined && found.error !== null && <ProblemNote error={found.error} />}
      {against !== undefined && found.data !== undefined && <Compared found={found.data} against={against} />}
      <TermList rows={ordered} proteins={rows.length} enriched={enriched} onChoose={onChoose} />
    </>
  );
}

function Compared({ found, against }: { found: FoundEnrichment; against: Against }) {
  const others = against === 'queries' ? 'the run' : 'these and the reference';
  return (
    <p className={styles.chosen}>
      {plural(found.list, 'protein')} of {formatCount(found.population)} in {others}
      {against === 'reference' ? ', with predicted terms for these and known terms for the reference' : ''};{' '}
      {plural(found.tested, 'term')} tested (Fisher’s exact test; false discovery rate by Benjamini and
      Hochberg).
      {found.absent_count > 0 && ` ${plural(found.absent_count, 'protein')} could not be compared.`}
      {found.reference !== null && found.of_other_references.length > 0 && leftOutOf(found)}
    </p>
  );
}

/** Says which reference was compared with, and how to compare with the others. */
function leftOutOf({ reference, of_other_references: others }: FoundEnrichment): string {
  const each = others.map(({ reference: name, proteins }) => `${plural(proteins, 'protein')} of ${name}`);
  return ` The reference is ${reference}. Left out: ${each.join(', ')}; search for the name of a reference to compare its proteins with it.`;
}

/** Sorts the terms that are the least likely by chance first. Terms that were not tested keep their order at the end. */
function byChance(rows: readonly TermRow[], terms: FoundEnrichment['terms']): TermRow[] {
  const chance = ({ goId }: TermRow) => terms.get(goId)?.p_value ?? 2;
  return rows.toSorted((a, b) => chance(a) - chance(b));
}
