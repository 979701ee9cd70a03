import '@mantine/core/styles/Switch.css';
import '@mantine/core/styles/Tabs.css';
import { Button, Switch, Tabs } from '@mantine/core';
import type { Aspect } from '@kindred/contracts';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Answer, PredictionSetDetail } from '../../app/api/predictions.js';
import { madeWith } from '../../shared/made-with.js';
import { aspectMeanings, aspectNames, aspectOrder, isAspect } from '../../shared/aspect.js';
import { plural } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { ancestorGraph, mostPredicted } from './ancestor-graph-model.js';
import { AnswerTable } from './answer-table.js';
import { answerTree } from './answer-tree.js';
import { Elsewhere } from './elsewhere.js';
import { headlineOf } from './headline.js';
import { KnownAnnotations, NamesakeNote } from './known-annotations.js';
import { NoAnswer } from './no-answer.js';
import styles from './results.module.css';
import { PrintReport } from './print-report.js';
import { useAncestry, useAnswer } from './use-results.js';
import { useView } from './use-view.js';

/** This part is loaded later, because only few visitors want the layout of a graph. */
const AncestorGraph = lazy(async () => ({ default: (await import('./ancestor-graph.js')).AncestorGraph }));

const SequenceCoverage = lazy(async () => ({
  default: (await import('./sequence-coverage.js')).SequenceCoverage,
}));

const ProteinOtherPrograms = lazy(async () => ({
  default: (await import('./protein-other-programs.js')).ProteinOtherPrograms,
}));

interface Props {
  set: PredictionSetDetail;
  accession: string;
  sources: ReactNode;
  aspect: Aspect | undefined;
  onAspect: (aspect: Aspect) => void;
}

/** Shows the answer for one protein: what is known of it first, then predictions, or why there are none. */
export function ProteinAnswer({ set, accession, sources, aspect, onAspect }: Props) {
  const [{ all = false }, change] = useView();
  const answer = useAnswer(set, accession, all);
  const { title, about } = namesOf(accession, answer.data);
  return (
    <>
      <section className={styles.protein} aria-label={`Answer for ${accession}`}>
        <header>
          <h2 className={styles.accession}>{title}</h2>
          {about !== '' && <p className={styles.about}>{about}</p>}
        </header>
        <Loaded query={answer}>
          {(found) => (
            <>
              {found.sequence_only !== null && <p className={styles.small}>{found.sequence_only.sentence}</p>}
              <Headline answer={found} />
              <PredictedName of={found.predicted_name} />
              {set.more_references.length > 0 && found.terms.length > 0 && found.reference !== null && (
                <p className={styles.small}>
                  From {found.reference}, which fits it best of {set.more_references.length + 1} references.
                </p>
              )}
              {found.is_namesake && <NamesakeNote accession={accession} />}
              {found.known !== null && <KnownAnnotations set={set} query={accession} known={found.known} />}
              {found.terms.length === 0 ? (
                <NoAnswer set={set} answer={found} />
              ) : (
                <AnswerTabs set={set} answer={found} aspect={aspect} onAspect={onAspect} />
              )}
              <Contradicted set={set} accession={accession} terms={found.contradicted} />
              <LeftOut answer={found} all={all} onAll={(next) => change({ all: next || undefined })} />
              <Suspense>
                <ProteinOtherPrograms set={set} accession={accession} />
                <SequenceCoverage set={set} accession={accession} />
              </Suspense>
              <Elsewhere answer={found} />
              <PrintReport answer={found} />
            </>
          )}
        </Loaded>
      </section>
      {!answer.isPending && sources}
    </>
  );
}

/** Returns the name of a protein; then its other names, and its organism. */
function namesOf(accession: string, answer: Answer | undefined): { title: string; about: string } {
  if (answer === undefined) return { title: accession, about: '' };
  const { known, protein_name: name, gene_name, organism } = answer;
  const others = [
    known === null || known.accession === accession ? null : known.accession,
    gene_name,
    organism,
  ];
  return {
    title: name === null ? accession : `${name} (${accession})`,
    about: others.filter(Boolean).join(' · '),
  };
}

/** Shows the headline of the first lines, as the tabs show them. */
function Headline({ answer }: { answer: Answer }) {
  const sentence = headlineOf(answer);
  return sentence === null ? null : <p className={styles.headline}>{sentence}</p>;
}

/** Shows the product name on which the sources agree, and on how many of them it rests. */
function PredictedName({ of }: { of: Answer['predicted_name'] }) {
  if (of === null) return null;
  const { sources, compared } = of;
  const who =
    compared === 1
      ? 'One similar protein with a name has it'
      : `${sources.length} of the ${compared} nearest proteins with a name agree on it`;
  return (
    <p className={styles.small}>
      Predicted name: <strong>{of.name}</strong>. {who} ({sources.join(', ')}; {Math.floor(of.identity * 100)}{' '}
      % identical residues in the nearest).
    </p>
  );
}

interface ContradictedProps {
  set: PredictionSetDetail;
  accession: string;
  terms: Answer['contradicted'];
}

