import '@mantine/core/styles/Progress.css';
import { Alert, Button, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { cancelJob, getJob, isFinal, type JobDetail, listChildren, repeatJob } from '../../app/api/jobs.js';
import { hasStatus } from '../../app/api/problem.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { StatusBadge } from '../../shared/job-status.js';
import { jobTitle } from '../../shared/job-title.js';
import { LinkButton } from '../../shared/link-button.js';
import { Loaded } from '../../shared/loading.js';
import { Page, Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { useNow } from '../../shared/use-now.js';
import { resultOf } from '../progress/steps.js';
import { EventTimeline } from './event-timeline.js';
import { JobComments } from './job-comments.js';
import { JobTable } from './job-table.js';
import { jobFacts } from './job-text.js';
import styles from './jobs.module.css';
import { useJobEvents } from './use-job-events.js';

const JobActs = lazy(async () => ({ default: (await import('./job-acts.js')).JobActs }));
const route = getRouteApi('/jobs/$jobId');
const pollMs = 2000;

/** Shows one job: its state, the reason of a failure, and its events so far. */
export function JobPage() {
  const { jobId } = route.useParams();
  const job = useQuery({
    queryKey: ['job', jobId],
    queryFn: () => getJob(jobId),
    refetchInterval: ({ state }) => (state.data !== undefined && isFinal(state.data.status) ? false : pollMs),
  });
  const ended = job.data !== undefined && isFinal(job.data.status);
  const events = useJobEvents(jobId, ended, pollMs);
  const children = useQuery({
    queryKey: ['job-children', jobId, ended],
    queryFn: () => listChildren(jobId),
    placeholderData: (before) => before,
  });
  if (hasStatus(job.error, 404) || hasStatus(job.error, 422)) return <NoJob />;
  return (
    <Page
      title={job.data === undefined ? 'Job' : jobTitle(job.data.operation)}
      actions={job.data !== undefined && <JobActions job={job.data} />}
    >
      <Loaded query={job}>
        {(detail) => (
          <>
            <JobState job={detail} />
            {children.data !== undefined && children.data.length > 0 && (
              <Panel title="Jobs that it started">
                <JobTable rows={children.data} />
              </Panel>
            )}
            <Panel title="Timeline">
              <Loaded query={events}>{(rows) => <EventTimeline events={rows} />}</Loaded>
            </Panel>
            <JobComments jobId={jobId} />
            <Suspense>
              <JobActs job={detail} />
            </Suspense>
          </>
        )}
      </Loaded>
      {job.data !== undefined && (
        <details className={styles.details}>
          <summary>For support: ids, payload and result as JSON</summary>
          <pre>
            {JSON.stringify(
              {
                id: jobId,
                operation: job.data.operation,
                payload: job.data.payload,
                result: job.data.result,
              },
              null,
              2,
            )}
          </pre>
        </details>
      )}
    </Page>
  );
}

function NoJob() {
  return (
    <Page
      title="This job is not here"
      lead="The address may be incomplete, or the job was deleted. Jobs of annotations that are not kept are deleted after a day."
      actions={<LinkButton to="/operation/{-$part}">All jobs</LinkButton>}
    />
  );
}

function JobActions({ job }: { job: JobDetail }) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelJob(job.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['job', job.id] }),
  });
  const navigate = useNavigate();
  const repeat = useMutation({
    mutationFn: () => repeatJob(job),
    onSuccess: ({ id }) => navigate({ to: '/jobs/$jobId', params: { jobId: id } }),
  });
  const hasFailed = job.status === 'FAILED' || job.status === 'CANCELLED';
  const setId = resultOf(job);
  return (
    <>
      {setId !== null && (
        <LinkButton to="/results/$setId" params={{ setId }} search={{}}>
          Show the result
        </LinkButton>
      )}
      {job.may_cancel && (
        <ConfirmButton
          loading={cancel.isPending}
          question="Cancel this job?"
          consequence="It stops, and jobs that wait for it are cancelled too. Finished work stays; to continue, start the job again."
          act="Cancel the job"
          keep="Let it run"
          onConfirm={() => cancel.mutate()}
        >
          Cancel
        </ConfirmButton>
      )}
      {hasFailed && job.may_change && (
        <Button loading={repeat.isPending} onClick={() => repeat.mutate()}>
          Start it again
        </Button>
      )}
      {repeat.isError && <ProblemNote error={repeat.error} title="Not started" />}
      {cancel.isError && <ProblemNote error={cancel.error} title="Not cancelled" />}
    </>
  );
}

function JobState({ job }: { job: JobDetail }) {
  const now = useNow(1000, job.status === 'RUNNING');
  const { progress_current: current, progress_total: total } = job;
  return (
    <Panel>
      <div className={styles.state}>
        <StatusBadge status={job.status} />
        {job.status === 'RUNNING' && total !== null && total > 0 && (
          <Progress.Root size="md" className={styles.bar}>
            <Progress.Section value={(current / total) * 100} aria-label="Progress" />
          </Progress.Root>
        )}
      </div>
      {job.status === 'FAILED' && (
        <Alert color="red" role="alert" title="Why it failed" className={styles.failure}>
          {job.error_message ?? 'No reason was recorded; the timeline may tell more.'}
          {job.error_code !== null && <span className={styles.code}> ({job.error_code})</span>}
        </Alert>
      )}
      <dl className={styles.facts}>
        {jobFacts(job, now).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <RelatedJob name="Waits for" id={job.waits_for_job_id} />
        <RelatedJob name="Part of" id={job.parent_job_id} />
      </dl>
      {job.description !== null && <p>{job.description}</p>}
    </Panel>
  );
}

function RelatedJob({ name, id }: { name: string; id: string | null }) {
  if (id === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Link to="/jobs/$jobId" params={{ jobId: id }}>
          {name === 'Waits for' ? 'the step before' : 'a larger job'}
        </Link>
      </dd>
    </div>
  );
}
