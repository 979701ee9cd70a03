import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PredictionSetDetail, TermEvidence } from '../../app/api/predictions.js';
import { getProtein, type Protein } from '../../app/api/reference-data.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { evidenceGroupNames } from '../../shared/evidence.js';
import { percent } from '../../shared/format.js';
import { PaperLink } from '../../shared/paper-link.js';
import { TermLink } from '../../shared/term-link.js';
import { AlignmentView } from './alignment-view.js';
import styles from './term-evidence.module.css';

type Source = TermEvidence['sources'][number];

interface Props {
  set: PredictionSetDetail;
  query: string;
  goId: string;
  source: Source;
  /** The score of the term, with all its sources; null if it is not predicted. */
  score: number | null;
}

/** Shows a similar protein that has the term: its name, how similar it is, the score without it, and its alignment on demand. */
export function SourceProtein({ set, query, goId, source, score }: Props) {
  const [aligned, setAligned] = useState(false);
  const protein = useQuery({
    queryKey: ['protein', source.accession],
    queryFn: () => getProtein(source.accession),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <li className={styles.source}>
      <span className={styles.who}>
        <Link to="/proteins/$accession" params={{ accession: source.accession }}>
          {source.accession}
        </Link>{' '}
        <span className={styles.muted}>{aboutOf(protein.data)}</span>
      </span>
      <span className={styles.facts}>
        {factsOf(source).join(' · ')}
        <Without of={source} score={score} />
        <AnnotationList rows={source.annotations} goId={goId} label="Its annotations" />
      </span>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={aligned}
        aria-label={`Alignment with ${source.accession}`}
        onClick={() => setAligned(!aligned)}
      >
        {aligned ? 'Hide alignment' : 'Alignment'}
      </Button>
      {aligned && <AlignmentView set={set} query={query} goId={goId} source={source.accession} />}
    </li>
  );
}

/** Shows the score without the protein. */
function Without({ of: { score_without: without }, score }: { of: Source; score: number | null }) {
  if (without === null || score === null) return null;
  const [left, whole] = [without, score].map((value) => value.toFixed(2));
  return (
    <>
      {' · '}
      {left === whole ? (
        'without it the score would be the same'
      ) : (
        <>
          without it the score would be <strong>{left}</strong> instead of {whole}
        </>
      )}
    </>
  );
}

interface AnnotationListProps {
  rows: readonly (Omit<Source['annotations'][number], 'is_copied'> & { is_copied?: boolean })[];
  goId: string;
  label: string;
}

/** Lists annotations of a protein, with evidence and paper. */
export function AnnotationList({ rows, goId, label }: AnnotationListProps) {
  if (rows.length === 0) return null;
  return (
    <ul className={styles.annotations} aria-label={label}>
      {rows.map((row) => (
        <li key={`${row.go_id} ${row.evidence_code} ${row.db_reference} ${row.with_from} ${row.assigned_by}`}>
          <EvidenceCode code={row.evidence_code} /> <PaperLink reference={row.db_reference} />
          {row.go_id !== goId && (
            <>
              {' '}
              as <TermLink goId={row.go_id} name={row.name} />
            </>
          )}
          {row.is_copied && ', copied from the query protein'}
        </li>
      ))}
    </ul>
  );
}

function aboutOf(protein: Protein | undefined): string {
  const name = protein?.protein_name ?? protein?.gene_name ?? protein?.entry_name;
  return [name, protein?.organism].filter(Boolean).join(' · ');
}

function factsOf(source: Source): string[] {
  const { identity, query_coverage: covered, evidence, is_similar, is_copied, found_by } = source;
  const groups = evidence.map((group) => evidenceGroupNames[group]);
  return [
    is_copied ? 'its annotation was copied from this very protein, so it is no further evidence' : null,
    is_similar === false ? 'more distant' : null,
    found_by,
    identity === null ? null : `${percent(identity)} identical`,
    covered === null ? null : `over ${percent(covered)} of the protein`,
    groups.length === 0 ? source.evidence_code : `has it by: ${groups.join(', ')}`,
  ].filter((fact) => fact !== null);
}