/** Shows the terms that a taxon constraint or a NOT annotation contradicts, struck through, with the rule. */
function Contradicted({ set, accession, terms }: ContradictedProps) {
  if (terms.length === 0) return null;
  return (
    <details open className={styles.onScreen}>
      <summary>{plural(terms.length, 'term')} left out because something speaks against it</summary>
      <AnswerTable set={set} accession={accession} trees={terms.map((term) => ({ term, broader: [] }))} />
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
    <p className={`${styles.small} ${styles.onScreen}`}>
      {!all &&
        `Left out: ${plural(left_out.terms, 'term')} below a probability of ${left_out.probability_below * 100} % (or, where there is none, a score of ${left_out.score_below}). `}
      <Button variant="subtle" size="compact-sm" onClick={() => onAll(!all)}>
        {words}
      </Button>
    </p>
  );
}

interface TabsProps {
  set: PredictionSetDetail;
  answer: Answer;
  aspect: Aspect | undefined;
  onAspect: (aspect: Aspect) => void;
}

function AnswerTabs({ set, answer, aspect, onAspect }: TabsProps) {
  const [{ implied: withImplied, graph, all, open }, change] = useView();
  // Known terms are shown above, so they are left out here unless somebody asks for their prediction.
  const terms = answer.terms.filter(
    ({ is_known, go_id }) => is_known !== true || all === true || go_id === open,
  );
  const counts = Object.fromEntries(
    aspectOrder.map((one) => [one, terms.filter((term) => term.aspect === one).length]),
  ) as Record<Aspect, number>;
  const shown = aspect ?? terms[0]?.aspect ?? aspectOrder[0];
  const ofAspect = terms.filter((term) => term.aspect === shown);
  const trees = answerTree(ofAspect);
  const folded = ofAspect.length - trees.length;
  return (
    <Tabs
      value={shown}
      onChange={(value) => isAspect(value) && onAspect(value)}
      className={styles.onScreen}
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
            {aspectNames[shown]}: {aspectMeanings[shown]}. The more certain come first, of near equals the
            more specific; very general terms last. Choose one for its evidence.
            {isUncalibrated(ofAspect) && ` ${whyUncalibrated(set, answer.header, shown)}`}
            {ofAspect.some(isHeld) && ` ${heldMeans}`}
          </p>
          <div className={styles.switches}>
            {folded > 0 && (
              <Switch
                label={`Show ${plural(folded, 'implied term')} too`}
                checked={withImplied ?? false}
                onChange={(event) => change({ implied: event.currentTarget.checked || undefined })}
              />
            )}
            {ofAspect.length > 0 && (
              <Switch
                label="Graph, to save as a figure"
                checked={graph ?? false}
                onChange={(event) => change({ graph: event.currentTarget.checked || undefined })}
              />
            )}
          </div>
        </div>
        {ofAspect.length === 0 ? (
          <p className={styles.empty}>
            No {aspectNames[shown].toLowerCase()} is predicted for this protein
            {answer.known === null ? '' : ' beyond what is known'}.
          </p>
        ) : (
          <>
            {graph === true && (
              <AnswerGraph
                set={set}
                answer={answer}
                aspect={shown}
                predicted={trees.map(({ term }) => term)}
              />
            )}
            <AnswerTable key={shown} set={set} accession={answer.accession} trees={trees} />
          </>
        )}
      </Tabs.Panel>
    </Tabs>
  );
}

interface GraphProps {
  set: PredictionSetDetail;
  answer: Answer;
  aspect: Aspect;
  predicted: Answer['terms'];
}

/** Shows a graph of the terms and all terms above them, which is fetched when somebody opens it. */
function AnswerGraph({ set, answer: { accession, known }, aspect, predicted }: GraphProps) {
  const shown = predicted.slice(0, mostPredicted);
  const had = known?.terms.filter((term) => term.aspect === aspect && !term.is_negated) ?? [];
  const knownIds = had.map((term) => term.go_id);
  const ancestry = useAncestry(set, [...new Set([...shown.map(({ go_id }) => go_id), ...knownIds])]);
  return (
    <Suspense fallback={<div className={styles.waiting} />}>
      <Loaded query={ancestry}>
        {(found) => (
          <AncestorGraph
            title={`${aspectNames[aspect]} of ${accession}`}
            reference={madeWith(set)}
            model={ancestorGraph(shown, knownIds, found)}
          />
        )}
      </Loaded>
    </Suspense>
  );
}

/** Says why no term of an aspect has a probability, and what would help. */
function whyUncalibrated({ method }: PredictionSetDetail, header: string | null, aspect: Aspect): string {
  if (method !== 'combined') return 'Not calibrated: the method of this run has no probabilities.';
  if (aspect === 'C')
    return 'Not calibrated: how often scores of components are right differs too much between organisms.';
  return /\bOX=\d/.test(header ?? '')
    ? 'Not calibrated: the taxonomy of the service lacks the organism, or nothing was measured for its kingdom.'
    : 'Not calibrated: the organism is not known. Name it in the header (OX=9606) or in the settings of a run.';
}

/** Says what the percentages mean for a reference with unrecorded evidence, or without any experiment. */
const heldMeans =
  'Certainty says how often the databases hold such a term for the protein, by any evidence; no experiment yet is not the same as wrong.';

function isHeld({ probability_meaning }: Answer['terms'][number]): boolean {
  return probability_meaning === 'held by the databases';
}

function isUncalibrated(terms: Answer['terms']): boolean {
  return terms.length > 0 && terms.every((term) => term.probability === null);
}
