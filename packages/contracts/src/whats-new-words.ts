import type { z } from 'zod';
import type { whatsNewReply } from './resources/whats-new.js';

type WhatsNew = z.infer<typeof whatsNewReply>;

/** The columns of the table of new annotations. */
export const whatsNewColumns = [
  'annotation_date',
  'protein',
  'known_accession',
  'go_id',
  'go_name',
  'aspect',
  'is_new_term',
  'qualifier',
  'basis',
  'evidence_code',
  'db_reference',
  'with_from',
  'assigned_by',
] as const satisfies readonly (keyof WhatsNew['rows'][number])[];

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? noun : `${noun}s`}`;

/** Says in sentences what the reply has, and what it cannot tell. */
export function whatsNewNotes(found: WhatsNew): string[] {
  const { since, newest, references, proteins, known_proteins, row_count, new_proteins, older, undated } =
    found;
  const known = `${counted(known_proteins, 'protein')} of ${proteins.toLocaleString('en-GB')}`;
  const names = references.map((name) => name ?? 'a reference without a name').join(', ');
  if (known_proteins === 0)
    return [
      `No reference of the run knows one of its ${counted(proteins, 'protein')}, so nothing is known of them.`,
    ];
  const kind = found.electronic ? 'annotation' : 'annotation other than by a program';
  return [
    since === null
      ? `${names} knows ${known}; none of their annotations has a day.`
      : `${counted(row_count, 'annotation')} of ${counted(new_proteins, 'protein')} since ${since}; ${older.toLocaleString('en-GB')} are older. ${names} knows ${known}; their newest ${kind} is of ${newest ?? 'no day'}.`,
    ...(undated === 0
      ? []
      : [
          `${counted(undated, 'annotation')} without a day ${undated === 1 ? 'is' : 'are'} left out: nobody can say whether they are new.`,
        ]),
    ...(found.rows.length < row_count
      ? [
          `The newest ${found.rows.length.toLocaleString('en-GB')} ${found.rows.length === 1 ? 'is' : 'are'} given; choose a later day, or a higher limit, for fewer or all.`,
        ]
      : []),
    ...(found.electronic && row_count > 0
      ? [
          'The day of an annotation by a program (electronic) is often that of its last run, so an old term may look new.',
        ]
      : []),
  ];
}
