import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { sendFile } from '../../app/api/reference-builds.js';
import { FileDrop } from '../../shared/file-drop.js';
import { ProblemNote } from '../../shared/problem-note.js';
import type { Field } from './schema-fields.js';
import styles from './workbench.module.css';

interface Props {
  field: Field;
  value: string;
  onValue: (value: string | undefined) => void;
}

/** Takes a file that an operation reads: by drop, which sends it to the service, or by its address. */
export function SourceField({ field: { label, description, required, usual }, value, onValue }: Props) {
  const send = useMutation({
    mutationFn: sendFile,
    onSuccess: ({ url }) => onValue(url),
  });
  const isSent = send.data !== undefined && send.data.url === value;
  return (
    <fieldset className={styles.fieldset}>
      <legend>
        {label}
        {required && <span aria-hidden="true"> *</span>}
      </legend>
      {description !== undefined && <p className={styles.hint}>{description}</p>}
      {isSent ? (
        <p className={styles.sent} role="status">
          {send.data.file_name} is sent.
          <Button size="compact-sm" variant="default" onClick={() => onValue(undefined)}>
            Take {send.data.file_name} away
          </Button>
        </p>
      ) : (
        <>
          <FileDrop
            label={label}
            onFiles={(files) => {
              const file = files?.[0];
              if (file !== undefined) send.mutate(file);
            }}
          >
            {send.isPending
              ? `Sending ${send.variables.name} …`
              : 'Drop the file here, or choose it. It may end in .gz.'}
          </FileDrop>
          {send.error !== null && <ProblemNote error={send.error} />}
          <TextInput
            label="Or its address"
            aria-label={`${label}: address`}
            description="https://, http://, or file:// in the import folder of the service"
            placeholder={typeof usual === 'string' ? usual : undefined}
            required={required && !send.isPending}
            value={value}
            onChange={(event) => onValue(event.currentTarget.value || undefined)}
          />
        </>
      )}
    </fieldset>
  );
}
