import { Button, type ButtonProps } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { CheckIcon } from './icons.js';

interface Props extends Pick<ButtonProps, 'size'> {
  /** The text, which is asked for when it is copied. */
  text: () => string;
  /** The words on the button. */
  children: string;
  /** The words for a browser that does not let a page copy. */
  refused: string;
  icon?: ReactNode;
}

/** Copies a text, and says so. */
export function CopyButton({ text, children, refused, icon, size }: Props) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2500);
    return () => clearTimeout(timer);
  }, [state]);
  const words = { idle: children, copied: 'Copied', refused };
  return (
    <Button
      variant="default"
      size={size}
      leftSection={state === 'copied' ? <CheckIcon /> : icon}
      onClick={async () => setState((await copyText(text())) ? 'copied' : 'refused')}
    >
      <span aria-live="polite">{words[state]}</span>
    </Button>
  );
}
/** Copies a text. The clipboard API exists on https and localhost only; elsewhere a selected field is copied. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}
