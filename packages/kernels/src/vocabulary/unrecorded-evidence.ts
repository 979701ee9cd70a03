/** The root of the Evidence and Conclusion Ontology. It means that there is some evidence, and the source does not record which. */
export const unrecordedEvidence = 'ECO:0000000';
