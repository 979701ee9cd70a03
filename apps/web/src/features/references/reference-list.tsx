import { Button } from '@mantine/core';
import { referenceFacts } from '@kindred/contracts/reference-facts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dependentsOf } from '../../app/api/call-route.js';
import {
  deleteReference,
  listReferences,
  type Reference,
  testReference,
  useForRuns,
} from '../../app/api/reference-builds.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { formatDay, plural } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { useMayCall } from '../account/use-may-call.js';
import { CompareReferences } from './compare-references.js';
import { PackOfReference } from './pack-of-reference.js';
import styles from './references.module.css';

const nameOf = ({ name, version }: Reference) => `${name}@${version}`;

/** Lists the references with what can be done with each. */
export function ReferenceList() {
  const list = useQuery({ queryKey: ['references'], queryFn: listReferences });
  return (
    <Loaded query={list}>
      {(all) =>
        all.length === 0 ? (
          <p>No reference is there yet. An operator builds one from published proteins or from files.</p>
        ) : (
          <>
            {!all.some((one) => one.is_default) && (
              <p>No default is chosen: runs use the newest that fits, where their owner names nothing.</p>
            )}
            {all.map((one) => (
              <ReferenceCard key={one.id} one={one} all={all} />
            ))}
          </>
        )
      }
    </Loaded>
  );
}

type Part = 'facts' | 'compare' | 'pack';

function ReferenceCard({ one, all }: { one: Reference; all: readonly Reference[] }) {
  const [open, setOpen] = useState<Part>();
  const show = (part: Part) => setOpen(open === part ? undefined : part);
  return (
    <Panel title={nameOf(one)}>
      <p>
        {one.is_default && <strong>The default of runs. </strong>}
        {one.status !== 'complete' && <strong>It is {one.status}. </strong>}
        {plural(one.protein_count, 'protein')}, {plural(one.annotation_count, 'annotation')}
        {one.obo_version !== null && `, Gene Ontology of ${formatDay(one.obo_version)}`}
      </p>
      <Acts one={one} open={open} onShow={show} hasOther={all.some((other) => isOther(other, one))} />
      {open === 'facts' && <Facts one={one} />}
      {open === 'compare' && <CompareReferences from={one} others={all.filter((two) => isOther(two, one))} />}
      {open === 'pack' && <PackOfReference one={one} />}
    </Panel>
  );
}

const isOther = (other: Reference, one: Reference) => other.id !== one.id && other.status === 'complete';

interface ActsProps {
  one: Reference;
  open: Part | undefined;
  onShow: (part: Part) => void;
  hasOther: boolean;
}

function Acts({ one, open, onShow, hasOther }: ActsProps) {
  const mayCall = useMayCall();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries();
  const use = useMutation({ mutationFn: () => useForRuns(one), onSuccess });
  const test = useMutation({ mutationFn: () => testReference(one), onSuccess });
  const isWhole = one.status === 'complete';
  const part = (which: Part, words: string, act?: string) => (
    <Button
      size="compact-sm"
      variant={open === which ? 'light' : 'default'}
      aria-expanded={open === which}
      data-act={act}
      onClick={() => onShow(which)}
    >
      {words}
    </Button>
  );
  return (
    <>
      <div className={styles.acts}>
        {isWhole && !one.is_default && mayCall('POST /references/:reference/use') && (
          <Button
            size="compact-sm"
            variant="default"
            data-act="POST /references/:reference/use"
            loading={use.isPending}
            onClick={() => use.mutate()}
          >
            Make it the default
          </Button>
        )}
        {part('facts', 'What is in it')}
        {isWhole && hasOther && part('compare', 'Compare')}
        {isWhole &&
          mayCall('POST /references/:reference/pack') &&
          part('pack', 'Pack it', 'POST /references/:reference/pack')}
        {isWhole && mayCall('POST /jobs', 'measure_reference') && (
          <Button
            size="compact-sm"
            variant="default"
            data-act="POST /jobs measure_reference"
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            Test it
          </Button>
        )}
        {mayCall('DELETE /references/:reference') && <Remove one={one} />}
      </div>
      {test.isPending && (
        <p role="status">Its proteins are predicted without their annotations: minutes. You may leave.</p>
      )}
      {test.isSuccess && <p role="status">Tested: “What is in it” has the figures.</p>}
      {use.isError && <ProblemNote error={use.error} title="Not chosen" />}
      {test.isError && <ProblemNote error={test.error} title="Not tested" />}
    </>
  );
}

function Remove({ one }: { one: Reference }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteReference(one),
    onSuccess: () => queries.invalidateQueries(),
  });
  const params = { reference: nameOf(one) };
  return (
    <>
      <ConfirmButton
        size="compact-sm"
        question={`Delete ${nameOf(one)}?`}
        consequence="Its annotations are deleted. This can’t be undone; its files can be loaded again."
        act="Delete"
        dependents={{
          key: ['reference', one.id],
          ask: () => dependentsOf('reference', { params, query: { dependents: 'false' } }),
        }}
        loading={remove.isPending}
        data-act="DELETE /references/:reference"
        onConfirm={() => remove.mutate()}
      >
        Delete
      </ConfirmButton>
      {remove.isError && <ProblemNote error={remove.error} title="Not deleted" />}
    </>
  );
}

function Facts({ one }: { one: Reference }) {
  return (
    <dl className={styles.facts} aria-label={`What is in ${nameOf(one)}`}>
      {referenceFacts(one, 'choose “Test it”').map(([label, text], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order
        <div key={at}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
