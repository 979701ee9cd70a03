import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { eventStreamAddress, getJobEvents, type JobEvent } from '../../app/api/jobs.js';

const eventsKey = (jobId: string, ended: boolean) => ['job-events', jobId, ended] as const;

/**
 * Returns the events of a job, newest first: the stored ones, then each as it happens. If the stream breaks, the page requests them
 * instead.
 */
export function useJobEvents(jobId: string, ended: boolean, pollMs: number) {
  const queries = useQueryClient();
  const [isBroken, setIsBroken] = useState(false);
  const events = useQuery({
    // The key changes when the job has ended, to request its last events.
    queryKey: eventsKey(jobId, ended),
    queryFn: () => getJobEvents(jobId),
    refetchInterval: ended ? false : (isBroken ? 1 : 10) * pollMs,
    placeholderData: (before) => before,
  });
  const isRead = events.data !== undefined;
  useEffect(() => {
    if (ended || !isRead) return undefined;
    const stream = new EventSource(eventStreamAddress(jobId));
    stream.onmessage = ({ data }) => {
      addEvent(queries, jobId, JSON.parse(String(data)) as JobEvent);
    };
    // This event says that the state or progress of the job has changed.
    stream.addEventListener('job', () => void queries.invalidateQueries({ queryKey: ['job', jobId] }));
    stream.onopen = () => setIsBroken(false);
    stream.onerror = () => setIsBroken(true);
    return () => stream.close();
  }, [jobId, ended, isRead, queries]);
  return events;
}

function addEvent(queries: QueryClient, jobId: string, event: JobEvent): void {
  queries.setQueryData<JobEvent[]>(eventsKey(jobId, false), (before) => withEvent(before ?? [], event));
}

/** Adds an event, newest first. An event that is already in the list is not added again. */
export function withEvent(events: readonly JobEvent[], event: JobEvent): JobEvent[] {
  if (events.some(({ id }) => id === event.id)) return [...events];
  return [event, ...events].sort((a, b) => b.id - a.id);
}
