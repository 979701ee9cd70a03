import { Loader } from '@mantine/core';
import type { PredictionSetDetail, TermEvidence } from '../../app/api/predictions.js';
import { percent } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { alignmentBlocks, type AlignedSpan, spansOf } from './alignment-blocks.js';
import styles from './alignment-view.module.css';
import { Track } from './track.js';
import { useTermEvidence } from './use-results.js';

interface Props {
  set: PredictionSetDetail;
  query: string;
  goId: string;
  source: string;
}

/** Shows the alignment of the protein with a source protein, letter by letter, and the part of each that is aligned. */
export function AlignmentView({ set, query, goId, source }: Props) {
  const { data, error } = useTermEvidence(set, query, goId, source);
  if (data === undefined) {
    return (
      <div className={styles.view}>
        {error === null ? (
          <Loader size="xs" role="status" aria-label="Aligning" />
        ) : (
          <ProblemNote error={error} />
        )}
      </div>
    );
  }
  if (data.alignment === null)
    return <p className={styles.view}>The two have nothing that can be aligned.</p>;
  const coverage = data.sources.find(({ accession }) => accession === source);
  return <Pair alignment={data.alignment} names={[query, source]} coverage={coverage} />;
}

interface PairProps {
  alignment: NonNullable<TermEvidence['alignment']>;
  names: [string, string];
  coverage: TermEvidence['sources'][number] | undefined;
}

function Pair({ alignment, names: [query, source], coverage }: PairProps) {
  const spans = spansOf(alignment, coverage);
  const longest = Math.max(spans.query.length, spans.source.length);
  return (
    <div className={styles.view}>
      <Aligned name={query} span={spans.query} longest={longest} />
      <Aligned name={source} span={spans.source} longest={longest} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reachable by keyboard */}
      <section className={styles.letters} tabIndex={0} aria-label={`Alignment of ${query} with ${source}`}>
        {alignmentBlocks(alignment).map((block) => (
          <pre key={block.queryStart} className={styles.block}>
            {`${name('This protein')} ${position(block.queryStart)} ${block.query} ${block.queryEnd}\n`}
            {`${name('')} ${position(null)} ${block.marks}\n`}
            {`${name(source)} ${position(block.sourceStart)} ${block.source} ${block.sourceEnd}`}
          </pre>
        ))}
      </section>
    </div>
  );
}

const name = (text: string) => text.slice(0, 12).padEnd(12);
const position = (at: number | null) => String(at ?? '').padStart(5);

function Aligned({ name: label, span, longest }: { name: string; span: AlignedSpan; longest: number }) {
  const { start, end, length } = span;
  return (
    <Track label={label} length={length} longest={longest} parts={[span]}>
      {start} to {end} of {length} ({percent((end - start + 1) / length)})
    </Track>
  );
}
