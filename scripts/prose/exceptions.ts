/** Folders and files whose text has not been rewritten yet. */
export const UNCHECKED = [
  'bench',
  'docs/decisions.md',
  'docs/glossary.md',
  'examples',
  'portal',
  'scripts',
  'src',
  'test',
];

/** Paragraphs that contain `text` are not checked. */
export const EXCEPTIONS: readonly { file: string; text: string; reason: string }[] = [];
