import type { TranscriptEntry, TranscriptFormat } from './protocol.js';
import { TextAnswer } from './route.js';
import { linesOf } from './transcript.js';
import type { UnknownRoutes } from './unknown-routes.js';

/** The text ends with the calls to routes that do not exist. */
export function formatTranscript(
  entries: readonly TranscriptEntry[],
  unknownRoutes: UnknownRoutes,
  format: TranscriptFormat,
): object {
  switch (format) {
    case 'json':
      return entries;
    case 'jsonl':
      return new TextAnswer('application/x-ndjson', entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    case 'text': {
      const unknown = unknownRoutes.describe();
      return new TextAnswer('text/plain; charset=utf-8', linesOf(entries) + (unknown === null ? '' : `\n${unknown}`));
    }
  }
}
