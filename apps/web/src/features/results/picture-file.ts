/** The properties that the page's style sheet gives, and that a file needs itself. */
const keptStyles = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-family', 'font-size'];
/** The width of a saved PNG in pixels, enough for a slide. */
const pngWidth = 2400;

/** Writes a drawing of the page as an SVG file, with the colours that the page has now. */
export function svgOf(picture: SVGSVGElement): Blob {
  return new Blob([fileText(picture)], { type: 'image/svg+xml' });
}

/** Paints a drawing of the page as a PNG file. */
export async function pngOf(picture: SVGSVGElement): Promise<Blob> {
  return pngOfText(fileText(picture));
}

/** Paints the text of an SVG file, which says its width and height, as a PNG file. */
export async function pngOfText(text: string): Promise<Blob> {
  const image = new Image();
  image.src = svgAddress(text);
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = pngWidth;
  canvas.height = Math.round((pngWidth * image.naturalHeight) / image.naturalWidth);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('no picture')) : resolve(blob)), 'image/png'),
  );
}

/** Gives the address of an SVG file for an image. */
export const svgAddress = (text: string) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;

function fileText(picture: SVGSVGElement): string {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const { width, height } = picture.viewBox.baseVal;
  copy.removeAttribute('style');
  copy.setAttribute('width', `${width}`);
  copy.setAttribute('height', `${height}`);
  const originals = [...picture.querySelectorAll('rect, polyline, text')];
  for (const [at, element] of [...copy.querySelectorAll('rect, polyline, text')].entries()) {
    const style = getComputedStyle(originals[at] as Element);
    for (const name of keptStyles) element.setAttribute(name, plainColour(style.getPropertyValue(name)));
    element.removeAttribute('class');
  }
  return new XMLSerializer().serializeToString(copy);
}

/** Writes a mixed colour as programs for pictures know it; any other text stays as it is. */
export function plainColour(text: string): string {
  const parts = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)\)$/.exec(text)?.slice(1);
  return parts === undefined
    ? text
    : `rgb(${parts.map((part) => Math.round(255 * Math.min(1, Math.max(0, Number(part))))).join(', ')})`;
}
