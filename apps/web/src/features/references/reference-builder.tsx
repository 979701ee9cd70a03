import '@mantine/core/styles/Progress.css';
import { Button, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  beginBuild,
  type ChosenBuild,
  type Doing,
  followBuild,
  listReferences,
  type Reference,
} from '../../app/api/reference-builds.js';
import { percent } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { useMayCall } from '../account/use-may-call.js';
import { InstallPack } from './install-pack.js';
import { OwnFiles } from './own-files.js';
import { PublishedProteins } from './published-proteins.js';
import { ReferenceList } from './reference-list.js';
import styles from './references.module.css';
import { Summary } from './summary.js';

const ways = [
  { key: 'published', label: 'Published proteins' },
  { key: 'files', label: 'Your own files' },
  { key: 'pack', label: 'A packed reference' },
] as const;

/** Builds a reference in the browser: what to build it from, what that takes, one progress, and the summary. Below are all references. */
export function References() {
  const mayCall = useMayCall();
  return (
    <>
      {mayCall('POST /references') && <Builder />}
      <ReferenceList />
    </>
  );
}

function Builder() {
  const [way, setWay] = useState<(typeof ways)[number]['key']>('published');
  const [now, setNow] = useState<Doing>({ doing: '', share: 0 });
  const queries = useQueryClient();
  const build = useMutation({
    mutationFn: async (chosen: ChosenBuild | Reference) => {
      setNow({ doing: 'starting', share: 0 });
      const begun = 'bring' in chosen ? await beginBuild(chosen.name, await chosen.bring(setNow)) : chosen;
      return followBuild(begun, setNow);
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const open = useUnfinished();
  if (build.isPending) return <Doings now={now} />;
  if (build.isSuccess) return <Summary built={build.data} onAgain={() => build.reset()} />;
  return (
    <Panel title="Build a reference">
      {open !== undefined && (
        <p>
          {open.name}@{open.version} is being built.{' '}
          <Button size="compact-sm" variant="default" onClick={() => build.mutate(open)}>
            Watch it
          </Button>
        </p>
      )}
      <fieldset className={styles.ways}>
        <legend>From</legend>
        {ways.map(({ key, label }) => (
          <label key={key}>
            <input type="radio" name="way" checked={way === key} onChange={() => setWay(key)} /> {label}
          </label>
        ))}
      </fieldset>
      {way === 'published' && <PublishedProteins onBuild={build.mutate} />}
      {way === 'files' && <OwnFiles onBuild={build.mutate} />}
      {way === 'pack' && <InstallPack />}
      {build.isError && (
        <>
          <ProblemNote error={build.error} title="No reference was built" />
          <p>
            What was sent or downloaded is kept for a week: mend the cause and build again; it goes on from
            there.
          </p>
        </>
      )}
    </Panel>
  );
}

/** Finds a build that goes on, from before the page was loaded. */
function useUnfinished(): Reference | undefined {
  const list = useQuery({ queryKey: ['references'], queryFn: listReferences });
  return list.data?.find(({ status, job_id }) => status === 'building' && job_id !== null);
}

function Doings({ now: { doing, share } }: { now: Doing }) {
  return (
    <Panel title="Building the reference">
      <p role="status">
        {percent(share)}: {doing}
      </p>
      <Progress value={100 * share} aria-label="Progress of the build" />
      <p>
        Stay here while files are sent or downloaded. After that you may leave: the build goes on, and this
        page offers to watch it.
      </p>
    </Panel>
  );
}
