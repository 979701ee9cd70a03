import '@mantine/core/styles/Progress.css';
import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { getJob, isFinal, type JobDetail } from '../../app/api/jobs.js';
import { CopyLink } from '../../shared/copy-link.js';
import { LinkButton } from '../../shared/link-button.js';
import { Loaded } from '../../shared/loading.js';
import { Page, Panel } from '../../shared/page.js';
import styles from './progress.module.css';
import { resultOf, type Step, stepOf } from './steps.js';

const route = getRouteApi('/progress/$jobId');

/** Shows a run on its way: each of its steps, then the result. The address can be closed and opened again. */
export function ProgressPage() {
  const { jobId } = route.useParams();
  const job = useJob(jobId);
  const before = useJob(job.data?.waits_for_job_id ?? null);
  const setId = job.data === undefined ? null : resultOf(job.data);
  if (setId !== null) {
    return <Navigate to="/results/$setId" params={{ setId }} search={{}} replace />;
  }
  const failed = job.data !== undefined && isFinal(job.data.status);
  return (
    <Page
      title={failed ? 'This run has ended without a result' : 'Annotating your proteins'}
      lead={
        failed ? undefined : 'You can close this page: the run continues, and this address leads back to it.'
      }
      actions={<CopyLink />}
    >
      <Loaded query={withBefore(job, before)}>
        {(detail) => (
          <>
            <Panel>
              <ol className={styles.steps}>
                {before.data !== undefined && <StepItem step={stepOf(before.data, false)} />}
                <StepItem step={stepOf(detail, waitsFor(detail, before.data))} />
              </ol>
            </Panel>
            <div className={styles.links}>
              {failed && <LinkButton to="/">Try again</LinkButton>}
              <Link to="/jobs/$jobId" params={{ jobId }}>
                Technical log
              </Link>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Adds the step before. The chart is drawn when both steps are known, so that none appears late. */
function withBefore(
  job: JobQuery,
  before: JobQuery,
): Pick<JobQuery, 'data' | 'error' | 'isFetching' | 'refetch'> {
  const waits = job.data !== undefined && job.data.waits_for_job_id !== null && before.isPending;
  const { data, error, isFetching, refetch } = job;
  return { data: waits ? undefined : data, error, isFetching, refetch };
}

type JobQuery = ReturnType<typeof useJob>;

function useJob(id: string | null) {
  return useQuery({
    queryKey: ['job', id],
    queryFn: () => getJob(id as string),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data !== undefined && isFinal(state.data.status) ? false : 1000),
  });
}

function waitsFor(job: JobDetail, before: JobDetail | undefined): boolean {
  return job.status === 'QUEUED' && before !== undefined && before.status !== 'SUCCEEDED';
}

function StepItem({ step }: { step: Step }) {
  const moving = step.state === 'running';
  return (
    <li className={styles.step} data-state={step.state}>
      <h2 className={styles.title}>{step.title}</h2>
      {moving && (
        <Progress.Root size="md" className={styles.bar}>
          <Progress.Section
            value={(step.fraction ?? 1) * 100}
            striped={step.fraction === null}
            animated={step.fraction === null}
            aria-label={step.title}
          />
        </Progress.Root>
      )}
      <p className={styles.note} role={step.state === 'failed' ? 'alert' : 'status'}>
        {step.note}
      </p>
    </li>
  );
}
