import { Button, Progress, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { mostInBrowser } from '@kindred/contracts/network-table';
import { plural } from '../../shared/format.js';
import { FileIcon } from '../../shared/icons.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { handed } from './handed-text.js';
import type { LocalNetwork } from './local-network.js';
import styles from './private.module.css';
import { PrivateResult } from './private-result.js';
import { readProteins, textOfFile } from './read-proteins.js';
import { usePrivateRun } from './use-private-run.js';

/** Takes sequences and shows their terms, without a request. */
export function PrivateForm({ network }: { network: LocalNetwork }) {
  const [text, setText] = useState(handed.text);
  const [fault, setFault] = useState<string | null>(null);
  const { run, start, stop } = usePrivateRun();
  const take = (next: string) => {
    setText(next);
    setFault(null);
  };
  const chooser = useRef<HTMLInputElement>(null);
  const file = useMutation({ mutationFn: textOfFile, onSuccess: take });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readProteins(text, network.readUnnamed);
    setFault('fault' in read ? read.fault : null);
    if ('proteins' in read) void start(network, read.proteins);
  };
  return (
    <>
      <Panel>
        <form className={styles.stack} onSubmit={submit}>
          <p className={styles.ready} role="status">
            Ready: nothing leaves this browser from here on.
          </p>
          <Textarea
            label="Your proteins"
            description={`FASTA, or one sequence; at most ${mostInBrowser} proteins`}
            classNames={{ input: styles.fasta }}
            rows={7}
            spellCheck={false}
            autoCapitalize="off"
            value={text}
            error={fault}
            onChange={(event) => take(event.currentTarget.value)}
          />
          <div className={styles.buttons}>
            <input
              ref={chooser}
              type="file"
              hidden
              accept=".fasta,.fa,.faa,.fas,.txt,.gz"
              onChange={({ currentTarget: { files } }) => {
                if (files?.[0] !== undefined) file.mutate(files[0]);
              }}
            />
            <Button variant="default" leftSection={<FileIcon />} onClick={() => chooser.current?.click()}>
              Choose a file
            </Button>
            <Button variant="default" onClick={() => take(network.example)}>
              Take the example
            </Button>
          </div>
          {file.isError && <ProblemNote error={file.error} title="The file could not be read" />}
          <div className={styles.buttons}>
            <Button type="submit" size="md" disabled={run?.state === 'running'}>
              Annotate here
            </Button>
            {run?.state === 'running' && (
              <Button variant="default" size="md" onClick={stop}>
                Stop
              </Button>
            )}
          </div>
          {run?.state === 'running' && (
            <>
              <Progress value={(100 * run.answers.length) / run.total} aria-label="Proteins that are done" />
              <p role="status">
                {run.answers.length} of {plural(run.total, 'protein')} done
              </p>
            </>
          )}
          {run !== null && run.fault !== null && (
            <ProblemNote error={run.fault} title="The network stopped" />
          )}
        </form>
      </Panel>
      {run !== null && <PrivateResult run={run} />}
    </>
  );
}
