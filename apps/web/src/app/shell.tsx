import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { AccountChip } from '../features/account/account-chip.js';
import { useAccount, useOtherTabs } from '../features/account/use-account.js';
import { BrandMark } from '../shared/icons.js';
import { useChord, useKey } from '../shared/use-key.js';
import { pagesFor } from './pages.js';
import { SchemeSwitch } from './scheme-switch.js';
import styles from './shell.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }));

/** The frame of every page: skip link, brand, navigation, account. */
export function Shell() {
  const main = useRef<HTMLElement>(null);
  const account = useAccount();
  const [commands, setCommands] = useState(false);
  const nav = useRef<HTMLElement>(null);
  useFocusOnNavigation(main);
  useCurrentInSight(nav, account.data);
  useOtherTabs();
  useKey('?', () => setCommands(true));
  useChord('k', () => setCommands(true));
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
        <nav className={styles.nav} aria-label="Pages" ref={nav}>
          {pagesFor(account.data).map(({ label, to }) => (
            <Link key={to} to={to} activeOptions={{ exact: to === '/' }}>
              {label}
            </Link>
          ))}
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
        Predictions are computed, not curated. Check the evidence before you rely on one.{' '}
        <button type="button" className={styles.commands} onClick={() => setCommands(true)}>
          Commands and keys (Ctrl K)
        </button>
      </footer>
      {commands && (
        <section aria-label="Commands">
          <Suspense>
            <Palette onClose={() => setCommands(false)} />
          </Suspense>
        </section>
      )}
    </div>
  );
}

/** Moves the focus to the content of a new page, so that screen readers and the keyboard do not stay at the link on the old one. */
function useFocusOnNavigation(main: React.RefObject<HTMLElement | null>) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what is followed
  useEffect(() => {
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [path, main]);
}

/** Scrolls the links sideways, where they do not fit, until the one of the open page is in the middle. */
function useCurrentInSight(nav: React.RefObject<HTMLElement | null>, account: unknown) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path and the links that come with an account are what is followed
  useEffect(() => {
    const current = nav.current?.querySelector('[aria-current=page]');
    if (nav.current === null || current === null || current === undefined) return;
    const [row, link] = [nav.current.getBoundingClientRect(), current.getBoundingClientRect()];
    nav.current.scrollLeft += link.left + link.width / 2 - (row.left + row.width / 2);
  }, [path, account, nav]);
}
