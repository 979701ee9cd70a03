import '@mantine/core/styles/Tabs.css';
import { Alert, Tabs, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, useMemo, useRef } from 'react';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { aspectNames } from '../../shared/aspect.js';
import { formatCount, plural } from '../../shared/format.js';
import { SearchIcon } from '../../shared/icons.js';
import { useKey } from '../../shared/use-key.js';
import { ComparePanel } from './compare-panel.js';
import { EnrichmentPanel } from './enrichment-panel.js';
import { FacetList } from './facet-list.js';
import {
  facetsOf,
  filterRows,
  type OverviewFilter,
  type OverviewTable,
  summaryOf,
  termRows,
} from './overview-model.js';
import styles from './overview.module.css';
import { ProteinTable } from './protein-table.js';
import { SlimSelect, slimsQuery } from './slim-select.js';
import { OverviewSkeleton } from './overview-skeleton.js';
import { useOverview, useOverviewRead } from './use-results.js';
import { useView } from './use-view.js';

/** These panels are loaded with their tab, because few readers ask for them. */
const OtherProgramsPanel = lazy(async () => ({
  default: (await import('./other-programs-panel.js')).OtherProgramsPanel,
}));
const WhatsNewPanel = lazy(async () => ({ default: (await import('./whats-new-panel.js')).WhatsNewPanel }));

/**
 * Shows all proteins of a run at a glance: a sentence, choices that narrow them down, and a table with a search. The address holds all of
 * it.
 */
export function RunOverview({ set }: { set: PredictionSetDetail }) {
  const [{ slim }] = useView();
  const overview = useOverview(set, slim);
  const read = useOverviewRead(set, slim);
  // Slims are requested with the answers, so that their choice appears at the same time and nothing moves.
  useQuery(slimsQuery);
  if (overview.error !== null && overview.data === undefined) throw overview.error;
  if (overview.data === undefined) {
    return (
      <OverviewSkeleton>
        {read > 0
          ? `${formatCount(read)} of ${plural(set.protein_count, 'protein')} read`
          : `Reading ${plural(set.protein_count, 'protein')}`}
      </OverviewSkeleton>
    );
  }
  return <LoadedOverview set={set} table={overview.data} />;
}

/** Returns the filter of the proteins in the address. The object stays the same while the address does not change. */
function useFilter(): OverviewFilter {
  const [{ q, certainty: standing, aspect, evidence, organism, identity, term }] = useView();
  const search = useDeferredValue(q);
  return useMemo(
    () => ({ search, standing, aspect, evidence, organism, identity, term }),
    [search, standing, aspect, evidence, organism, identity, term],
  );
}

function LoadedOverview({ set, table }: { set: PredictionSetDetail; table: OverviewTable }) {
  const [{ view, q, compare, slim, against, term }, change] = useView();
  const field = useRef<HTMLInputElement>(null);
  const filter = useFilter();
  const rows = useMemo(() => filterRows(table, filter), [table, filter]);
  const facets = useMemo(
    () => facetsOf(table, filter, aspectNames, slim !== undefined),
    [table, filter, slim],
  );
  // Terms are counted only when they are shown, because a large run has half a million.
  const terms = useMemo(() => (view === 'terms' ? termRows(table, rows) : []), [table, rows, view]);
  useKey('/', () => field.current?.focus());
  return (
    <>
      <p className={styles.summary}>{summaryOf(table.rows)}</p>
      <div className={view === 'compare' ? undefined : styles.columns}>
        {/* Comparisons are of the whole run. */}
        {view !== 'compare' && (
          <FacetList
            facets={facets}
            filter={filter}
            onChoose={(key, value) => change({ [key === 'standing' ? 'certainty' : key]: value })}
          />
        )}
        <Tabs
          value={view ?? 'proteins'}
          onChange={(next) => change({ view: next === 'terms' || next === 'compare' ? next : undefined })}
        >
          <Tabs.List>
            <Tabs.Tab value="proteins">Proteins</Tabs.Tab>
            <Tabs.Tab value="terms">Terms</Tabs.Tab>
            <Tabs.Tab value="compare">Compare</Tabs.Tab>
          </Tabs.List>
          {view !== 'compare' && (
            <div className={styles.tools}>
              <TextInput
                ref={field}
                type="search"
                aria-label="Search proteins by id, name, function or GO id"
                placeholder="Search ids, names, functions, GO ids (press /)"
                leftSection={<SearchIcon />}
                value={q ?? ''}
                onChange={(event) => change({ q: event.currentTarget.value || undefined })}
                className={styles.search}
              />
              <SlimSelect slim={slim} onSlim={(next) => change({ slim: next, term: undefined })} />
              <span role="status" className={styles.count}>
                {view === 'terms' ? plural(terms.length, 'term') : plural(rows.length, 'protein')}
                {rows.length === table.rows.length ? '' : ` of ${plural(table.rows.length, 'protein')}`}
              </span>
            </div>
          )}
          {term !== undefined && (
            <ChosenTerm name={table.terms[term]?.name ?? term} onClear={() => change({ term: undefined })} />
          )}
          <Tabs.Panel value="proteins">
            {rows.length === 0 ? (
              <Alert color="gray" title="No protein fits">
                Search for something else, or remove a filter.
              </Alert>
            ) : (
              <ProteinTable setId={set.id} rows={rows} terms={table.terms} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="terms">
            <EnrichmentPanel
              set={set}
              rows={rows}
              terms={terms}
              against={against}
              slim={slim}
              onAgainst={(next) => change({ against: next })}
              onChoose={(goId) => change({ term: goId, view: undefined })}
            />
          </Tabs.Panel>
          <Tabs.Panel value="compare" className={styles.waiting}>
            {view === 'compare' && (
              <>
                <ComparePanel
                  set={set}
                  table={table}
                  other={compare}
                  onOther={(id) => change({ compare: id })}
                />
                <Suspense>
                  <OtherProgramsPanel set={set} />
                  <WhatsNewPanel setId={set.id} />
                </Suspense>
              </>
            )}
          </Tabs.Panel>
        </Tabs>
      </div>
    </>
  );
}

function ChosenTerm({ name, onClear }: { name: string; onClear: () => void }) {
  return (
    <p className={styles.chosen}>
      With {name}{' '}
      <button type="button" className={styles.clear} onClick={onClear}>
        Show all
      </button>
    </p>
  );
}
