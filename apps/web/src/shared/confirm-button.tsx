import { Button, type ButtonProps } from '@mantine/core';
import { type ReactNode, useId, useRef } from 'react';
import styles from './confirm-button.module.css';

interface Props extends ButtonProps {
  /** What is done, as a question: `Revoke the key “pipeline”?` */
  question: string;
  /** What follows from it, and whether it can be taken back. */
  consequence: ReactNode;
  /** The word on the button that does it. */
  act: string;
  /** The word on the button that leaves everything as it is. Default: Keep it. */
  keep?: string;
  onConfirm: () => void;
  children: ReactNode;
}

/** A button whose act is hard to take back: it asks first. Escape and a click on the other button change nothing. */
export function ConfirmButton({ question, consequence, act, keep, onConfirm, children, ...button }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const close = () => dialog.current?.close();
  return (
    <>
      <Button variant="default" {...button} onClick={() => dialog.current?.showModal()}>
        {children}
      </Button>
      <dialog ref={dialog} className={styles.dialog} aria-labelledby={title}>
        <h2 id={title}>{question}</h2>
        <div className={styles.words}>{consequence}</div>
        <div className={styles.choices}>
          <Button variant="default" onClick={close}>
            {keep ?? 'Keep it'}
          </Button>
          <Button
            color="red"
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
