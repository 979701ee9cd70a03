import type { Account } from './api/account.js';
import { place } from './api/place.js';

/** A page that the navigation and the palette offer. */
export interface SitePage {
  label: string;
  to: string;
  /** Whether the service itself serves the page, outside the client; `to` is then the whole path. */
  isPlain?: true;
}

/** Returns the pages that a visitor may use, in the order of the navigation. */
export function pagesFor(account: Pick<Account, 'role'> | null | undefined): SitePage[] {
  const signedIn = account != null;
  return [
    { label: 'Annotate', to: '/' },
    { label: 'Results', to: '/results' },
    { label: 'Jobs', to: '/jobs' },
    { label: 'Data', to: '/data' },
    { label: 'Accuracy', to: '/evaluation' },
    ...(signedIn ? [{ label: 'Workbench', to: '/workbench/experiments' }] : []),
    ...(account?.role === 'admin' ? [{ label: 'Accounts', to: '/administration' }] : []),
    { label: 'Help', to: '/help' },
    { label: 'API', to: `${place.service}/docs`, isPlain: true },
  ];
}
