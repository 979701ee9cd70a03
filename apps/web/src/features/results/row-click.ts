import type { MouseEvent } from 'react';

/** Makes a click anywhere on a row act, unless it is on a part that acts itself, or ends a choice of text to copy. */
export function onRowClick(act: () => void): (event: MouseEvent<HTMLElement>) => void {
  return ({ target }) => {
    if ((target as HTMLElement).closest('a, button, abbr, input, label') !== null) return;
    if (getSelection()?.isCollapsed === false) return;
    act();
  };
}
