import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Prediction, PredictionSetDetail } from '../../app/api/predictions.js';
import { getProtein, type Protein } from '../../app/api/reference-data.js';
import { formatReal, percent } from '../../shared/format.js';
import { distanceWords } from '../../shared/score.js';
import { TermLink } from '../../shared/term-link.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { AlignmentView } from './alignment-view.js';
import { Distance, SourceLink } from './cells.js';
import type { FoldedCall } from './term-calls.js';
import styles from './donor-panel.module.css';

interface Props {
  set: PredictionSetDetail;
  accession: string;
  term: FoldedCall;
}

/** Every neighbour that gave the term, and the broader predicted terms that it implies. */
export function DonorPanel({ set, accession, term }: Props) {
  return (
    <div className={styles.panel}>
      <h3 className={styles.title}>
        Similar proteins annotated with this term ({distanceWords(set.metric)})
      </h3>
      <ul className={styles.donors}>
        {term.donors.map((donor) => (
          <Donor key={`${donor.source_kind} ${donor.source_id}`} set={set} query={accession} donor={donor} />
        ))}
      </ul>
      {term.broader.length > 0 && (
        <>
          <h3 className={styles.title}>Predicted terms that it implies</h3>
          <ul className={styles.broader}>
            {term.broader.map((call) => (
              <li key={call.goId}>
                <TermLink goId={call.goId} name={call.name} />{' '}
                <span className={styles.muted}>{formatReal(call.score)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface DonorProps {
  set: PredictionSetDetail;
  query: string;
  donor: Prediction;
}

function Donor({ set, query, donor }: DonorProps) {
  const [aligned, setAligned] = useState(false);
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
        {accession !== null && (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-expanded={aligned}
            aria-label={`Alignment with ${accession}`}
            onClick={() => setAligned(!aligned)}
          >
            {aligned ? 'Hide alignment' : 'Alignment'}
          </Button>
        )}
      </span>
      {aligned && accession !== null && (
        <div className={styles.aligned}>
          <AlignmentView set={set} query={query} goId={donor.go_id} source={accession} />
        </div>
      )}
    </li>
  );
}

function nameOf(protein: Protein | undefined): string | null {
  return protein?.protein_name ?? protein?.gene_name ?? protein?.entry_name ?? null;
}

/** What the alignment and the taxonomy say, where the run computed them. */
function comparison(donor: Prediction): string {
  const identity =
    donor.identity_sw === null ? '' : `${percent(donor.identity_sw)} identical (local alignment)`;
  return [identity, donor.taxonomic_relation].filter(Boolean).join(' · ');
}
