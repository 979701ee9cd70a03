import '@mantine/core/styles/Tabs.css';
import { Alert, Loader, Tabs, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useRef } from 'react';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { aspectNames } from '../../shared/aspect.js';
import { plural } from '../../shared/format.js';
import { SearchIcon } from '../../shared/icons.js';
import { useKey } from '../../shared/use-key.js';
import { ComparePanel } from './compare-panel.js';
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
import { TermList } from './term-list.js';
import { useOverview } from './use-results.js';

const route = getRouteApi('/results/$setId');

/** All proteins of a run at a glance: a sentence, what narrows them down, and a table that is searched. The address holds all of it. */
export function RunOverview({ set }: { set: PredictionSetDetail }) {
  const overview = useOverview(set);
  if (overview.error !== null && overview.data === undefined) throw overview.error;
  if (overview.data === undefined) {
    return (
      <div className={styles.waiting}>
        <Loader role="status" aria-label="Loading the proteins" size="sm" />
      </div>
    );
  }
  return <LoadedOverview set={set} table={overview.data} />;
}

function LoadedOverview({ set, table }: { set: PredictionSetDetail; table: OverviewTable }) {
  const { view, q, compare, ...narrowed } = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const search = useDeferredValue(q);
  const filter = useMemo<OverviewFilter>(
    () => ({
      search,
      standing: narrowed.certainty,
      aspect: narrowed.aspect,
      evidence: narrowed.evidence,
      organism: narrowed.organism,
      term: narrowed.term,
    }),
    [search, narrowed.certainty, narrowed.aspect, narrowed.evidence, narrowed.organism, narrowed.term],
  );
  const rows = useMemo(() => filterRows(table.rows, filter), [table, filter]);
  const facets = useMemo(() => facetsOf(table.rows, filter, aspectNames), [table, filter]);
  const terms = useMemo(() => termRows(table, rows), [table, rows]);
  const change = (part: Partial<ReturnType<typeof route.useSearch>>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  useKey('/', () => field.current?.focus());
  return (
    <>
      <p className={styles.summary}>{summaryOf(table.rows)}</p>
      <div className={styles.columns}>
        <FacetList
          facets={facets}
          filter={filter}
          onChoose={(key, value) => change({ [key === 'standing' ? 'certainty' : key]: value })}
        />
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
              <span role="status" className={styles.count}>
                {view === 'terms' ? plural(terms.length, 'term') : plural(rows.length, 'protein')}
                {rows.length === table.rows.length ? '' : ` of ${plural(table.rows.length, 'protein')}`}
              </span>
            </div>
          )}
          {narrowed.term !== undefined && (
            <p className={styles.chosen}>
              With {table.terms[narrowed.term]?.name ?? narrowed.term}{' '}
              <button type="button" className={styles.clear} onClick={() => change({ term: undefined })}>
                Show all
              </button>
            </p>
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
            <TermList
              rows={terms}
              proteins={rows.length}
              onChoose={(goId) => change({ term: goId, view: undefined })}
            />
          </Tabs.Panel>
          <Tabs.Panel value="compare">
            {view === 'compare' && (
              <ComparePanel
                set={set}
                table={table}
                other={compare}
                onOther={(id) => change({ compare: id })}
              />
            )}
          </Tabs.Panel>
        </Tabs>
      </div>
    </>
  );
}
