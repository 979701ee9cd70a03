import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { AccountChip } from '../features/account/account-chip.js';
import { useAccount, useOtherTabs } from '../features/account/use-account.js';
import { BrandMark } from '../shared/icons.js';
import { SchemeSwitch } from './scheme-switch.js';
import styles from './shell.module.css';

/** Frame of every page: skip link, brand, navigation, account. */
export function Shell() {
  const main = useRef<HTMLElement>(null);
  const account = useAccount();
  useFocusOnNavigation(main);
  useOtherTabs();
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand}>
          <BrandMark />
          Kindred
        </Link>
        <nav className={styles.nav} aria-label="Pages">
          <Link to="/" activeOptions={{ exact: true }}>
            Annotate
          </Link>
          <Link to="/results">Results</Link>
          <Link to="/jobs">Jobs</Link>
          <Link to="/data">Data</Link>
          <Link to="/evaluation">Accuracy</Link>
          {account.data != null && (
            <Link to="/workbench/$resource" params={{ resource: 'experiments' }}>
              Workbench
            </Link>
          )}
          {account.data?.role === 'admin' && <Link to="/administration">Accounts</Link>}
          <a href="/docs">API</a>
        </nav>
        <div className={styles.tools}>
          <SchemeSwitch />
          <AccountChip />
        </div>
      </header>
      <main id="main" className={styles.main} tabIndex={-1} ref={main}>
        <Outlet />
      </main>
      <footer className={styles.footer}>
        Predictions are computed, not curated. Check the evidence before you rely on one.
      </footer>
    </div>
  );
}

/** Screen readers and the keyboard continue at the content of the new page, not at the link on the old one. */
function useFocusOnNavigation(main: React.RefObject<HTMLElement | null>) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what is followed
  useEffect(() => {
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [path, main]);
}
