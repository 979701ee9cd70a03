import { Button } from '@mantine/core';
import { referenceFacts } from '@kindred/contracts/reference-facts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Reference, useForRuns } from '../../app/api/reference-builds.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './references.module.css';

/** Shows what a build made, as the command line does, and lets the operator choose it for runs. */
export function Summary({ built, onAgain }: { built: Reference; onAgain: () => void }) {
  const queries = useQueryClient();
  const use = useMutation({
    mutationFn: () => useForRuns(built),
    onSuccess: () => queries.invalidateQueries(),
  });
  const isUsed = built.is_default || use.isSuccess;
  return (
    <Panel title={`${built.name}@${built.version} is ${built.status}`}>
      <dl className={styles.facts} aria-label="Summary of the reference">
        {referenceFacts(built, 'choose “Test it” below').map(([label, text], at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order
          <div key={at}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {use.isError && <ProblemNote error={use.error} title="Not chosen" />}
      {isUsed && <p role="status">Runs use it where their owner names nothing.</p>}
      <div className={styles.acts}>
        {!isUsed && (
          <Button loading={use.isPending} onClick={() => use.mutate()}>
            Use it for runs
          </Button>
        )}
        <Button variant="default" onClick={onAgain}>
          Build another
        </Button>
      </div>
    </Panel>
  );
}
