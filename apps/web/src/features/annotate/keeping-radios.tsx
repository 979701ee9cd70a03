import '@mantine/core/styles/Radio.css';
import { Radio } from '@mantine/core';
import type { Keeping } from '../../app/api/annotate.js';
import { plural } from '../../shared/format.js';
import styles from './annotate.module.css';

interface Props {
  keeping: Keeping;
  onKeeping: (keeping: Keeping) => void;
  unsavedHours: number;
}

/** The choice between the three ways to keep a run. */
export function KeepingRadios({ keeping, onKeeping, unsavedHours }: Props) {
  const choices: readonly [Keeping, string, string][] = [
    [
      'link',
      'Private link',
      'Whoever has the link can read it; only you and the operators find it in lists.',
    ],
    ['listed', 'Listed', 'Everyone finds it in the list of results, with its name, headers and predictions.'],
    ['unsaved', 'Not kept', `Private link; deleted after ${plural(unsavedHours, 'hour')}.`],
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
