import type { ReactNode } from 'react';
import type { AnnotationSet, EmbeddingConfig, OntologySnapshot } from '../../app/api/reference-data.js';
import { aspectNames, aspectOrder } from '../../shared/aspect.js';
import { formatCount, formatTime } from '../../shared/format.js';
import table from '../../shared/table.module.css';

interface Column<T> {
  name: string;
  isNumber?: boolean;
  cell: (row: T) => ReactNode;
}

function DataTable<T extends { id: string }>(props: { rows: T[]; columns: Column<T>[]; none: string }) {
  if (props.rows.length === 0) return <p>{props.none}</p>;
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.name} scope="col" className={column.isNumber ? table.number : undefined}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.id}>
              {props.columns.map((column) => (
                <td
                  key={column.name}
                  data-label={column.name}
                  className={column.isNumber ? table.number : undefined}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const snapshotColumns: Column<OntologySnapshot>[] = [
  { name: 'Release', cell: (row) => row.obo_version },
  ...aspectOrder.map((aspect) => ({
    name: aspectNames[aspect],
    isNumber: true,
    cell: (row: OntologySnapshot) => formatCount(row.term_counts[aspect]),
  })),
  { name: 'Obsolete', isNumber: true, cell: (row) => formatCount(row.term_counts.obsolete) },
  { name: 'Edges', isNumber: true, cell: (row) => formatCount(row.relationship_count) },
  { name: 'Loaded', cell: (row) => formatTime(row.loaded_at) },
];

export function SnapshotTable({ rows }: { rows: OntologySnapshot[] }) {
  return <DataTable rows={rows} columns={snapshotColumns} none="No ontology release is loaded." />;
}

const setColumns: Column<AnnotationSet>[] = [
  { name: 'Source', cell: (row) => row.source },
  { name: 'Version', cell: (row) => row.source_version },
  { name: 'Ontology', cell: (row) => row.obo_version },
  { name: 'Annotations', isNumber: true, cell: (row) => formatCount(row.annotation_count) },
  { name: 'Proteins', isNumber: true, cell: (row) => formatCount(row.protein_count) },
  { name: 'Loaded', cell: (row) => formatTime(row.created_at) },
];

export function AnnotationSetTable({ rows }: { rows: AnnotationSet[] }) {
  return <DataTable rows={rows} columns={setColumns} none="No annotation set is loaded." />;
}

const configColumns: Column<EmbeddingConfig>[] = [
  {
    name: 'Model',
    cell: (row) => (
      <>
        {row.display_name ?? row.model_name}
        {row.description !== null && <div className={table.muted}>{row.description}</div>}
      </>
    ),
  },
  { name: 'Backend', cell: (row) => row.model_backend },
  { name: 'Pooling', cell: (row) => row.pooling },
  { name: 'Dimensions', isNumber: true, cell: (row) => formatCount(row.dimension) },
  { name: 'Sequences', isNumber: true, cell: (row) => formatCount(row.embedding_count) },
];

export function ConfigTable({ rows }: { rows: EmbeddingConfig[] }) {
  return <DataTable rows={rows} columns={configColumns} none="No similarity model is set up." />;
}
