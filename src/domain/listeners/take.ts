import { snowflakeTime } from '../../infra/ids/ids.js';
import type { CallContext } from '../call.js';
import { LISTENER_PATIENCE_MS } from '../interactions/delivery/listener.js';
import { ANSWER_WINDOW_MS } from '../interactions/states.js';
import { transitionWithStep } from '../interactions/transitions.js';
import { type SignatureHeaders, signatureOf } from '../interactions-endpoints/post.js';
import type { Listener } from './listen.js';

/** A request that an endpoint would receive. */
export interface ForwardedInteraction {
  id: bigint;
  /** JSON. */
  body: string;
  signature: SignatureHeaders;
}

/** A listener must take an interaction this long before the platform gives it up. In milliseconds. */
const MARGIN_MS = 250;

/**
 * Takes an interaction for a listener, which answers through the callback route.
 * @returns null if the interaction is no longer to be delivered, or too old
 */
export async function forwardInteraction(
  call: CallContext,
  { applicationId }: Listener,
  { id, body }: Pick<ForwardedInteraction, 'id' | 'body'>,
): Promise<ForwardedInteraction | null> {
  if (call.clock.now() - snowflakeTime(id) > LISTENER_PATIENCE_MS - MARGIN_MS) return null;
  const application = await call.read.application.findUnique({
    where: { id: applicationId, deletedAt: null },
    select: { privateKey: true },
  });
  if (!application) return null;
  const signature = signatureOf(call, application, body);
  const endsAt = new Date(call.clock.now() + ANSWER_WINDOW_MS);
  const isTaken = await transitionWithStep(call, { id, applicationId }, ['DELIVERING'], {
    data: { state: 'DELIVERED_HTTP', endsAt },
    step: { kind: 'HTTP', reason: 'A listener received it (`causeway listen`).' },
  });
  if (!isTaken) return null;
  call.overdue.lookAt(endsAt.getTime());
  return { id, body, signature };
}
