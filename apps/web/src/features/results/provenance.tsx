import { embeddingText } from '@kindred/contracts/embedding-text';
import { namesakesText } from '@kindred/contracts/resources/answers';
import { methodText } from '@kindred/contracts/resources/exports';
import { hitsOfSet, hitsText } from '@kindred/contracts/search-hits';
import { notChecked } from '@kindred/contracts/resources/prediction-sets';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { testsOfRun } from '../../app/api/references.js';
import { sourceChoiceNames } from '../../shared/evidence.js';
import { formatDay, formatTime, plural } from '../../shared/format.js';
import { GlossaryWord, type WordOfGlossary } from '../../shared/glossary-word.js';
import { madeWith } from '../../shared/made-with.js';
import { Panel } from '../../shared/page.js';
import { CitePanel } from './cite-panel.js';
import styles from './results.module.css';

/** Shows the releases and settings with which the set was made. */
export function Provenance({ set }: { set: PredictionSetDetail }) {
  const reference = madeWith(set);
  const unchecked = notChecked(set);
  const hits = hitsOfSet(set.parameters);
  const tests = useQuery({ queryKey: ['reference-tests', set.id], queryFn: () => testsOfRun(set) });
  const facts: [string, string, WordOfGlossary?][] = [
    ...(reference === null ? [] : [['Reference', reference] as [string, string]]),
    ...(tests.data ?? []).map(([name, found]): [string, string] => [`Test of ${name}`, found]),
    ['Annotations', set.annotation_set_label ?? 'none', 'Annotation set'],
    ['Gene Ontology', formatDay(set.ontology_snapshot_version), 'Ontology snapshot'],
    ['Similarity model', embeddingText(set) ?? 'none', 'Embedding configuration'],
    ['Compared with', comparedWith(set)],
    [
      'Method',
      set.runner === null ? set.method : `${methodText(set)}, a runner: its scores are not calibrated`,
    ],
    ...Object.entries(sourceChoiceNames).flatMap(([name, words]): [string, string][] => {
      const chosen = set.parameters[name];
      return Array.isArray(chosen) ? [[words, chosen.join(', ')]] : [];
    }),
    ...(set.statistics.namesakes === 0 || set.statistics.namesakes === null
      ? []
      : [['Names', namesakesText(set.statistics.namesakes)] as [string, string]]),
    ...(hits === null ? [] : [['Hits of another program', hitsText(hits)] as [string, string]]),
    ...unchecked.map((sentence): [string, string] => ['Not checked', sentence]),
    ['Made', formatTime(set.created_at)],
    ['In lists of', set.visibility === 'listed' ? 'everyone' : 'its owner and the operators', 'Visibility'],
  ];
  return (
    <Panel title="Sources">
      <p>{inShort(set)}</p>
      <details>
        <summary>All sources and versions</summary>
        <dl className={styles.facts}>
          {facts.map(([name, value, entry]) => (
            <div key={name}>
              <dt>{entry === undefined ? name : <GlossaryWord entry={entry}>{name}</GlossaryWord>}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      <CitePanel set={set} />
      {set.job_id !== null && (
        <p className={styles.small}>
          <Link to="/jobs/$jobId" params={{ jobId: set.job_id }}>
            Technical log of this run
          </Link>
        </p>
      )}
    </Panel>
  );
}

/** Names the references, the ontology and the method in one line, each hash by its first letters. */
function inShort(set: PredictionSetDetail): string {
  const made = madeWith(set)?.replaceAll(/(SHA-256 [0-9a-f]{12})[0-9a-f]+/g, '$1…');
  return [
    made ?? set.annotation_set_label,
    `Gene Ontology of ${formatDay(set.ontology_snapshot_version)}`,
    `method ${methodText(set)}`,
    `made ${formatTime(set.created_at)}`,
  ]
    .filter((part) => part != null)
    .join(' · ');
}

function comparedWith({ limit_per_entry, method, distance_threshold }: PredictionSetDetail): string {
  if (limit_per_entry === 0) return `no similar proteins (${method})`;
  const limit = distance_threshold === null ? '' : ', within a distance that the run set';
  return `the ${plural(limit_per_entry, 'most similar protein')} of each${limit}`;
}
