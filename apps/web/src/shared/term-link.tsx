import { Link } from '@tanstack/react-router';
import styles from './page.module.css';

/** Shows a GO term by its name, with its id, linked to its page here. */
export function TermLink({ goId, name }: { goId: string; name: string }) {
  return (
    <Link to="/go/$goId" params={{ goId }} className={styles.termLink} title={goId}>
      {name}
    </Link>
  );
}
