import type { BoxConfig } from '../../config.js';
import { type Close, closes } from '../protocol/closes.js';

/** What somebody has to do before a box may dial again, for each permanent close (docs/relay.md, R-6). */
const WHAT_TO_DO: Record<number, (isEnrolled: boolean) => string> = {
  [closes.noVersion.code]: () =>
    'box and cloud speak no version of the protocol in common: update the older one of them',
  [closes.notAdmitted.code]: (isEnrolled) =>
    isEnrolled
      ? 'the cloud does not know the key of this box any more: it was deleted in the portal, or enrolled anew elsewhere'
      : 'the enrolment token is missing, used up or unknown: make a new one in the portal and start again with BOX_TOKEN',
  [closes.deleted.code]: () => 'the box was deleted in the portal: enrol a new one in another DATA_DIR',
  [closes.replaced.code]: () => 'another box runs with a copy of this data folder: only one of them may',
  [closes.notOwnId.code]: () => 'the cloud refuses an id of this box: it exists elsewhere',
};

/** One line for whoever runs a box that its cloud refuses. */
export function describeRefusal(
  { code, reason }: Close,
  { cloudUrl }: Pick<BoxConfig, 'cloudUrl'>,
  isEnrolled: boolean,
): string {
  const toDo = WHAT_TO_DO[code]?.(isEnrolled) ?? 'the cloud refuses this box';
  return `${cloudUrl}: ${toDo} (${code} ${reason})`;
}
