import '@mantine/core/styles/Progress.css';
import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getLimits } from '../../app/api/annotate.js';
import { formatCount, plural } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';

/** What the account has used of its daily quota. */
export function TodaysUse() {
  const limits = useQuery({ queryKey: ['annotate-limits', true], queryFn: getLimits, staleTime: 0 });
  return (
    <Loaded query={limits}>
      {({ sequences_today: today }) =>
        today === null ? (
          <p>Your role has no daily limit of sequences.</p>
        ) : (
          <>
            <p>
              {formatCount(today.used)} of {plural(today.limit, 'sequence')} annotated today; all are free
              again at 00:00 UTC.
            </p>
            <Progress.Root size="md">
              <Progress.Section
                value={today.limit === 0 ? 100 : Math.min(100, (100 * today.used) / today.limit)}
                aria-label="Used of today’s sequences"
              />
            </Progress.Root>
          </>
        )
      }
    </Loaded>
  );
}
