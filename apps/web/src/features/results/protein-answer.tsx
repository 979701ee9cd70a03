import '@mantine/core/styles/Switch.css';
import '@mantine/core/styles/Tabs.css';
import { Button, Switch, Tabs } from '@mantine/core';
import type { Aspect } from '@kindred/contracts';
import { type ReactNode, useState } from 'react';
import type { Answer, PredictionSetDetail } from '../../app/api/predictions.js';
import { aspectMeanings, aspectNames, aspectOrder, isAspect } from '../../shared/aspect.js';
import { readHeader } from '../../shared/fasta.js';
import { plural } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { AnswerTable } from './answer-table.js';
import { headlineOf } from './headline.js';
import { KnownAnnotations } from './known-annotations.js';
import styles from './results.module.css';
import { useAnswer } from './use-results.js';

interface Props {
  set: PredictionSetDetail;
  accession: string;
  /** The line of the FASTA file, if it is known. */
  header: string | undefined;
  sources: ReactNode;
  aspect: Aspect | undefined;
  onAspect: (aspect: Aspect) => void;
}

/** The answer for one protein: what is known of it first, then predictions, or why there are none. */
export function ProteinAnswer({ set, accession, header, sources, aspect, onAspect }: Props) {
  const [all, setAll] = useState(false);
  const answer = useAnswer(set, accession, all);
  const { name, organism } = readHeader(header ?? '');
  return (
    <>
      <section className={styles.protein} aria-label={`Answer for ${accession}`}>
        <header>
          <h2 className={styles.accession}>{accession}</h2>
          {(name !== '' || organism !== null) && (
            <p className={styles.about}>{[name, organism].filter(Boolean).join(' · ')}</p>
          )}
        </header>
        <Loaded query={answer}>
          {(found) => (
            <>
              <Headline answer={found} />
              {found.known !== null && <KnownAnnotations known={found.known} />}
              {found.terms.length === 0 ? (
                <NoAnswer answer={found} />
              ) : (
                <AnswerTabs answer={found} aspect={aspect} onAspect={onAspect} />
              )}
              <Contradicted terms={found.contradicted} />
              <LeftOut answer={found} all={all} onAll={setAll} />
            </>
          )}
        </Loaded>
      </section>
      {!answer.isPending && sources}
    </>
  );
}

function Headline({ answer }: { answer: Answer }) {
  const sentence = headlineOf(answer);
  return sentence === null ? null : <p className={styles.headline}>{sentence}</p>;
}

function NoAnswer({ answer: { no_answer } }: { answer: Answer }) {
  const why = no_answer?.sentence ?? 'No term has other support than its frequency.';
  return (
    <p className={styles.empty}>
      No prediction. {why} Absence of a prediction does not mean absence of a function.
    </p>
  );
}

/** Terms that a taxon constraint or a NOT annotation contradicts stay visible, struck through, with the rule. */
function Contradicted({ terms }: { terms: Answer['contradicted'] }) {
  if (terms.length === 0) return null;
  return (
    <details>
      <summary>{plural(terms.length, 'term')} left out because something speaks against it</summary>
      <AnswerTable terms={terms} />
    </details>
  );
}

function LeftOut({
  answer: { left_out },
  all,
  onAll,
}: {
  answer: Answer;
  all: boolean;
  onAll: (all: boolean) => void;
}) {
  if (left_out.terms === 0 && !all) return null;
  const words = all ? 'Show only the answer' : `Show ${plural(left_out.terms, 'less certain term')} too`;
  return (
    <p className={styles.small}>
      {!all &&
        `Left out: ${plural(left_out.terms, 'term')} below a probability of ${left_out.probability_below * 100} % (or, where there is none, a score of ${left_out.score_below}). `}
      <Button variant="subtle" size="compact-sm" onClick={() => onAll(!all)}>
        {words}
      </Button>
    </p>
  );
}

interface TabsProps {
  answer: Answer & { implied: ReadonlySet<string> };
  aspect: Aspect | undefined;
  onAspect: (aspect: Aspect) => void;
}

function AnswerTabs({ answer: { terms, implied }, aspect, onAspect }: TabsProps) {
  const [withImplied, setWithImplied] = useState(false);
  const counts = Object.fromEntries(
    aspectOrder.map((one) => [one, terms.filter((term) => term.aspect === one).length]),
  ) as Record<Aspect, number>;
  const shown = aspect ?? terms[0]?.aspect ?? aspectOrder[0];
  const ofAspect = terms.filter((term) => term.aspect === shown);
  const specific = ofAspect.filter((term) => !implied.has(term.go_id));
  const folded = ofAspect.length - specific.length;
  return (
    <Tabs
      value={shown}
      onChange={(value) => isAspect(value) && onAspect(value)}
      classNames={{ list: styles.tabs, tab: styles.tab }}
    >
      <Tabs.List>
        {aspectOrder.map((candidate) => (
          <Tabs.Tab key={candidate} value={candidate} data-aspect={candidate}>
            {aspectNames[candidate]} <span className={styles.tabCount}>{counts[candidate]}</span>
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown} className={styles.panel}>
        <div className={styles.legend}>
          <p>
            {aspectNames[shown]}: {aspectMeanings[shown]}. Probable and informative terms come first.
            {isUncalibrated(ofAspect) &&
              ' Not calibrated: the scores order the terms, but no probability was measured for such proteins.'}
          </p>
          {folded > 0 && (
            <Switch
              label={`Show ${plural(folded, 'implied term')} too`}
              checked={withImplied}
              onChange={(event) => setWithImplied(event.currentTarget.checked)}
            />
          )}
        </div>
        {ofAspect.length === 0 ? (
          <p className={styles.empty}>No {aspectNames[shown].toLowerCase()} is predicted for this protein.</p>
        ) : (
          <AnswerTable terms={withImplied ? ofAspect : specific} />
        )}
      </Tabs.Panel>
    </Tabs>
  );
}

function isUncalibrated(terms: Answer['terms']): boolean {
  return terms.length > 0 && terms.every((term) => term.probability === null);
}
