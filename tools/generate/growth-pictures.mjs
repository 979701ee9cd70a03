// Draws docs/images/growth/*.svg from the figures of benchmarks/growth.json: processor time and memory by size, both axes logarithmic.

const panel = { width: 300, height: 190, left: 62, top: 44, right: 40 };
/** The two panels stand side by side, each with the room that its outer labels need. */
const step = panel.left + panel.width + panel.right;
const whole = { width: 2 * step, height: 306 };

/** The colours have enough contrast in both schemes; a picture follows the scheme of the reader's system. */
const style = `
    svg { font: 12px system-ui, sans-serif; }
    .ground { fill: #ffffff; } text { fill: #1b2523; } .title { font-weight: 600; }
    .grid { stroke: #d5dcda; } .axis { stroke: #5b6866; } .cost { stroke: #0b6b61; stroke-width: 2; fill: none; }
    .value { paint-order: stroke; stroke: #ffffff; stroke-width: 3; }
    .point { fill: #0b6b61; } .even { stroke: #8a5a00; stroke-dasharray: 5 4; fill: none; } .note { fill: #8a5a00; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #111918; } text { fill: #e6ecea; } .grid { stroke: #33403e; } .axis { stroke: #9aa8a5; }
      .value { stroke: #111918; } .cost { stroke: #5ad1c2; } .point { fill: #5ad1c2; } .even { stroke: #e0b25c; } .note { fill: #e0b25c; }
    }
  `;

const words = {
  references: {
    x: 'references',
    time: 'Processor milliseconds a query',
    perUnit: ({ milliseconds }) => milliseconds,
    memory: 'Memory of the process, MiB',
    title: 'One query beside more references',
  },
  queries: {
    x: 'queries',
    time: 'Processor seconds of all queries',
    perUnit: ({ milliseconds }) => milliseconds / 1000,
    memory: 'Memory of the process, MiB',
    title: 'More queries beside the same references',
  },
  predictions: {
    x: 'predictions',
    time: 'Processor seconds of all predictions',
    perUnit: ({ milliseconds }) => milliseconds / 1000,
    memory: 'Largest resident memory, MiB',
    title: 'An evaluation of more predictions',
  },
};

const round = (value) => Number(value.toFixed(1));

/** Returns a number with three significant digits, in words above a million. */
export function shownNumber(value) {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3)).toLocaleString('en')} million`;
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 3 });
}

/** Returns the powers of ten that enclose all values, at least one decade. */
export function decades(values) {
  const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  return Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
}

/** Returns where a value stands between the first and the last decade, from 0 to 1. */
const placeIn = (ticks) => {
  const [low, high] = [Math.log10(ticks[0]), Math.log10(ticks.at(-1))];
  return (value) => (Math.log10(value) - low) / (high - low);
};

function axes({ xTicks, yTicks, x, y, xWords }) {
  const bottom = panel.top + panel.height;
  const lines = yTicks.map(
    (tick) =>
      `<line class="grid" x1="${panel.left}" x2="${panel.left + panel.width}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${panel.left - 6}" y="${round(y(tick) + 4)}" text-anchor="end">${shownNumber(tick)}</text>`,
  );
  const every = xTicks.length > 6 ? 2 : 1;
  const marks = xTicks
    .filter((_, i) => i % every === 0)
    .map(
      (tick) =>
        `<line class="axis" x1="${x(tick)}" x2="${x(tick)}" y1="${bottom}" y2="${bottom + 4}"/><text x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${shownNumber(tick)}</text>`,
    );
  const middle = panel.left + panel.width / 2;
  return [
    ...lines,
    ...marks,
    `<line class="axis" x1="${panel.left}" x2="${panel.left + panel.width}" y1="${bottom}" y2="${bottom}"/>`,
    `<text x="${middle}" y="${bottom + 36}" text-anchor="middle">${xWords}</text>`,
  ];
}

/** Draws one measure by size. The broken line is what growth in proportion to the size would be. */
function drawPanel({ points, title, xWords, at }) {
  const [xTicks, yTicks] = [0, 1].map((column) => decades(points.map((point) => point[column])));
  const [inX, inY] = [placeIn(xTicks), placeIn(yTicks)];
  const x = (value) => round(panel.left + panel.width * inX(value));
  const y = (value) => round(panel.top + panel.height * (1 - inY(value)));
  const [size, cost] = points[0];
  const end = Math.min(xTicks.at(-1), (size * yTicks.at(-1)) / cost);
  const even = `${x(size)},${y(cost)} ${x(end)},${y((cost * end) / size)}`;
  const labels = points.map(([place, value], i) => {
    const isHigh = y(value) - panel.top < 16;
    const above = isHigh ? 18 : -9;
    const anchor = i === 0 ? 'start' : isHigh || i < points.length - 1 ? 'middle' : 'end';
    return `<circle class="point" cx="${x(place)}" cy="${y(value)}" r="3.5"/><text x="${x(place)}" y="${round(y(value) + above)}" text-anchor="${anchor}" class="value">${shownNumber(value)}</text>`;
  });
  return [
    `<g transform="translate(${at} 0)">`,
    `<text class="title" x="${panel.left}" y="${panel.top - 16}">${title}</text>`,
    ...axes({ xTicks, yTicks, x, y, xWords }),
    `<polyline class="even" points="${even}"/>`,
    `<polyline class="cost" points="${points.map(([place, value]) => `${x(place)},${y(value)}`).join(' ')}"/>`,
    ...labels,
    '</g>',
  ];
}

/**
 * Draws the picture of a curve.
 * @param {keyof typeof words} name
 * @param {{ points: { size: number; milliseconds: number; mib: number }[] }} curve
 * @returns {string} SVG
 */
export function growthPicture(name, { points }) {
  const { x, time, perUnit, memory, title } = words[name];
  const [first, last] = [points[0], points.at(-1)];
  const description = `${title}. ${shownNumber(first.size)} ${x}: ${shownNumber(perUnit(first))} ${time.toLowerCase()}, ${first.mib} MiB. ${shownNumber(last.size)} ${x}: ${shownNumber(perUnit(last))} and ${last.mib} MiB.`;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole.width} ${whole.height}" width="${whole.width}" height="${whole.height}" role="img" aria-labelledby="title words">`,
    `<title id="title">${title}</title>`,
    `<desc id="words">${description}</desc>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="100%" height="100%" rx="6"/>`,
    ...drawPanel({
      points: points.map((point) => [point.size, perUnit(point)]),
      title: time,
      xWords: x,
      at: 0,
    }),
    ...drawPanel({
      points: points.map((point) => [point.size, point.mib]),
      title: memory,
      xWords: x,
      at: step,
    }),
    `<text class="note" x="${panel.left}" y="${whole.height - 10}">Both axes are logarithmic. Broken line: growth in proportion to the number of ${x}.</text>`,
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}
