import type { BusMessage } from '../../src/domain/bus-message.js';
import type { DomainEvent } from '../../src/domain/events.js';
import { BUS_RECONNECTED, subscribeToAll, topicsOfGuild } from '../../src/infra/processes/bus.js';
import { renderEvent } from '../../src/wire/events/index.js';
import type { TestServer } from './server.js';

type App = TestServer['app'];

export function hearGuild({ app }: { app: App }, guildId: bigint | string): { events: BusMessage[]; close(): void } {
  const events: BusMessage[] = [];
  const { close } = subscribeToAll(app.bus, topicsOfGuild(guildId), (message) => {
    if (message.type !== BUS_RECONNECTED) events.push(message);
  });
  return { events, close };
}

export function messageOfEvent(app: App, event: DomainEvent): BusMessage {
  return renderEvent(event, app.addresses).message;
}
