import { Button, TextInput } from '@mantine/core';
import {
  comparisonColumns,
  comparisonLines,
  comparisonNotes,
  statedTermsNotes,
} from '@kindred/contracts/stated-terms-words';
import { tableText } from '@kindred/kernels/formats';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  addOtherFile,
  comparisonPages,
  type OtherFile,
  removeOtherFile,
} from '../../app/api/other-programs.js';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { ConfirmButton } from '../../shared/confirm-button.js';
import { FileDrop } from '../../shared/file-drop.js';
import { formatCount } from '../../shared/format.js';
import { DownloadIcon } from '../../shared/icons.js';
import { Loaded } from '../../shared/loading.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { saveFile } from '../../shared/save-file.js';
import table from '../../shared/table.module.css';
import styles from './compare-panel.module.css';
import { ComparedCells, ComparedHeadings } from './compared-terms.js';
import {
  type Agreement,
  type ComparedRow,
  otherProgramsKey,
  shownRows,
  useOtherFiles,
  useWholeComparison,
  type WholeComparison,
} from './use-other-programs.js';

type Run = Pick<PredictionSetDetail, 'id' | 'query_set_id' | 'may_change'>;

/** Takes files of other programs, and shows who says what of the proteins of the run. */
export function OtherProgramsPanel({ set }: { set: Run }) {
  const { query_set_id: queries, may_change: mayChange } = set;
  const files = useOtherFiles(set);
  if (queries === null) return null;
  return (
    <section aria-label="Other programs">
      <h2>Other programs</h2>
      <p>
        The terms of eggNOG-mapper, InterProScan (with GO terms) or any file in the form of CAFA, beside these
        answers: who says what. No score changes.
      </p>
      {mayChange ? (
        <AddFile set={set} queries={queries} />
      ) : (
        <p>Whoever started the run can add files, and so can operators.</p>
      )}
      <Loaded query={files}>
        {(found) =>
          found.length === 0 ? (
            <p>No file was added yet.</p>
          ) : (
            <>
              {found.map((file) => (
                <KeptFile key={file.program} file={file} set={set} queries={queries} />
              ))}
              <Whole set={set} programs={found.map(({ program }) => program)} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** Makes everything that was read of other programs be read again. */
function useChanged(setId: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: otherProgramsKey(setId) });
}

function AddFile({ set, queries }: { set: Run; queries: string }) {
  const [program, setProgram] = useState('');
  const changed = useChanged(set.id);
  const add = useMutation({
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) await addOtherFile(queries, file, program.trim());
    },
    onSettled: async () => {
      await changed();
      setProgram('');
    },
  });
  return (
    <>
      <TextInput
        label="Name of the program"
        description="If it is neither eggNOG-mapper nor InterProScan. An earlier file of the same name is replaced."
        value={program}
        maxLength={100}
        maw={420}
        my={12}
        onChange={(event) => setProgram(event.currentTarget.value)}
      />
      <FileDrop label="File of another program" onFiles={(files) => add.mutate([...(files ?? [])])}>
        {add.isPending
          ? 'Reading the file …'
          : 'Drop its file here, or choose it: .emapper.annotations, TSV, GFF3 or JSON of InterProScan, CAFA'}
      </FileDrop>
      {add.error !== null && <ProblemNote error={add.error} />}
    </>
  );
}

function KeptFile({ file, set, queries }: { file: OtherFile; set: Run; queries: string }) {
  const changed = useChanged(set.id);
  const remove = useMutation({
    mutationFn: () => removeOtherFile(queries, file.program),
    onSettled: changed,
  });
  const [first, ...more] = statedTermsNotes(file);
  return (
    <div className={styles.top}>
      <p>
        {first}
        {more.length > 0 && <span className={table.muted}> {more.join(' ')}</span>}
      </p>
      {set.may_change && (
        <ConfirmButton
          size="compact-sm"
          question={`Remove the terms of ${file.program}?`}
          consequence="They are no longer beside the answers. The file can be added again."
          act="Remove"
          loading={remove.isPending}
          onConfirm={() => remove.mutate()}
        >
          Remove
        </ConfirmButton>
      )}
      {remove.error !== null && <ProblemNote error={remove.error} />}
    </div>
  );
}

const kinds: readonly [Agreement, string][] = [
  ['only_others', 'Only by others'],
  ['contradicted', 'Contradicted'],
  ['both', 'By both'],
  ['only_kindred', 'Only by Kindred'],
];

function Whole({ set, programs }: { set: Run; programs: readonly string[] }) {
  const compared = useWholeComparison(set);
  const save = useMutation({
    mutationFn: async () => {
      const parts: string[] = [tableText(comparisonColumns, [])];
      for await (const { proteins } of comparisonPages(set.id)) {
        const text = tableText(comparisonColumns, proteins.flatMap(comparisonLines));
        parts.push(text.slice(text.indexOf('\n') + 1));
      }
      saveFile('who-says-what.tsv', new Blob(parts, { type: 'text/tab-separated-values' }));
    },
  });
  return (
    <Loaded query={compared}>
      {(found) => (
        <>
          <div className={styles.top}>
            <p className={table.muted}>{comparisonNotes(found.tally).slice(1).join(' ')}</p>
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<DownloadIcon />}
              loading={save.isPending}
              onClick={() => save.mutate()}
            >
              Save who says what as TSV
            </Button>
          </div>
          {save.error !== null && <ProblemNote error={save.error} />}
          <Kinds setId={set.id} found={found} programs={programs} />
        </>
      )}
    </Loaded>
  );
}

interface KindsProps {
  setId: string;
  found: WholeComparison;
  programs: readonly string[];
}

/** Shows the rows of one kind, at first of one that has any. */
function Kinds({ setId, found: { tally, first }, programs }: KindsProps) {
  const [chosen, choose] = useState<Agreement>(
    () => kinds.find(([kind]) => tally.counts[kind] > 0)?.[0] ?? 'both',
  );
  const rows = first[chosen];
  return (
    <>
      <fieldset className={styles.groups}>
        <legend>Show</legend>
        {kinds.map(([kind, words]) => (
          <button
            key={kind}
            type="button"
            aria-pressed={chosen === kind}
            disabled={tally.counts[kind] === 0}
            onClick={() => choose(kind)}
          >
            {words} {formatCount(tally.counts[kind])}
          </button>
        ))}
      </fieldset>
      <div className={table.scroll}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Protein</th>
              <ComparedHeadings programs={programs} />
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={`${row.protein} ${row.go_id}`} setId={setId} row={row} programs={programs} />
            ))}
          </tbody>
        </table>
      </div>
      {tally.counts[chosen] > rows.length && (
        <p>
          The first {shownRows} are shown; the file has all {formatCount(tally.counts[chosen])}.
        </p>
      )}
    </>
  );
}

function Row({ setId, row, programs }: { setId: string; row: ComparedRow; programs: readonly string[] }) {
  return (
    <tr>
      <td data-label="Protein" className={styles.protein}>
        <Link
          to="/results/$setId"
          params={{ setId }}
          search={(before) => ({ ...before, protein: row.protein })}
        >
          {row.protein}
        </Link>
      </td>
      <ComparedCells term={row} programs={programs} />
    </tr>
  );
}
