import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { jobStatuses, listJobs } from '../../app/api/jobs.js';
import { statusWord } from '../../shared/job-status.js';
import { jobOperations, jobTitle } from '../../shared/job-title.js';
import { Loaded } from '../../shared/loading.js';
import { MoreButton } from '../../shared/more-button.js';
import { usePartSearch } from '../workbench/use-part.js';
import styles from './jobs.module.css';
import { JobTable } from './job-table.js';

/** Lists jobs, newest first. The list is refreshed every five seconds. */
export function JobList() {
  const { search, change } = usePartSearch();
  const status = jobStatuses.find((value) => value === search.status);
  const { operation } = search;
  const jobs = useInfiniteQuery({
    queryKey: ['jobs', status, operation],
    queryFn: ({ pageParam }) => listJobs({ status, operation }, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: 5000,
  });
  return (
    <>
      <div className={styles.filters}>
        <NativeSelect
          label="Status"
          value={status ?? ''}
          data={[
            { value: '', label: 'Any' },
            ...jobStatuses.map((value) => ({ value, label: statusWord(value) })),
          ]}
          onChange={(event) => change({ status: event.currentTarget.value || undefined })}
        />
        <NativeSelect
          label="What"
          value={operation ?? ''}
          data={[
            { value: '', label: 'Everything' },
            ...jobOperations.map((value) => ({ value, label: jobTitle(value) })),
          ]}
          onChange={(event) => change({ operation: event.currentTarget.value || undefined })}
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
    </>
  );
}
