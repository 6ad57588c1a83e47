import { randomUUID } from 'node:crypto';
import { RefusedByCloud } from '../../config.js';
import { type Clock, pause } from '../../infra/clock.js';
import type { Logger } from '../../infra/observability/logger.js';
import { type Close, closes, isPermanent } from '../protocol/closes.js';
import { dialRelay } from '../ws-adapter.js';
import { BackOff, seconds } from './back-off.js';
import { Connection } from './connection.js';
import type { Welcome } from './greeting.js';
import type { BoxIdentity, Enrolment } from './identity.js';
import { describeDialFault, relayUrl } from './origins.js';
import { describeRefusal } from './refusals.js';

export interface EnrolParts {
  identity: BoxIdentity;
  token: string | null;
  clock: Clock;
  log: Logger;
  /** Like `Math.random`. */
  random?: () => number;
}

/**
 * Retries while the cloud is unreachable, because a box makes no ids before its enrolment.
 * @throws {RefusedByCloud} if the cloud refuses the box
 */
export async function enrol(parts: EnrolParts): Promise<Enrolment> {
  // The clock's timers do not keep the process alive.
  const alive = setInterval(() => {}, KEEP_ALIVE_MS);
  try {
    return await untilEnrolled(parts);
  } finally {
    clearInterval(alive);
  }
}

const KEEP_ALIVE_MS = 60_000;

/** After these codes, the cloud has not accepted a new key. After other codes, it may have. */
const SAYS_NO: readonly number[] = [closes.notAdmitted, closes.deleted, closes.notOwnId, closes.otherOrigin].map(
  ({ code }) => code,
);

async function untilEnrolled(parts: EnrolParts): Promise<Enrolment> {
  const { identity, clock, log, random = Math.random } = parts;
  const backOff = new BackOff(clock, random);
  for (;;) {
    const met = await meet(parts);
    if ('box_id' in met) {
      const enrolment = { boxId: met.box_id, idSpace: met.id_space };
      identity.enrol(enrolment);
      log.info({ boxId: String(met.box_id) }, `Enrolled at ${identity.cloudUrl} as "${met.name}"`);
      return enrolment;
    }
    if (isPermanent(met.code)) {
      const reason = describeRefusal(met, identity);
      if (SAYS_NO.includes(met.code)) identity.goBack();
      throw new RefusedByCloud(reason);
    }
    const wait = backOff.next();
    log.warn(`Could not enrol at ${identity.cloudUrl}: ${met.reason}; retrying in ${seconds(wait)} s`);
    await pause(clock, wait);
  }
}

/** @returns the welcome, or why there was none */
function meet({ identity, token, clock, log }: EnrolParts): Promise<Welcome | Close> {
  return new Promise((resolve) => {
    dialRelay(
      relayUrl(identity.cloudUrl),
      (outlet) => {
        const events = {
          onWelcome: (welcome: Welcome) => {
            resolve(welcome);
            connection.end(closes.goingAway);
          },
          onGoingAway: () => {},
          onClosed: resolve,
        };
        const parts = { identity, token, instance: randomUUID(), clock, log, services: null, events };
        const connection = new Connection(outlet, parts);
        return connection.link;
      },
      (error) => resolve({ code: closes.unavailable.code, reason: describeDialFault(error) }),
    );
  });
}
