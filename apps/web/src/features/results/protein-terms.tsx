import '@mantine/core/styles/Switch.css';
import '@mantine/core/styles/Tabs.css';
import { Switch, Tabs } from '@mantine/core';
import type { Aspect } from '@kindred/contracts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { getPredictedProteins, type PredictionSetDetail } from '../../app/api/predictions.js';
import { aspectMeanings, aspectNames, aspectOrder, isAspect } from '../../shared/aspect.js';
import { readHeader } from '../../shared/fasta.js';
import { plural } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { scoreScale } from '../../shared/score.js';
import styles from './results.module.css';
import { countByAspect, type FoldedCall } from './term-calls.js';
import { TermTable } from './term-table.js';
import { useKnownTerms, useTermCalls } from './use-results.js';

interface Props {
  set: PredictionSetDetail;
  accession: string;
  /** The line of the FASTA file, if it is known. */
  header: string | undefined;
  sources: ReactNode;
  aspect: Aspect | undefined;
  onAspect: (aspect: Aspect) => void;
}

/** What is predicted for one protein. */
export function ProteinTerms({ set, accession, header, sources, aspect, onAspect }: Props) {
  const calls = useTermCalls(set, accession);
  const known = useKnownTerms(set, accession, useIsInCatalogue(set.id, accession));
  const { name, organism } = readHeader(header ?? '');
  return (
    <>
      <section className={styles.protein} aria-label={`Predictions for ${accession}`}>
        <header>
          <h2 className={styles.accession}>{accession}</h2>
          {(name !== '' || organism !== null) && (
            <p className={styles.about}>{[name, organism].filter(Boolean).join(' · ')}</p>
          )}
        </header>
        <Loaded query={calls}>
          {(terms) =>
            terms.length === 0 ? (
              <NoTerms set={set} />
            ) : (
              <TermTabs
                set={set}
                accession={accession}
                terms={terms}
                known={known.data}
                aspect={aspect}
                onAspect={onAspect}
              />
            )
          }
        </Loaded>
      </section>
      {!calls.isPending && sources}
    </>
  );
}

function useIsInCatalogue(setId: string, accession: string): boolean {
  const found = useQuery({
    queryKey: ['in-catalogue', setId, accession],
    queryFn: async () => {
      const { items } = await getPredictedProteins(setId, accession, 0);
      return items.some((item) => item.accession === accession && item.in_db);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return found.data ?? false;
}

function NoTerms({ set }: { set: PredictionSetDetail }) {
  const reason =
    set.distance_threshold === null
      ? `none of its ${plural(set.limit_per_entry, 'nearest neighbour')} has a term to transfer`
      : `no annotated neighbour is within the distance of ${set.distance_threshold} that this run allowed`;
  return (
    <p className={styles.empty}>
      No prediction: {reason}. Absence of a prediction does not mean absence of a function.
    </p>
  );
}

interface TabsProps {
  set: PredictionSetDetail;
  accession: string;
  terms: FoldedCall[];
  known: ReadonlySet<string> | undefined;
  aspect: Aspect | undefined;
  onAspect: (aspect: Aspect) => void;
}

function TermTabs({ set, accession, terms, known, aspect, onAspect }: TabsProps) {
  const [withBroader, setWithBroader] = useState(false);
  const counts = countByAspect(terms);
  const shown = aspect ?? aspectOrder.find((candidate) => counts[candidate] > 0) ?? 'P';
  const ofAspect = terms.filter((term) => term.aspect === shown);
  const broader = ofAspect.filter((term) => term.isBroader).length;
  const scale = scoreScale(set.metric);
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
            {aspectNames[shown]}: {aspectMeanings[shown]}. Score = {scale.formula}: {scale.words}.
          </p>
          {broader > 0 && (
            <Switch
              label={`Show ${plural(broader, 'implied term')} too`}
              checked={withBroader}
              onChange={(event) => setWithBroader(event.currentTarget.checked)}
            />
          )}
        </div>
        {ofAspect.length === 0 ? (
          <p className={styles.empty}>No {aspectNames[shown].toLowerCase()} is predicted for this protein.</p>
        ) : (
          <TermTable
            set={set}
            accession={accession}
            terms={withBroader ? ofAspect : ofAspect.filter((term) => !term.isBroader)}
            known={known}
          />
        )}
      </Tabs.Panel>
    </Tabs>
  );
}
