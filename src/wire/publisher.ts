import type { EventBus } from '../domain/bus-message.js';
import type { DomainEvent } from '../domain/events.js';
import type { LatestChanges } from '../domain/latest-changes.js';
import type { Logger } from '../infra/logger.js';
import { renderEvent } from './events/index.js';
import type { WireOptions } from './messages.js';

/**
 * What renders an event and publishes it. What happened is stored by then, so it never throws: an event that cannot be rendered
 * or published is logged and lost.
 */
export function createPublisher(
  bus: EventBus,
  options: WireOptions,
  log: Logger,
  changes: LatestChanges,
): (event: DomainEvent, since?: number) => void {
  return (event, since) => {
    try {
      const { topics, message } = renderEvent(since === undefined ? event : changes.upToDate(event, since), options);
      for (const topic of topics) bus.publish(topic, message);
      changes.note(event);
    } catch (error) {
      log.error({ err: error, type: event.type }, 'an event could not be published');
    }
  };
}
