import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { AnnotateLimits, Keeping } from '../../app/api/annotate.js';
import { plural } from '../../shared/format.js';
import styles from './annotate.module.css';

/** This part is loaded later, because only users with an account have the choice. */
const KeepingRadios = lazy(async () => ({ default: (await import('./keeping-radios.js')).KeepingRadios }));

interface Props {
  keeping: Keeping;
  onKeeping: (keeping: Keeping) => void;
  limits: AnnotateLimits | undefined;
}

/** Shows who finds the result, and for how long it is kept. */
export function KeepingChoice({ keeping, onKeeping, limits }: Props) {
  if (limits === undefined) return <div className={styles.keeping} />;
  if (!limits.may_save) {
    return (
      <p className={styles.small}>
        Private link: whoever has it can read the result, nobody finds it in a list, and it is deleted after{' '}
        {plural(limits.unsaved_hours, 'hour')}. <Link to="/sign-in">Sign in</Link> to keep it.
      </p>
    );
  }
  return (
    <Suspense fallback={<div className={styles.keeping} />}>
      <KeepingRadios keeping={keeping} onKeeping={onKeeping} unsavedHours={limits.unsaved_hours} />
    </Suspense>
  );
}
