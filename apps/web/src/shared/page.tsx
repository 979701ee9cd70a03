import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

interface PageProps {
  title: string;
  /** The part of the page that is open, for the title of the browser's tab. */
  about?: string;
  /** One or two sentences under the title. */
  lead?: ReactNode;
  /** Links and buttons next to the title. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** Shows title, lead and content of a page, and names the browser's tab. */
export function Page({ title, about, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = [...(about === undefined ? [] : [about]), title, 'Kindred'].join(' · ');
  }, [title, about]);
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div className={styles.words}>
          <h1>{title}</h1>
          {lead !== undefined && <div className={styles.lead}>{lead}</div>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A box with a heading. */
export function Panel({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className={styles.panel}>
      {title !== undefined && <h2 className={styles.panelTitle}>{title}</h2>}
      {children}
    </section>
  );
}
