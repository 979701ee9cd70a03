import { categories } from '@kindred/contracts/vocabulary';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Category, getEvaluatedSets, getShowcase, type Showcase } from '../../app/api/showcase.js';
import { categoryNames } from '../../shared/cafa.js';
import { plural } from '../../shared/format.js';
import { GlossaryWord } from '../../shared/glossary-word.js';
import { Loaded } from '../../shared/loading.js';
import { Page } from '../../shared/page.js';
import styles from './evaluation.module.css';
import { AllFigures } from './all-figures.js';
import { CompareMethods } from './compare-methods.js';
import { MeasuredAccuracy } from './measured.js';
import { MethodTable } from './method-table.js';

const meanings: Readonly<Record<Category, string>> = {
  NK: 'proteins without known terms before',
  LK: 'aspects without known terms, in proteins with terms in other aspects',
  PK: 'more terms in aspects with known terms',
};

/** Shows how good the predictions of this service are: every evaluated method on the newest evaluation set. */
export function EvaluationPage() {
  const showcase = useQuery({ queryKey: ['showcase'], queryFn: getShowcase });
  return (
    <Page
      title="Accuracy"
      lead={
        <>
          Terms that experiments found later, and how much of them each method predicted.{' '}
          <GlossaryWord entry="Fmax" /> is the best balance of precision and recall: 0 is nothing right, 1 is
          everything.
        </>
      }
    >
      <MeasuredAccuracy />
      <h2>Measured by this service</h2>
      <Loaded query={showcase}>{(data) => <Comparison showcase={data} />}</Loaded>
    </Page>
  );
}

function Comparison({ showcase }: { showcase: Showcase }) {
  const shown = categories.filter((key) => showcase.method_comparison[key] !== undefined);
  if (showcase.evaluation_set_id === null || shown.length === 0) {
    return (
      <p>
        Nothing has been evaluated with your own data yet. Operators make evaluation sets and evaluate runs
        under <Link to="/evaluate/{-$part}">Evaluate</Link>.
      </p>
    );
  }
  return (
    <>
      <Frame setId={showcase.evaluation_set_id} />
      {shown.map((key) => (
        <section key={key} className={styles.section}>
          <h2>
            <GlossaryWord entry={key}>{categoryNames[key]}</GlossaryWord>{' '}
            <span className={styles.meaning}>{meanings[key]}</span>
          </h2>
          <MethodTable
            rows={showcase.method_comparison[key] ?? []}
            setId={showcase.evaluation_set_id ?? ''}
          />
          <AllFigures
            setId={showcase.evaluation_set_id ?? ''}
            category={key}
            rows={showcase.method_comparison[key] ?? []}
          />
        </section>
      ))}
      <CompareMethods showcase={showcase} setId={showcase.evaluation_set_id} />
      <p className={styles.note}>
        Drawn from {plural(showcase.counts.evaluations, 'evaluation')}. Bold is the best of its column.
        Differences of a few hundredths are chance where few proteins decide: compare the methods with their
        intervals. Each figure leads to its result under Evaluate, with its frame and its files.
      </p>
    </>
  );
}

/** Explains the holdout: what was known when, and what was found later. */
function Frame({ setId }: { setId: string }) {
  const sets = useQuery({ queryKey: ['evaluated-sets'], queryFn: getEvaluatedSets });
  const set = sets.data?.find(({ id }) => id === setId);
  if (set === undefined) return null;
  return (
    <p className={styles.frame}>
      Known before: <strong>{set.old_source_version}</strong>. Found later:{' '}
      <strong>{set.new_source_version}</strong>. Ontology: {set.obo_version}.
    </p>
  );
}
