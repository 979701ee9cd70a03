import type { JobEvent } from '../../app/api/jobs.js';
import { eventLine } from './job-text.js';
import styles from './jobs.module.css';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Lists the events of a job, newest first. */
export function EventTimeline({ events }: { events: JobEvent[] }) {
  if (events.length === 0) return <p>Nothing has happened yet.</p>;
  return (
    <ol className={styles.events}>
      {events.map((event) => (
        <li key={event.id} data-level={event.level}>
          <time dateTime={event.ts} title={event.ts}>
            {clock.format(new Date(event.ts))}
          </time>
          <div>
            <span className={styles.event}>{event.event}</span>
            {event.level !== 'info' && <span className={styles.level}> {event.level}</span>}
            <span className={styles.line}>{eventLine(event)}</span>
          </div>
        </li>
      ))}
    </ol>
  );
}
