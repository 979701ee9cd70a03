import { Reliability } from '../evaluation/reliability.js';
import styles from './annotate.module.css';
import { useSample } from './use-sample.js';

/** Says what a strong call is worth in the sense of this service's own answers: a reference decides which rate they give. */
export function StrongNote() {
  const { data, isPending } = useSample();
  if (isPending) return <div className={styles.strong} />;
  const isHeld =
    data?.answer.terms.some((term) => term.probability_meaning === 'held by the databases') === true;
  return (
    <div className={styles.strong}>
      <Reliability isHeld={isHeld} />
    </div>
  );
}
