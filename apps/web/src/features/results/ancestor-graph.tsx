import { Graph, layout } from '@dagrejs/dagre';
import { Button } from '@mantine/core';
import { useMemo, useRef } from 'react';
import { DownloadIcon } from '../../shared/icons.js';
import { saveFile } from '../../shared/save-file.js';
import { type AncestorGraphModel, type BoxKind, type GraphBox, wrapped } from './ancestor-graph-model.js';
import styles from './ancestor-graph.module.css';

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

/** Draws terms with all terms above them, the root on top, and compares predicted with known ones. The picture can be saved as SVG. */
export function AncestorGraph({ model, title, reference }: Props) {
  const picture = useRef<SVGSVGElement>(null);
  const placed = useMemo(() => place(model), [model]);
  const kinds = new Set(model.boxes.map(({ kind }) => kind));
  const save = () =>
    picture.current !== null &&
    saveFile(`${title}.svg`, new Blob([asFile(picture.current)], { type: 'image/svg+xml' }));
  return (
    <div className={styles.graph}>
      <div className={styles.tools}>
        <ul className={styles.legend}>
          {(Object.keys(kindWords) as BoxKind[])
            .filter((kind) => kinds.has(kind))
            .map((kind) => (
              <li key={kind} data-kind={kind}>
                {kindWords[kind]}
              </li>
            ))}
          <li data-kind="part">part of</li>
        </ul>
        <Button variant="default" size="compact-sm" leftSection={<DownloadIcon />} onClick={save}>
          Save as SVG
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={title}>
        <svg
          ref={picture}
          xmlns="http://www.w3.org/2000/svg"
          role="img"
          aria-label={`${title}: ${model.boxes.length} terms`}
          width={placed.width}
          height={placed.height}
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

interface PlacedBox extends GraphBox {
  rows: string[];
  x: number;
  y: number;
  height: number;
}

function Box({ goId, name, kind, rows, x, y, height }: PlacedBox) {
  const top = y - height / 2;
  return (
    <g>
      <title>{`${name} (${goId}), ${kindWords[kind]}`}</title>
      <rect
        className={styles.box}
        data-kind={kind}
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

/** The properties that the page's style sheet gives, and that a file needs itself. */
const keptStyles = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-family', 'font-size'];

/** Writes the picture as the text of an SVG file, with the colours that the page has now. */
function asFile(picture: SVGSVGElement): string {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const originals = [...picture.querySelectorAll('rect, polyline, text')];
  for (const [at, element] of [...copy.querySelectorAll('rect, polyline, text')].entries()) {
    const style = getComputedStyle(originals[at] as Element);
    for (const name of keptStyles) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute('class');
  }
  return new XMLSerializer().serializeToString(copy);
}
