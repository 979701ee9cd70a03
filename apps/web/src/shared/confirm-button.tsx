import { Button, type ButtonProps, Loader } from '@mantine/core';
import type { Dependents } from '@kindred/contracts/resources/dependents';
import { skipToken, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useRef, useState } from 'react';
import styles from './confirm-button.module.css';
import { DependentsList } from './dependents-list.js';
import { Loaded } from './loading.js';

/** The question about the rows that depend on a row. */
export interface DependentsQuestion {
  /** The key of the row with the dependents. */
  key: readonly unknown[];
  ask: () => Promise<Dependents>;
}

interface Props extends ButtonProps {
  /** The question that names the act: `Revoke the key “pipeline”?` */
  question: string;
  /** The consequence of the act, and whether it can be taken back. */
  consequence: ReactNode;
  /** The word on the button that carries out the act. */
  act: string;
  /** The word on the button that leaves everything as it is. The default is: Keep it. */
  keep?: string;
  /** The question about dependents, which is asked while the dialog of a deletion is open. Rows that others need are not deleted. */
  dependents?: DependentsQuestion | undefined;
  onConfirm: () => void;
  children: ReactNode;
}

/**
 * A button that asks first, because its act is hard to undo, and that stands apart from the others. Escape and a click on the other button
 * change nothing.
 */
export function ConfirmButton({
  question,
  consequence,
  act,
  keep,
  dependents,
  onConfirm,
  children,
  ...button
}: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const title = useId();
  const close = () => dialog.current?.close();
  const found = useQuery({
    queryKey: ['dependents', ...(dependents?.key ?? [])],
    queryFn: isOpen && dependents !== undefined ? dependents.ask : skipToken,
    // The reply is not cached, because the dependents may have changed since the dialog was open before.
    gcTime: 0,
    retry: false,
  });
  const mayAct = dependents === undefined || (found.data?.first.length === 0 && !found.isFetching);
  return (
    <>
      <Button
        variant="default"
        c="var(--bad)"
        ml="lg"
        {...button}
        onClick={() => {
          dialog.current?.showModal();
          setIsOpen(true);
        }}
      >
        {children}
      </Button>
      <dialog ref={dialog} className={styles.dialog} aria-labelledby={title} onClose={() => setIsOpen(false)}>
        <h2 id={title}>{question}</h2>
        <div className={styles.words}>
          {consequence}
          {dependents !== undefined && isOpen && (
            <div className={styles.dependents} aria-live="polite">
              {found.isPending ? (
                <Loader role="status" aria-label="Loading" size="sm" />
              ) : (
                <Loaded query={found}>{(list) => <DependentsList dependents={list} />}</Loaded>
              )}
            </div>
          )}
        </div>
        <div className={styles.choices}>
          <Button variant="default" onClick={close}>
            {keep ?? 'Keep it'}
          </Button>
          <Button
            color="red.9"
            disabled={!mayAct}
            onClick={() => {
              close();
              onConfirm();
            }}
          >
            {act}
          </Button>
        </div>
      </dialog>
    </>
  );
}
