import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Tooltip.css';
import { Tooltip } from '@mantine/core';
import { unrecordedEvidence } from '@kindred/contracts/vocabulary';
import { evidenceKindWords, evidenceOf } from './evidence.js';
import styles from './evidence-code.module.css';

/** Shows an evidence code, or that none is recorded. Its meaning is shown on hover and focus, and read out. */
export function EvidenceCode({ code, tabIndex = 0 }: { code: string | null; tabIndex?: number }) {
  const { meaning, kind } = evidenceOf(code);
  const shown = code === unrecordedEvidence ? 'not recorded' : (code ?? 'none');
  const words = `${meaning} (${evidenceKindWords[kind]})`;
  return (
    <Tooltip label={words} multiline maw={260} withArrow events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the meaning must be reachable by keyboard */}
      <abbr
        className={styles.evidence}
        data-kind={kind}
        tabIndex={tabIndex}
        aria-label={`${shown}: ${words}`}
      >
        {shown}
      </abbr>
    </Tooltip>
  );
}
