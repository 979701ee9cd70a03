import { Link } from '@tanstack/react-router';
import type { AnnotateLimits } from '../../app/api/annotate.js';
import { handed } from '../private/handed-text.js';
import styles from './annotate.module.css';
import { limitSentences } from './limit-sentences.js';

interface Props {
  limits: AnnotateLimits;
  signedIn: boolean;
  /** The text of the form, which the page for this browser alone takes over. */
  text: string;
}

/** Shows what may be sent, and the way to send nothing. */
export function LimitList({ limits, signedIn, text }: Props) {
  return (
    <>
      <ul className={styles.limits}>
        {limitSentences(limits, signedIn).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {limits.in_browser !== null && (
        <p className={styles.small}>
          Must your sequences stay on this machine?{' '}
          <Link
            to="/private"
            onClick={() => {
              handed.text = text;
            }}
          >
            Annotate in this browser only
          </Link>
          , with a small network and less certainty.
        </p>
      )}
    </>
  );
}
