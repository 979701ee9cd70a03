import { useQuery } from '@tanstack/react-query';
import type { Prediction } from '../../app/api/predictions.js';
import { getProtein, type Protein } from '../../app/api/reference-data.js';
import { formatReal } from '../../shared/format.js';
import { quickGoAddress } from '../../shared/links.js';
import { distanceWords } from '../../shared/score.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { Distance, SourceLink } from './cells.js';
import type { FoldedCall } from './term-calls.js';
import styles from './donor-panel.module.css';

/** Every neighbour that gave the term, and the broader predicted terms that it implies. */
export function DonorPanel({ term, metric }: { term: FoldedCall; metric: string }) {
  return (
    <div className={styles.panel}>
      <h4 className={styles.title}>Similar proteins annotated with this term ({distanceWords(metric)})</h4>
      <ul className={styles.donors}>
        {term.donors.map((donor) => (
          <Donor key={`${donor.source_kind} ${donor.source_id}`} donor={donor} />
        ))}
      </ul>
      {term.broader.length > 0 && (
        <>
          <h4 className={styles.title}>Predicted terms that it implies</h4>
          <ul className={styles.broader}>
            {term.broader.map((call) => (
              <li key={call.goId}>
                <a href={quickGoAddress(call.goId)} target="_blank" rel="noreferrer">
                  {call.name}
                </a>{' '}
                <span className={styles.muted}>{formatReal(call.score)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Donor({ donor }: { donor: Prediction }) {
  const accession = donor.source_kind === 'protein' ? donor.source_id : null;
  const protein = useQuery({
    queryKey: ['protein', accession],
    queryFn: () => getProtein(accession as string),
    enabled: accession !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const about = [nameOf(protein.data), protein.data?.organism].filter(Boolean).join(' · ');
  return (
    <li className={styles.donor}>
      <SourceLink source={donor} />
      <span className={styles.number}>
        <Distance value={donor.distance} />
      </span>
      <EvidenceCode code={donor.evidence_code} />
      <span className={styles.muted}>
        {[about, donor.qualifier?.replaceAll('_', ' '), comparison(donor)].filter(Boolean).join(' · ')}
      </span>
    </li>
  );
}

function nameOf(protein: Protein | undefined): string | null {
  return protein?.protein_name ?? protein?.gene_name ?? protein?.entry_name ?? null;
}

/** What the alignment and the taxonomy say, where the run computed them. */
function comparison(donor: Prediction): string {
  const identity =
    donor.identity_sw === null ? '' : `${Math.round(donor.identity_sw * 100)} % identical (local alignment)`;
  return [identity, donor.taxonomic_relation].filter(Boolean).join(' · ');
}
