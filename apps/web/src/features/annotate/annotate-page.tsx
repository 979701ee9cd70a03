import { lazy, Suspense, useState } from 'react';
import type { AnnotateOptions } from '../../app/api/annotate.js';
import { Page } from '../../shared/page.js';
import styles from './annotate.module.css';
import { AnnotateForm } from './annotate-form.js';

/** These parts around the form are loaded later, and the form is usable before. */
const ReferenceNote = lazy(async () => ({ default: (await import('./reference-note.js')).ReferenceNote }));
const RecentRuns = lazy(async () => ({ default: (await import('./recent-runs-panel.js')).RecentRuns }));
const StrongNote = lazy(async () => ({ default: (await import('./strong-note.js')).StrongNote }));
const SampleResult = lazy(async () => ({ default: (await import('./sample-result.js')).SampleResult }));

export function AnnotatePage() {
  const [options, setOptions] = useState<AnnotateOptions>({});
  return (
    <Page
      title="What does your protein do?"
      lead="Paste protein sequences: Kindred finds the nearest annotated proteins and transfers their Gene Ontology terms, each with a score and the evidence it rests on."
    >
      <div className={styles.columns}>
        <AnnotateForm options={options} setOptions={setOptions} />
        <aside className={styles.aside}>
          <Suspense fallback={<div className={styles.sample} />}>
            <SampleResult />
          </Suspense>
          <Suspense fallback={<div className={styles.strong} />}>
            <StrongNote />
          </Suspense>
          <Suspense fallback={<div className={styles.reference} />}>
            <ReferenceNote options={options} />
          </Suspense>
          <Suspense fallback={null}>
            <RecentRuns />
          </Suspense>
        </aside>
      </div>
    </Page>
  );
}
