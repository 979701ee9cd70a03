import type { useRouter } from '@tanstack/react-router';

/** Nothing may be asked for, and no form may be sent. Styles and pictures that are there already stay. */
const policy = "default-src 'none'; form-action 'none'; img-src data: blob:; style-src 'self'";

/**
 * Lets the browser refuse every request of this document from now on, which nothing in it can take back. So links then open their pages as
 * new documents.
 */
export function lock(router: ReturnType<typeof useRouter>): void {
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = policy;
  document.head.append(meta);
  router.history.block({
    enableBeforeUnload: false,
    blockerFn: async ({ nextLocation }: { nextLocation: { href: string } }) => {
      location.assign(nextLocation.href);
      return true;
    },
  });
}
