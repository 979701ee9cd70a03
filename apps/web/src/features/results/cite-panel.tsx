import { bibTex, methodsSentence } from '@kindred/contracts/citation';
import { useState } from 'react';
import product from '../../../package.json';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { CopyButton } from '../../shared/copy-button.js';
import styles from './results.module.css';

/** Says on demand how to cite a run. */
export function CitePanel({ set }: { set: PredictionSetDetail }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Cite this</summary>
      {isOpen && <Citation set={set} />}
    </details>
  );
}

/** Shows the words of a methods section and the entries of a list of references, to copy. */
function Citation({ set }: { set: PredictionSetDetail }) {
  const sentence = methodsSentence(set, product.version);
  const entries = bibTex(product.version, set.created_at.slice(0, 4));
  return (
    <div className={styles.cite}>
      <h3>For the methods</h3>
      <p>{sentence}</p>
      <CopyButton size="compact-sm" text={() => sentence} refused="Copy it from the page">
        Copy the sentence
      </CopyButton>
      <h3>BibTeX</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reachable by keyboard */}
      <pre tabIndex={0}>{entries}</pre>
      <CopyButton size="compact-sm" text={() => entries} refused="Copy it from the page">
        Copy BibTeX
      </CopyButton>
    </div>
  );
}
