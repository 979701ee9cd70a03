import { Radio } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AnnotateLimits, Keeping } from '../../app/api/annotate.js';
import { plural } from '../../shared/format.js';
import styles from './annotate.module.css';

interface Props {
  keeping: Keeping;
  onKeeping: (keeping: Keeping) => void;
  limits: AnnotateLimits | undefined;
}

/** Who finds the result, and for how long it is kept. */
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
  const choices: readonly [Keeping, string, string][] = [
    [
      'link',
      'Private link',
      'Whoever has the link can read it; only you and the operators find it in lists.',
    ],
    ['listed', 'Listed', 'Everyone finds it in the list of results, with its name, headers and predictions.'],
    ['unsaved', 'Not kept', `Private link; deleted after ${plural(limits.unsaved_hours, 'hour')}.`],
  ];
  return (
    <Radio.Group
      label="Who can read the result"
      value={keeping}
      onChange={(value) => {
        const chosen = choices.find(([key]) => key === value);
        if (chosen !== undefined) onKeeping(chosen[0]);
      }}
      className={styles.keeping}
    >
      {choices.map(([value, label, description]) => (
        <Radio key={value} value={value} label={label} description={description} mt={8} />
      ))}
    </Radio.Group>
  );
}
