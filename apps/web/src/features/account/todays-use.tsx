import '@mantine/core/styles/Progress.css';
import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getLimits } from '../../app/api/annotate.js';
import { formatCount, plural } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './account.module.css';

/** Shows how much of its daily quota the account has used. The element has its height from the start, so that nothing below moves. */
export function TodaysUse() {
  const limits = useQuery({ queryKey: ['annotate-limits', true], queryFn: getLimits, staleTime: 0 });
  return (
    <div className={styles.today}>
      {limits.data !== undefined && <Use today={limits.data.sequences_today} />}
      {limits.data === undefined && limits.error !== null && <ProblemNote error={limits.error} />}
    </div>
  );
}

function Use({ today }: { today: { limit: number; used: number } | null }) {
  if (today === null) return <p>Your role has no daily limit of sequences.</p>;
  const { limit, used } = today;
  return (
    <>
      <p>
        {formatCount(used)} of {plural(limit, 'sequence')} annotated today; all are free again at 00:00 UTC.
      </p>
      <Progress.Root size="md">
        <Progress.Section
          value={limit === 0 ? 100 : Math.min(100, (100 * used) / limit)}
          aria-label="Used of today’s sequences"
        />
      </Progress.Root>
    </>
  );
}
