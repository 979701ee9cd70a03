import { Button, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { getLimits } from '../../app/api/annotate.js';
import { isTransient } from '../../app/api/problem.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { useAccount } from '../account/use-account.js';
import styles from './annotate.module.css';
import { InputLook } from './input-look.js';
import { KeepingChoice } from './keeping.js';
import { SettingsDrawer } from './settings-drawer.js';
import { SourceButtons } from './source-buttons.js';
import { type SettingsOfRun, useAnnotateForm } from './use-annotate-form.js';

/** This part below the form is loaded later. */
const LimitList = lazy(async () => ({ default: (await import('./limit-list.js')).LimitList }));

/** The form that takes sequences and starts a run. */
export function AnnotateForm(settings: SettingsOfRun) {
  const signedIn = Boolean(useAccount().data);
  const limits = useQuery({ queryKey: ['annotate-limits', signedIn], queryFn: getLimits, staleTime: 0 });
  const form = useAnnotateForm(limits.data, settings);
  const { text, file, input, start } = form;
  return (
    <Panel>
      <form
        className={styles.form}
        onSubmit={form.submit}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          if (event.dataTransfer.files[0] !== undefined) form.takeFile(event.dataTransfer.files[0]);
        }}
      >
        {form.repeated.isError && (
          <ProblemNote error={form.repeated.error} title="The sequences of that run could not be read" />
        )}
        {file === null && (
          <Textarea
            label="Your proteins"
            placeholder={'MKTAYIAKQRQISFVKSHFSRQ…\n\nor >name and sequence, or P05108, Q9QZ82'}
            classNames={{ input: styles.fasta }}
            rows={7}
            spellCheck={false}
            autoCapitalize="off"
            value={text}
            error={form.fault}
            onChange={(event) => form.takeText(event.currentTarget.value)}
          />
        )}
        <SourceButtons file={file} onFile={form.takeFile} onText={form.takeText} />
        {file !== null && form.fault !== null && (
          <p className={styles.fault} role="alert">
            {form.fault}
          </p>
        )}
        <InputLook input={input} check={form.check.data} missing={form.missing} onRewrite={form.rewrite} />
        {form.check.isError && <ProblemNote error={form.check.error} title="These can't be annotated yet" />}
        <div className={styles.pair}>
          <TextInput
            label="Name of this run"
            placeholder={form.suggestedName}
            maxLength={255}
            value={form.name}
            onChange={(event) => form.setName(event.currentTarget.value)}
          />
          <TextInput
            label="Organism, where the header has no OX="
            placeholder="Homo sapiens, E. coli, or 9606"
            maxLength={200}
            value={form.options.organism ?? ''}
            onChange={(event) =>
              form.setOptions({ ...form.options, organism: event.currentTarget.value || undefined })
            }
          />
        </div>
        <KeepingChoice keeping={form.keeping} onKeeping={form.setKeeping} limits={limits.data} />
        <SettingsDrawer options={form.options} onOptions={form.setOptions} />
        {start.isError && <ProblemNote error={start.error} title="Not started" />}
        <Button
          type="submit"
          size="md"
          disabled={form.check.isError && !isTransient(form.check.error)}
          loading={start.isPending || form.isFetchingSequences}
        >
          Annotate
        </Button>
        {limits.isError && <ProblemNote error={limits.error} title="The limits could not be read" />}
        <Suspense fallback={<ul className={styles.limits} />}>
          {limits.data && <LimitList limits={limits.data} signedIn={signedIn} text={text} />}
        </Suspense>
      </form>
    </Panel>
  );
}
