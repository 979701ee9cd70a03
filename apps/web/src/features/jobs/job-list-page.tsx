import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { jobStatuses, listJobs } from '../../app/api/jobs.js';
import { statusWord } from '../../shared/job-status.js';
import { jobOperations, jobTitle } from '../../shared/job-title.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import { Page } from '../../shared/page.js';
import styles from './jobs.module.css';
import { JobTable } from './job-table.js';

const route = getRouteApi('/jobs');

/** Lists jobs, newest first. The list is refreshed every five seconds. */
export function JobListPage() {
  const { status, operation } = route.useSearch();
  const navigate = route.useNavigate();
  const jobs = useInfiniteQuery({
    queryKey: ['jobs', status, operation],
    queryFn: ({ pageParam }) => listJobs({ status, operation }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: 5000,
  });
  return (
    <Page
      title="Jobs"
      lead="Long work runs as jobs: your own, and those that everyone may see. Those of annotations that are not kept are not listed."
    >
      <div className={styles.filters}>
        <NativeSelect
          label="Status"
          value={status ?? ''}
          data={[
            { value: '', label: 'Any' },
            ...jobStatuses.map((value) => ({ value, label: statusWord(value) })),
          ]}
          onChange={(event) => {
            const next = jobStatuses.find((value) => value === event.currentTarget.value);
            void navigate({ search: (before) => ({ ...before, status: next }), replace: true });
          }}
        />
        <NativeSelect
          label="What"
          value={operation ?? ''}
          data={[
            { value: '', label: 'Everything' },
            ...jobOperations.map((value) => ({ value, label: jobTitle(value) })),
          ]}
          onChange={(event) => {
            const next = event.currentTarget.value || undefined;
            void navigate({ search: (before) => ({ ...before, operation: next }), replace: true });
          }}
        />
      </div>
      <Loaded query={jobs}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.rows);
          const filtered = status !== undefined || operation !== undefined;
          if (rows.length > 0) return <JobTable rows={rows} />;
          return <p>{filtered ? 'No job fits this filter.' : 'No job has been queued yet.'}</p>;
        }}
      </Loaded>
      <MoreButton query={jobs} />
    </Page>
  );
}
