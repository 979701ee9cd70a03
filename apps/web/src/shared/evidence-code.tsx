import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Tooltip.css';
import { Tooltip } from '@mantine/core';
import { evidenceKindWords, evidenceOf } from './evidence.js';
import styles from './evidence-code.module.css';

/** Shows an evidence code. Its meaning is shown on hover and focus, and read out. */
export function EvidenceCode({ code, tabIndex = 0 }: { code: string | null; tabIndex?: number }) {
  const { meaning, kind } = evidenceOf(code);
  const words = `${meaning} (${evidenceKindWords[kind]})`;
  return (
    <Tooltip label={words} multiline maw={260} withArrow events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the meaning must be reachable by keyboard */}
      <abbr
        className={styles.evidence}
        data-kind={kind}
        tabIndex={tabIndex}
        aria-label={`${code ?? 'none'}: ${words}`}
      >
        {code ?? 'none'}
      </abbr>
    </Tooltip>
  );
}
