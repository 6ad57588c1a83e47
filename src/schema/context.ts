import type { GraphQLParams } from 'graphql-yoga';
import { type AppContext, callContext } from '../context.js';
import type { CallContext } from '../domain/call.js';
import type { OperationBudget } from './budget.js';
import { Loaders } from './loaders.js';
import type { Streams } from './streams.js';
import type { Turn } from './turn.js';

export interface GraphqlContext {
  app: AppContext;
  call: CallContext;
  loaders: Loaders;
  /** Budget of the operation, or of a subscription's current event. */
  budget: OperationBudget;
  /** Set if the operation was sent as a form. */
  formParams?: GraphQLParams;
  /** Every open subscription of the process. */
  streams: Streams;
  /** A subscription's permit to compute a value. */
  turn: Turn;
  /** Set for operations over a WebSocket. */
  connectionId?: string;
  /** Set for HTTP requests; aborted when the caller disconnects. */
  gone?: AbortSignal;
  /** Long-lived operations check it. */
  isStillSignedIn(): Promise<boolean>;
}

/** Discards what a long-lived operation has read so far. */
export function renewContext(context: GraphqlContext): void {
  const { actor, requestId, locale } = context.call;
  context.call = callContext(context.app, actor, { requestId, locale });
  context.loaders = new Loaders();
}
