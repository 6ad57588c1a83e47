import { type Close, closes } from '../protocol/closes.js';
import type { BoxIdentity } from './identity.js';

type Standing = Pick<BoxIdentity, 'enrolment' | 'isChangingKeys'>;

/** Instructions to the operator, by permanent close code (docs/relay.md, R-6). */
const WHAT_TO_DO: Record<number, (box: Standing) => string> = {
  [closes.noVersion.code]: () => 'the box and the cloud have no protocol version in common: update the older one',
  [closes.notAdmitted.code]: notAdmitted,
  [closes.deleted.code]: () =>
    `the box was deleted in the cloud: enrol it again with BOX_TOKEN from createBox, ${OR_ALONE}`,
  [closes.replaced.code]: () => 'another box is running with a copy of this data folder: stop one of them',
  [closes.notOwnId.code]: ({ isChangingKeys }) =>
    isChangingKeys
      ? `BOX_TOKEN belongs to another box, whose ids differ from those in this data folder: use a token of this box, ${OR_ALONE}`
      : 'the cloud refused an id of this box because it exists elsewhere',
  [closes.otherOrigin.code]: () => 'CLOUD_URL must be the PUBLIC_URL of the cloud',
};

const OR_ALONE = 'or start with CLOUD_URL=none to continue without a cloud';

function notAdmitted({ enrolment, isChangingKeys }: Standing): string {
  const token = 'the token in BOX_TOKEN is used, expired or unknown: create another one with newEnrolmentToken';
  if (!enrolment) return token;
  if (isChangingKeys) return `${token}, or start without BOX_TOKEN to continue with the previous key`;
  return `the cloud does not know the key of this box: it was deleted or enrolled with another key. Enrol it again with BOX_TOKEN from newEnrolmentToken or createBox, ${OR_ALONE}`;
}

export function describeRefusal({ code, reason }: Close, box: Standing & Pick<BoxIdentity, 'cloudUrl'>): string {
  const toDo = WHAT_TO_DO[code]?.(box) ?? 'the cloud refused this box';
  return `${box.cloudUrl}: ${toDo} (${code} ${reason})`;
}
