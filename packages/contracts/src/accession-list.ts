/** The rule by which a text is a list of accessions, for clients that look at a text before they send it. */
export { accessionList, strangerSentence } from '@kindred/kernels/accessions';
