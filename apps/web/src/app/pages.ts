import type { Account } from './api/account.js';

/** A page that the navigation and the palette offer. */
export interface SitePage {
  label: string;
  to: string;
}

/** Returns the pages that a visitor may use, in the order of the navigation. */
export function pagesFor(account: Pick<Account, 'role'> | null | undefined): SitePage[] {
  const signedIn = account != null;
  return [
    { label: 'Annotate', to: '/' },
    { label: 'Runs', to: '/results' },
    { label: 'References', to: '/references' },
    { label: 'Accuracy', to: '/evaluation' },
    ...(signedIn
      ? [
          { label: 'Evaluate', to: '/evaluate' },
          { label: 'Operation', to: '/operation' },
        ]
      : []),
    ...(account?.role === 'admin' ? [{ label: 'People', to: '/people' }] : []),
    { label: 'Help', to: '/help' },
  ];
}
