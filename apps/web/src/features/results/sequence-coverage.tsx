import { useQuery } from '@tanstack/react-query';
import { type Coverage, getCoverage, type PredictionSetDetail } from '../../app/api/predictions.js';
import { percent, plural } from '../../shared/format.js';
import { interproAddress, uniprotAddress } from '../../shared/links.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { coverageSentence, isClear, type SignatureRow, signatureRows } from './coverage-model.js';
import results from './results.module.css';
import styles from './sequence-coverage.module.css';
import { Track } from './track.js';

/** Draws which part of the protein each source covers, and its signatures of InterPro. */
export function SequenceCoverage({ set, accession }: { set: PredictionSetDetail; accession: string }) {
  const query = useQuery({
    queryKey: ['coverage', set.id, set.status, accession],
    queryFn: () => getCoverage(set.id, accession),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, error } = query;
  if (data !== undefined && isEmpty(data)) return null;
  return (
    <section className={styles.coverage} aria-label="What covers the sequence">
      <h3>What covers the sequence</h3>
      {data !== undefined && <Tracks coverage={data} />}
      {data === undefined && error !== null && <ProblemNote error={error} />}
      {data === undefined && error === null && (
        <p className={results.small} role="status" aria-label="Loading the alignments">
          The sources are being aligned …
        </p>
      )}
    </section>
  );
}

/** Says that there is nothing to draw: no prediction names a source, and no signature is loaded. */
function isEmpty({ sources, signatures, left_out }: Coverage): boolean {
  return sources.length + signatures.length + left_out.without_alignment.length === 0;
}

function Tracks({ coverage }: { coverage: Coverage }) {
  const { accession, length, sources, signatures, left_out } = coverage;
  return (
    <>
      <p className={results.small}>{coverageSentence(coverage)}</p>
      <Track label={accession} length={length} longest={length} parts={[]}>
        1 to {length}
      </Track>
      {sources.map((source) => (
        <Track
          key={source.accession}
          label={<Link text={source.accession} address={uniprotAddress(source.accession)} />}
          length={length}
          longest={length}
          parts={[{ ...source, isFaint: !isClear(source) }]}
        >
          {source.start} to {source.end}, {percent(source.identity)} identical, {plural(source.terms, 'term')}
          {isClear(source) ? '' : '; may be chance'}
        </Track>
      ))}
      {signatureRows(signatures).map((row) => (
        <Signature key={`${row.database} ${row.signature} ${row.entry}`} row={row} length={length} />
      ))}
      <p className={results.small}>
        {signatures.length === 0
          ? 'No signatures of InterPro are loaded for this sequence. '
          : `Signatures of InterPro ${signatures[0]?.interpro_release ?? ''}. `}
        {left_out.further > 0 &&
          `Not drawn: ${plural(left_out.further, 'further source')} with fewer terms. `}
        {left_out.without_alignment.length > 0 &&
          `Not aligned: ${left_out.without_alignment.join(', ')} (deleted since, too long, or without a similar residue).`}
      </p>
    </>
  );
}

function Signature({
  row: { database, signature, entry, parts },
  length,
}: {
  row: SignatureRow;
  length: number;
}) {
  const name = signature ?? entry ?? database;
  return (
    <Track
      label={<Link text={name} address={entry === null ? null : interproAddress(entry)} />}
      length={length}
      longest={length}
      parts={parts}
    >
      {parts.map(({ start, end }) => `${start} to ${end}`).join(', ')}, {database}
    </Track>
  );
}

function Link({ text, address }: { text: string; address: string | null }) {
  if (address === null) return <span title={text}>{text}</span>;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
