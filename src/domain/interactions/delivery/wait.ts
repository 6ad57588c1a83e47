import type { InteractionState } from '../../../infra/database/index.js';
import { topics } from '../../../infra/streams/topics.js';
import type { CallContext } from '../../call.js';
import type { InteractionRecord } from '../record.js';

export interface Waiting {
  ready: Promise<void>;
  /**
   * Settles with the first state that is not in `states`, or after `ms` milliseconds and `late`.
   * @throws what `late` throws
   */
  settled(ms: number, late?: () => Promise<unknown>): Promise<void>;
  close(): void;
}

/** Works for changes in any process. */
export function waitForEndOf(
  call: CallContext,
  { id, applicationId }: Pick<InteractionRecord, 'id' | 'applicationId'>,
  states: readonly InteractionState[],
): Waiting {
  let arrived: (state: InteractionState) => void = () => {};
  const state = new Promise<InteractionState>((resolve) => {
    arrived = resolve;
  });
  const subscription = call.bus.subscribe(topics.application(applicationId), (message) => {
    if (message.type !== 'INTERACTION_UPDATED' || message.interaction?.id !== String(id)) return;
    const { state } = message.interaction;
    if (state !== undefined && !states.includes(state)) arrived(state);
  });
  return {
    ready: subscription.ready,
    settled(ms, late = async () => {}) {
      return new Promise((resolve, reject) => {
        const timer = call.clock.after(ms, () => late().then(() => resolve(), reject));
        void state.then(() => {
          timer.cancel();
          resolve();
        });
      });
    },
    close: () => subscription.close(),
  };
}
