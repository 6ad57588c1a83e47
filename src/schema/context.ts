import { type AppContext, callContext } from '../context.js';
import type { CallContext } from '../domain/call.js';
import { Loaders } from './loaders.js';

/** What every resolver is handed. */
export interface GraphqlContext {
  app: AppContext;
  call: CallContext;
  loaders: Loaders;
  /** Every open subscription of the process, to be ended when it stops. */
  streams: Set<{ end(error?: unknown): void }>;
  /** Whether the credentials this operation came with still name the caller; asked by operations that last. */
  isStillSignedIn(): Promise<boolean>;
}

/** Forgets what an operation that lasts has read so far; whoever calls stays the same. */
export function renewContext(context: GraphqlContext): void {
  const { actor, requestId } = context.call;
  context.call = callContext(context.app, actor, { requestId });
  context.loaders = new Loaders();
}
