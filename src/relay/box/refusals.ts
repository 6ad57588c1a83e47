import { type Close, closes } from '../protocol/closes.js';
import type { BoxIdentity } from './identity.js';

type Standing = Pick<BoxIdentity, 'enrolment' | 'isChangingKeys'>;

/** Instructions to the operator, by permanent close code (docs/relay.md, R-6). */
const WHAT_TO_DO: Record<number, (box: Standing) => string> = {
  [closes.noVersion.code]: () =>
    'box and cloud speak no version of the protocol in common: update the older one of them',
  [closes.notAdmitted.code]: notAdmitted,
  [closes.deleted.code]: () =>
    `the box was deleted in the cloud: enrol it anew with BOX_TOKEN from createBox, ${OR_ALONE}`,
  [closes.replaced.code]: () => 'another box runs with a copy of this data folder: only one of them may',
  [closes.notOwnId.code]: ({ isChangingKeys }) =>
    isChangingKeys
      ? `the token of BOX_TOKEN is of another box, whose ids are others than those in this data folder: take one of this box, ${OR_ALONE}`
      : 'the cloud refuses an id of this box: it exists elsewhere',
  [closes.otherOrigin.code]: () => 'CLOUD_URL must be as the cloud calls itself, which is its PUBLIC_URL',
};

const OR_ALONE = 'or start with CLOUD_URL=none to go on without a cloud';

function notAdmitted({ enrolment, isChangingKeys }: Standing): string {
  const token = 'the token of BOX_TOKEN is used up, expired or unknown: make another with newEnrolmentToken';
  if (!enrolment) return token;
  if (isChangingKeys) return `${token}, or start without BOX_TOKEN to go on with the key from before`;
  return `the cloud does not know the key of this box any more, since it was deleted or enrolled with another key: enrol it anew with BOX_TOKEN from newEnrolmentToken or createBox, ${OR_ALONE}`;
}

export function describeRefusal({ code, reason }: Close, box: Standing & Pick<BoxIdentity, 'cloudUrl'>): string {
  const toDo = WHAT_TO_DO[code]?.(box) ?? 'the cloud refuses this box';
  return `${box.cloudUrl}: ${toDo} (${code} ${reason})`;
}
