/** Folders and files whose text has not been rewritten yet. */
export const UNCHECKED = [
  'bench',
  'docs/architecture.md',
  'docs/decisions.md',
  'docs/gateway.md',
  'docs/glossary.md',
  'docs/interactions.md',
  'docs/operations.md',
  'docs/parity.md',
  'docs/performance.md',
  'docs/permissions.md',
  'docs/portal.md',
  'docs/relay.md',
  'docs/webhooks.md',
  'examples',
  'portal',
  'scripts',
  'src',
  'test',
];

/** Paragraphs that contain `text` are not checked. */
export const EXCEPTIONS: readonly { file: string; text: string; reason: string }[] = [];
