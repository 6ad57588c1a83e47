import { snowflakeTime } from '../../infra/ids/ids.js';
import type { CallContext } from '../call.js';
import { LISTENER_PATIENCE_MS } from '../interactions/delivery/listener.js';
import type { InteractionRecord } from '../interactions/record.js';
import { ANSWER_WINDOW_MS } from '../interactions/states.js';
import { transitionWithStep } from '../interactions/transitions.js';
import { type SignatureHeaders, signatureOf } from '../interactions-endpoints/post.js';
import { accessForwarded } from './access.js';
import type { Listener } from './listen.js';

/** A request that an endpoint would receive. */
export interface ForwardedInteraction {
  id: bigint;
  /** JSON. */
  body: string;
  signature: SignatureHeaders;
}

/** Signs an interaction for a listener. @returns null if the application was deleted */
export async function forwardInteraction(
  call: CallContext,
  { applicationId }: Listener,
  { id, body }: Pick<ForwardedInteraction, 'id' | 'body'>,
): Promise<ForwardedInteraction | null> {
  const application = await call.read.application.findUnique({
    where: { id: applicationId, deletedAt: null },
    select: { privateKey: true },
  });
  return application && { id, body, signature: signatureOf(call, application, body) };
}

/** A listener must take an interaction this long before the platform gives it up. In milliseconds. */
const MARGIN_MS = 250;

export interface Taking {
  interaction: InteractionRecord;
  /** If false, the endpoint or the bot gets it, or it has ended. */
  isTaken: boolean;
}

/**
 * Claims an interaction for the listener that received it, which answers through the callback route. A listener whose
 * connection is dead claims none, so that the endpoint or the bot gets it.
 * @throws the errors of `accessForwarded`
 */
export async function takeForwarded(call: CallContext, id: bigint): Promise<Taking> {
  const interaction = await accessForwarded(call, id);
  if (call.clock.now() - snowflakeTime(id) > LISTENER_PATIENCE_MS - MARGIN_MS) return { interaction, isTaken: false };
  const endsAt = new Date(call.clock.now() + ANSWER_WINDOW_MS);
  const isTaken = await transitionWithStep(call, interaction, ['DELIVERING'], {
    data: { state: 'DELIVERED_HTTP', endsAt },
    step: { kind: 'HTTP', reason: 'A listener received it (`causeway listen`).' },
  });
  if (isTaken) call.overdue.lookAt(endsAt.getTime());
  return { interaction: await call.read.interaction.findUniqueOrThrow({ where: { id } }), isTaken };
}
