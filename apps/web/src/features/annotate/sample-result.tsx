import { roundedProbability } from '@kindred/contracts/answer-columns';
import { Link } from '@tanstack/react-router';
import type { Answer } from '../../app/api/predictions.js';
import { percent } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { headlineOf } from '../results/headline.js';
import styles from './annotate.module.css';
import { useSample } from './use-sample.js';

const shownTerms = 4;

/** Shows an answer of this very service. If there is none, or it can't be loaded, the page leaves it out. */
export function SampleResult() {
  const { data, isPending } = useSample();
  if (isPending) return <div className={styles.sample} />;
  if (data == null) return null;
  const { set, answer } = data;
  const search = { protein: answer.accession };
  return (
    <div className={styles.sample}>
      <Panel title="A result of this service">
        <p className={styles.small}>
          <b>{answer.accession}</b> {headlineOf(answer)}
        </p>
        <ul className={styles.sampleTerms}>
          {answer.terms.slice(0, shownTerms).map((term) => (
            <SampleTerm key={term.go_id} term={term} />
          ))}
        </ul>
        <p className={styles.small}>
          <Link to="/results/$setId" params={{ setId: set.id }} search={search}>
            The whole answer with its evidence
          </Link>
        </p>
      </Panel>
    </div>
  );
}

function SampleTerm({ term: { name, certainty, probability } }: { term: Answer['terms'][number] }) {
  return (
    <li>
      <span>{name}</span>
      <span className={styles.small}>
        {probability === null
          ? 'not calibrated'
          : `${certainty ?? 'weak'} ${percent(roundedProbability(probability))}`}
      </span>
    </li>
  );
}
