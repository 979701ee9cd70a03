import '@mantine/core/styles/Checkbox.css';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { whatsNewColumns, whatsNewNotes } from '@kindred/contracts/whats-new-words';
import { tableText } from '@kindred/kernels/formats';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { getWhatsNew, type WhatsNew } from '../../app/api/predictions.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { formatCount, formatDay } from '../../shared/format.js';
import { DownloadIcon } from '../../shared/icons.js';
import { Loaded } from '../../shared/loading.js';
import { PaperLink } from '../../shared/paper-link.js';
import { saveFile } from '../../shared/save-file.js';
import table from '../../shared/table.module.css';
import { TermLink } from '../../shared/term-link.js';
import styles from './compare-panel.module.css';
import { useView } from './use-view.js';

/** The maximum number of annotations on the page; the file has more. */
const shownRows = 200;
const headings = ['Day', 'Protein', 'Term', 'New term', 'Evidence', 'Reference', 'Assigned by'];

/** Shows what became known of the proteins of a run since a day, the newest first. */
export function WhatsNewPanel({ setId }: { setId: string }) {
  const [{ since }, change] = useView();
  const [electronic, setElectronic] = useState(true);
  const found = useQuery({
    queryKey: ['whats-new', setId, since, electronic],
    queryFn: ({ signal }) => getWhatsNew(setId, { since, electronic }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const day = new FormData(event.currentTarget).get('since');
    change({ since: typeof day === 'string' && day !== '' ? day : undefined });
  };
  const first = since ?? found.data?.since ?? '';
  return (
    <section aria-label="New in what is known">
      <h2>New in what is known</h2>
      <form onSubmit={submit} className={styles.since}>
        <TextInput key={first} type="date" name="since" label="Annotated since" defaultValue={first} />
        <Button type="submit" variant="default">
          Show
        </Button>
        <Checkbox
          label="With annotations by a program"
          checked={electronic}
          onChange={(event) => setElectronic(event.currentTarget.checked)}
        />
      </form>
      <Loaded query={found}>{(reply) => <NewAnnotations setId={setId} found={reply} />}</Loaded>
    </section>
  );
}

function NewAnnotations({ setId, found }: { setId: string; found: WhatsNew }) {
  const { rows } = found;
  const save = () =>
    saveFile(
      'whats-new.tsv',
      new Blob([tableText(whatsNewColumns, rows)], { type: 'text/tab-separated-values' }),
    );
  return (
    <>
      <div className={styles.top}>
        <div role="status">
          {whatsNewNotes(found).map((note) => (
            <p key={note}>{note}</p>
          ))}
        </div>
        {rows.length > 0 && (
          <Button variant="default" size="compact-sm" leftSection={<DownloadIcon />} onClick={save}>
            Save new annotations as TSV
          </Button>
        )}
      </div>
      {rows.length > 0 && (
        <div className={table.scroll}>
          <table className={table.table}>
            <thead>
              <tr>
                {headings.map((heading) => (
                  <th key={heading} scope="col">
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shownRows).map((row) => (
                <NewAnnotation
                  key={whatsNewColumns.map((name) => row[name]).join(' ')}
                  setId={setId}
                  row={row}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rows.length > shownRows && (
        <p>
          The newest {shownRows} are shown; the file has {formatCount(rows.length)}.
        </p>
      )}
    </>
  );
}

function NewAnnotation({ setId, row }: { setId: string; row: WhatsNew['rows'][number] }) {
  const { annotation_date, protein, qualifier, evidence_code } = row;
  return (
    <tr>
      <td data-label={headings[0]} className={table.nowrap}>
        {formatDay(annotation_date)}
      </td>
      <td data-label={headings[1]} className={styles.protein}>
        <Link to="/results/$setId" params={{ setId }} search={(before) => ({ ...before, protein })}>
          {protein}
        </Link>
      </td>
      <td data-label={headings[2]}>
        <TermLink goId={row.go_id} name={row.go_name} />
        {qualifier !== null && <span className={table.muted}> {qualifier.replaceAll(/[|_]/g, ' ')}</span>}
      </td>
      <td data-label={headings[3]}>{row.is_new_term ? 'yes' : 'no'}</td>
      <td data-label={headings[4]}>
        <EvidenceCode code={evidence_code} />
      </td>
      <td data-label={headings[5]} className={styles.protein}>
        <PaperLink reference={row.db_reference} />
      </td>
      <td data-label={headings[6]}>{row.assigned_by ?? ''}</td>
    </tr>
  );
}
