import { type NetworkRates, networkSentences } from '@kindred/contracts/network-table';
import rates from '../../../../../models/network/rates.json';
import styles from './private.module.css';

const sentences = networkSentences(rates as unknown as NetworkRates);

/** Says what the scores are: before they are computed, and beside them. */
export function Warnings() {
  return (
    <ul className={styles.warnings}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
