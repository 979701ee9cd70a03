import type { JobDetail } from '../../app/api/jobs.js';
import { Panel } from '../../shared/page.js';
import { ActBar, useRowActs } from '../workbench/act-bar.js';
import { resources } from '../workbench/resources.js';

const jobs = resources.find(({ key }) => key === 'jobs');

/** Offers what is rarely done with a job. */
export function JobActs({ job }: { job: JobDetail }) {
  const acts = useRowActs(jobs?.rowActs, job);
  if (acts.length === 0) return null;
  return (
    <Panel title="More">
      <ActBar acts={acts} params={{ id: job.id }} rowId={job.id} />
    </Panel>
  );
}
