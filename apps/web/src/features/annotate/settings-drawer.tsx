import { lazy, Suspense, useState } from 'react';
import type { AnnotateOptions } from '../../app/api/annotate.js';
import styles from './annotate.module.css';

const SettingsBody = lazy(async () => ({ default: (await import('./settings-body.js')).SettingsBody }));

interface Props {
  options: AnnotateOptions;
  onOptions: (options: AnnotateOptions) => void;
}

/** Shows settings that have defaults. The fields are fetched when the visitor opens the drawer. */
export function SettingsDrawer({ options, onOptions }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles.settings} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Settings
        {Object.entries(options).some(([name, value]) => name !== 'organism' && value !== undefined)
          ? ' (changed)'
          : ''}
      </summary>
      {open && (
        <Suspense fallback={<div className={styles.settingsBody} />}>
          <SettingsBody options={options} onOptions={onOptions} />
        </Suspense>
      )}
    </details>
  );
}
