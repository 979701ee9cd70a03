import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { CheckIcon, LinkIcon } from './icons.js';

/** Copies the address of this page. */
export function CopyLink() {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2500);
    return () => clearTimeout(timer);
  }, [state]);
  const words = { idle: 'Copy link', copied: 'Copied', refused: 'Copy it from the address bar' };
  return (
    <Button
      variant="default"
      leftSection={state === 'copied' ? <CheckIcon /> : <LinkIcon />}
      onClick={async () => setState((await copyText(location.href)) ? 'copied' : 'refused')}
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
