import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Tooltip.css';
import { glossary } from '@kindred/contracts/glossary';
import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './glossary-word.module.css';

export type WordOfGlossary = keyof typeof glossary;

interface Props {
  entry: WordOfGlossary;
  /** The words of the page, if they differ from the entry. */
  children?: ReactNode;
}

/** Shows a dotted word. The glossary's sentence is shown on hover, focus and touch, and read out. */
export function GlossaryWord({ entry, children = entry }: Props) {
  const meaning = glossary[entry];
  return (
    <Tooltip label={meaning} multiline maw={320} withArrow events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the meaning must be reachable by keyboard */}
      <dfn className={styles.word} tabIndex={0}>
        {children}
      </dfn>
    </Tooltip>
  );
}
