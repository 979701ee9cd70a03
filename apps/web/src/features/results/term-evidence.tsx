import { roundedProbability, supportSentence } from '@kindred/contracts/answer-columns';
import { stretchSentence } from '@kindred/contracts/sequence-only';
import { Button, Loader } from '@mantine/core';
import { Fragment, useState } from 'react';
import type { Answer, PredictionSetDetail, TermEvidence } from '../../app/api/predictions.js';
import { evidenceGroupNames } from '../../shared/evidence.js';
import { percent } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { TermLink } from '../../shared/term-link.js';
import { ObsoleteNote } from './obsolete-note.js';
import { modelReasons, scoreParts, type ScorePart } from './score-parts.js';
import { AnnotationList, SourceProtein } from './source-protein.js';
import styles from './term-evidence.module.css';
import { useTermEvidence, useTermMeaning } from './use-results.js';

/** A term that is known or predicted. */
type Term = Pick<Answer['terms'][number], 'go_id' | 'obsolete'>;

interface Props {
  set: PredictionSetDetail;
  accession: string;
  term: Term;
}

/** Shows the meaning of a term and the parts of its score, which are fetched when the panel is opened. */
export function TermEvidencePanel({ set, accession, term }: Props) {
  const evidence = useTermEvidence(set, accession, term.go_id);
  return (
    <div className={styles.panel}>
      {term.obsolete !== undefined && <ObsoleteNote obsolete={term.obsolete} />}
      <Meaning snapshotId={set.ontology_snapshot_id} goId={term.go_id} />
      {evidence.data !== undefined && <Grounds set={set} evidence={evidence.data} />}
      {evidence.isPending && (
        <p className={styles.muted}>
          <Loader size="xs" role="status" aria-label="Reading the evidence" /> Reading what this rests on
        </p>
      )}
      {evidence.error !== null && evidence.data === undefined && <ProblemNote error={evidence.error} />}
    </div>
  );
}

function Meaning({ snapshotId, goId }: { snapshotId: string; goId: string }) {
  const { data } = useTermMeaning(snapshotId, goId);
  return (
    <div className={styles.meaning}>
      <p>{data === undefined ? '\u00a0' : (data.definition ?? 'The ontology has no definition of it.')}</p>
      {data !== undefined && data.path.length > 1 && (
        <nav aria-label="Path to the root" className={styles.path}>
          {data.path.map((step, at) => (
            <Fragment key={step.goId}>
              {at > 0 && <span aria-hidden="true"> › </span>}
              <TermLink goId={step.goId} name={step.name.replaceAll('_', ' ')} />
            </Fragment>
          ))}
        </nav>
      )}
    </div>
  );
}

/** The number of proteins that are shown at first, because a term may have 50. */
const shownAtFirst = 5;

function Grounds({ set, evidence }: { set: PredictionSetDetail; evidence: TermEvidence }) {
  const [all, setAll] = useState(false);
  const { sources, through, model, score } = evidence;
  const shown = all ? sources : sources.slice(0, shownAtFirst);
  const parts = scoreParts(evidence);
  return (
    <>
      {through !== null && through !== evidence.go_id && (
        <p>
          It follows from the more specific term <TermLink goId={through} name={through} />, whose score it
          has.
        </p>
      )}
      <div className={styles.columns}>
        {score !== null && parts.length > 0 && (
          <Bars
            title={`Score ${score.toFixed(2)} is the sum of`}
            parts={parts}
            words={({ added }) => added.toFixed(2)}
          />
        )}
        {model !== null && (
          <Bars
            title="What moved the trained model"
            parts={modelReasons(model.features)}
            words={({ added }) => (added > 0 ? 'for it' : 'against')}
          />
        )}
      </div>
      {evidence.stretch !== null && <p>{stretchSentence(evidence.stretch)}</p>}
      <Rates rates={evidence.probabilities} />
      <Own evidence={evidence} />
      {score !== null && <h3 className={styles.title}>{supportSentence(evidence, sources)}</h3>}
      <ul className={styles.sources}>
        {shown.map((source) => (
          <SourceProtein
            key={source.accession}
            set={set}
            query={evidence.accession}
            goId={evidence.go_id}
            source={source}
            score={score}
          />
        ))}
      </ul>
      {sources.length > shown.length && (
        <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
          Show all {sources.length} proteins
        </Button>
      )}
    </>
  );
}

/** Shows how often such a term is right, by each meaning of right that was measured. */
function Rates({ rates }: { rates: TermEvidence['probabilities'] }) {
  const rounded = (probability: number) => percent(roundedProbability(probability));
  return rates.map(({ meaning, probability, low, high, calibrated_on }) => (
    <p key={meaning}>
      In {rounded(probability)} of such cases the term is {meaning}
      {low !== null && high !== null && ` (95 % interval ${rounded(low)} to ${rounded(high)})`}; measured on{' '}
      {calibrated_on}.
    </p>
  ));
}

/** Shows what is known of the protein itself, with the papers. */
function Own({
  evidence: { go_id, own_evidence: own, own_annotations: annotations, denials },
}: {
  evidence: TermEvidence;
}) {
  return (
    <>
      {own.length > 0 && (
        <p>
          The protein itself is annotated with it: {own.map((group) => evidenceGroupNames[group]).join(', ')}.
        </p>
      )}
      <AnnotationList rows={annotations} goId={go_id} label="Annotations of the protein itself" />
      {denials.length > 0 && <p>Curators denied it to the protein itself (NOT):</p>}
      <AnnotationList rows={denials} goId={go_id} label="Annotations with NOT" />
    </>
  );
}

interface BarsProps {
  title: string;
  parts: readonly ScorePart[];
  words: (part: ScorePart) => string;
}

/** Shows names with bars whose lengths are in proportion to what each part adds. */
function Bars({ title, parts, words }: BarsProps) {
  const longest = Math.max(...parts.map(({ added }) => Math.abs(added)), Number.MIN_VALUE);
  if (parts.length === 0) return null;
  return (
    <div>
      <h3 className={styles.title}>{title}</h3>
      <ul className={styles.bars}>
        {parts.map((part) => (
          <li key={part.name} className={styles.bar}>
            <span title={part.about}>{part.name}</span>
            <span className={styles.track} aria-hidden="true">
              <span
                className={styles.fill}
                data-against={part.added < 0 || undefined}
                style={{ width: `${(100 * Math.abs(part.added)) / longest}%` }}
              />
            </span>
            <span className={styles.number}>{words(part)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
