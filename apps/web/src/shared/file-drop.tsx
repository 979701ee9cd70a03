import styles from './file-drop.module.css';

interface Props {
  /** The words for the eye: what may be dropped. */
  children: string;
  /** The name of the input, for readers of the screen. */
  label: string;
  onFiles: (files: FileList | null) => void;
}

/** Takes files that are dropped on it or chosen; the same file can be chosen again. */
export function FileDrop({ children, label, onFiles }: Props) {
  return (
    <label
      className={styles.drop}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        onFiles(event.dataTransfer.files);
      }}
    >
      <span>{children}</span>
      <input
        type="file"
        multiple
        aria-label={label}
        onChange={(event) => {
          onFiles(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}
