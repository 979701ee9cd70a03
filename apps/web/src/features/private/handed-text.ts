/** The text of the first page's form, which the private page takes over. It stays in the memory of this document. */
export const handed = { text: '' };
