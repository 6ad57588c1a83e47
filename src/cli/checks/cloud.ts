import type { BoxConfig } from '../../config.js';
import { ANSWER_WITHIN_MS, askGateway } from './answers.js';
import { type Check, failure, messageOf, passed, skipped } from './check.js';
import type { ClockReading } from './clock.js';

/** Whether a box reaches its cloud. */
export async function checkCloud({ cloudUrl }: BoxConfig): Promise<{ checks: Check[]; clocks: ClockReading[] }> {
  if (cloudUrl === null)
    return { checks: [skipped('cloud', 'CLOUD_URL is none; the box runs without its cloud')], clocks: [] };
  try {
    const { url, status, clockOffsetMs } = await askGateway(cloudUrl);
    const check =
      url === null
        ? failure('cloud', `${cloudUrl} answers ${status}, and not like a cloud`, 'Correct CLOUD_URL.')
        : passed('cloud', `${cloudUrl} answers`);
    const clocks =
      url === null || clockOffsetMs === null
        ? []
        : [{ of: 'the cloud', offsetMs: clockOffsetMs, withinMs: ANSWER_WITHIN_MS / 2 }];
    return { checks: [check], clocks };
  } catch (error) {
    return { checks: [failure('cloud', `no answer from ${cloudUrl}: ${messageOf(error)}`, ADVICE)], clocks: [] };
  }
}

const ADVICE =
  'Correct CLOUD_URL, or let this machine reach it. A cloud with your own certificate needs NODE_EXTRA_CA_CERTS.';
