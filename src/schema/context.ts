import type { GraphQLParams } from 'graphql-yoga';
import { type AppContext, callContext } from '../context.js';
import type { CallContext } from '../domain/call.js';
import type { OperationBudget } from './budget.js';
import { Loaders } from './loaders.js';
import type { Streams } from './streams.js';
import type { Turn } from './turn.js';

/** What every resolver is handed. */
export interface GraphqlContext {
  app: AppContext;
  call: CallContext;
  loaders: Loaders;
  /** What the operation may still read and show; for a subscription, what its present event may. */
  budget: OperationBudget;
  /** The operation, where it came as a form. */
  formParams?: GraphQLParams;
  /** Every open subscription of the process. */
  streams: Streams;
  /** Of a subscription: its turn to have a value worked out, which ends when that is done. */
  turn: Turn;
  /** The socket that it came over, by the id of its connection; none for one that came as a request of its own. */
  connectionId?: string;
  /** Of a request of its own: aborted when nobody waits for its answer any more. */
  gone?: AbortSignal;
  /** Whether the credentials this operation came with still name the caller; asked by operations that last. */
  isStillSignedIn(): Promise<boolean>;
}

/** Forgets what an operation that lasts has read so far; whoever calls stays the same. */
export function renewContext(context: GraphqlContext): void {
  const { actor, requestId, locale } = context.call;
  context.call = callContext(context.app, actor, { requestId, locale });
  context.loaders = new Loaders();
}
