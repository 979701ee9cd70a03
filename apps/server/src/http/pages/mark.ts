const shape = `<rect width="32" height="32" rx="8" fill="#0b6e63"/>
  <path d="M9.5 22.5 16 11l6.5 11.5" stroke="#fff" stroke-width="2.2" fill="none" stroke-linecap="round"/>
  <circle cx="16" cy="10" r="3.6" fill="#fff"/>
  <circle cx="9" cy="23" r="3" fill="#8fe0d0"/>
  <circle cx="23" cy="23" r="3" fill="#8fe0d0"/>`;

/**
 * The service's mark is that of the web client; the second form has the name beside it, for dark backgrounds.
 */
export const mark = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${shape}</svg>`);
export const markWithName = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 136 32" height="40">${shape}
  <text x="42" y="23" font-family="system-ui, sans-serif" font-size="20" font-weight="600" fill="#fff">Kindred</text></svg>`,
);
