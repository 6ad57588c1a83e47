import type { EventBus } from '../domain/bus-message.js';
import type { DomainEvent } from '../domain/events.js';
import type { LatestChanges } from '../domain/latest-changes.js';
import type { Logger } from '../infra/observability/logger.js';
import { renderEvent } from './events/index.js';
import type { WireOptions } from './messages.js';

/**
 * Renders and publishes events. It never throws, because the change is already stored. A failed event is logged and
 * lost.
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
      log.error({ err: error, type: event.type }, 'Could not publish an event');
    }
  };
}
