import { Graph, layout } from '@dagrejs/dagre';
import { Button } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { DownloadIcon } from '../../shared/icons.js';
import { saveFile } from '../../shared/save-file.js';
import { standings, standingWords } from '../../shared/standing.js';
import { type AncestorGraphModel, type BoxKind, type GraphBox, wrapped } from './ancestor-graph-model.js';
import styles from './ancestor-graph.module.css';
import { pngOf, svgOf } from './picture-file.js';

const boxWidth = 140;
const lineHeight = 13;
const letters = 21;
const margin = 12;

const kindWords: Readonly<Record<BoxKind, string>> = {
  predicted: 'predicted',
  known: 'known',
  both: 'known and predicted',
  above: 'above them',
};

interface Props {
  model: AncestorGraphModel;
  /** The title of the picture, for screen readers and for its file. */
  title: string;
  /** The reference of the predicted terms, for the file. */
  reference: string | null;
}

/** The steps of the zoom; 1 fits the picture into the page. */
const zooms = [1, 1.5, 2, 3, 4] as const;

/**
 * Draws terms with all terms above them, the root on top, each in the colour of its certainty. The picture fits the page, is made larger
 * in steps, and can be saved.
 */
export function AncestorGraph({ model, title, reference }: Props) {
  const picture = useRef<SVGSVGElement>(null);
  const placed = useMemo(() => place(model), [model]);
  const [zoom, setZoom] = useState(0);
  const [fault, setFault] = useState(false);
  const save = async (asPicture: (svg: SVGSVGElement) => Blob | Promise<Blob>, ending: string) => {
    if (picture.current === null) return;
    try {
      saveFile(`${title}.${ending}`, await asPicture(picture.current));
      setFault(false);
    } catch {
      setFault(true);
    }
  };
  const factor = zooms[zoom] ?? 1;
  return (
    <div className={styles.graph}>
      <div className={styles.tools}>
        <Legend model={model} />
        <div className={styles.acts}>
          <Button variant="default" size="compact-sm" disabled={zoom === 0} onClick={() => setZoom(0)}>
            Fit
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            disabled={zoom === zooms.length - 1}
            onClick={() => setZoom(zoom + 1)}
          >
            Larger
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<DownloadIcon />}
            onClick={() => save(svgOf, 'svg')}
          >
            Save as SVG
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<DownloadIcon />}
            onClick={() => save(pngOf, 'png')}
          >
            Save as PNG
          </Button>
        </div>
      </div>
      {fault && <p role="alert">This browser could not draw the file. Save the picture as SVG instead.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={title}>
        <svg
          ref={picture}
          xmlns="http://www.w3.org/2000/svg"
          role="img"
          aria-label={`${title}: ${model.boxes.length} terms`}
          data-fits={factor === 1 || undefined}
          style={{ width: `${100 * factor}%`, maxWidth: 1.25 * factor * placed.width }}
          viewBox={`0 0 ${placed.width} ${placed.height}`}
        >
          {reference !== null && <desc>{`Predicted with the reference ${reference}`}</desc>}
          <rect className={styles.ground} width={placed.width} height={placed.height} />
          {placed.lines.map((line) => (
            <polyline
              key={line.key}
              className={styles.line}
              data-part={line.partOf || undefined}
              points={line.points.map(({ x, y }) => `${x},${y}`).join(' ')}
            />
          ))}
          {placed.boxes.map((box) => (
            <Box key={box.goId} {...box} />
          ))}
        </svg>
      </section>
    </div>
  );
}

function Legend({ model: { boxes, lines } }: { model: AncestorGraphModel }) {
  const found = new Set(boxes.map(({ standing }) => standing));
  return (
    <ul className={styles.legend}>
      {standings
        .filter((standing) => found.has(standing))
        .map((standing) => (
          <li key={standing} data-standing={standing}>
            {standingWords[standing].toLowerCase()}
          </li>
        ))}
      {found.has(null) && <li>above them</li>}
      {lines.some(({ partOf }) => partOf) && <li data-kind="part">part of</li>}
    </ul>
  );
}

interface PlacedBox extends GraphBox {
  rows: string[];
  x: number;
  y: number;
  height: number;
}

function Box({ goId, name, kind, standing, rows, x, y, height }: PlacedBox) {
  const top = y - height / 2;
  return (
    <g>
      <title>{`${name} (${goId}), ${kindWords[kind]}`}</title>
      <rect
        className={styles.box}
        data-standing={standing ?? undefined}
        x={x - boxWidth / 2}
        y={top}
        width={boxWidth}
        height={height}
        rx={6}
      />
      {rows.map((row, at) => (
        <text key={row} className={styles.text} x={x} y={top + 15 + at * lineHeight} textAnchor="middle">
          {row}
        </text>
      ))}
    </g>
  );
}

function place({ boxes, lines }: AncestorGraphModel) {
  const graph = new Graph().setGraph({
    rankdir: 'TB',
    nodesep: 14,
    ranksep: 26,
    marginx: margin,
    marginy: margin,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const sized = boxes.map((box) => {
    const rows = wrapped(box.name, letters, 4);
    return { ...box, rows, height: 10 + rows.length * lineHeight };
  });
  for (const { goId, height } of sized) graph.setNode(goId, { width: boxWidth, height });
  for (const { from, to } of lines) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    boxes: sized.map((box): PlacedBox => {
      const { x = 0, y = 0 } = graph.node(box.goId) as { x?: number; y?: number };
      return { ...box, x, y };
    }),
    lines: lines.map(({ from, to, partOf }) => {
      const { points = [] } = graph.edge(from, to) as { points?: { x: number; y: number }[] };
      return { key: `${from} ${to}`, partOf, points };
    }),
  };
}
