import type { BusMessage } from '../../src/domain/bus-message.js';
import type { DomainEvent } from '../../src/domain/events.js';
import { STREAM_GAP } from '../../src/infra/streams/stream.js';
import { topics } from '../../src/infra/streams/topics.js';
import { renderEvent } from '../../src/wire/events/index.js';
import type { TestServer } from './server.js';

type App = TestServer['app'];

export function hearGuild({ app }: { app: App }, guildId: bigint | string): { events: BusMessage[]; close(): void } {
  const events: BusMessage[] = [];
  const subscription = app.bus.subscribe(topics.guild(guildId), (message) => {
    if (message.type !== STREAM_GAP) events.push(message);
  });
  return { events, close: () => subscription.close() };
}

export function messageOfEvent(app: App, event: DomainEvent): BusMessage {
  return renderEvent(event, app.addresses).message;
}
