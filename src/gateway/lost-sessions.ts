import type { AppContext } from '../context.js';
import { instanceOf } from '../domain/live-processes/index.js';
import { giveBackIdentify } from '../domain/presences/index.js';
import type { Bus } from '../infra/processes/bus.js';

/** Received, but not answered. */
export interface LifeMessage {
  type: 'ARE_YOU_THERE';
}

const topicOf = (instance: string) => `process:${instance}`;

/** Sessions that ended with a killed process. */
export class LostSessions {
  /** @param bus null in a set-up of one process */
  constructor(
    private readonly app: AppContext,
    private readonly bus: Bus<LifeMessage> | null,
  ) {}

  async prepare(): Promise<void> {
    await this.bus?.subscribe(topicOf(this.app.live.instance), () => {}).ready;
  }

  /** For a RESUME of a session that no process has. */
  giveBack(sessionId: string, botId: bigint): Promise<void> {
    return giveBackIdentify(this.app.callOfNobody(), { sessionId, botId }, (processId) => this.#isGone(processId));
  }

  /** The subscriptions of a killed process end at once, long before its heartbeat expires. */
  async #isGone(processId: string): Promise<boolean> {
    if (this.app.live.isOwn(processId)) return false;
    const delivery = await this.bus
      ?.deliver(topicOf(instanceOf(processId)), { type: 'ARE_YOU_THERE' })
      .catch(() => 'away');
    return delivery === undefined || delivery === 'unheard';
  }
}
