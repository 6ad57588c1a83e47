import type { Loose } from './graphql.js';
import type { Person } from './people.js';
import type { TestServer } from './server.js';
import { socketClient, subscribe as subscribeOn } from './sockets.js';

interface ChannelEvent {
  type: string;
  data: Loose;
}

export interface ChannelEvents {
  /** The first unread or future event that `isWanted`. */
  next(isWanted?: (event: ChannelEvent) => boolean): Promise<ChannelEvent>;
  close(): Promise<void>;
}

/** Subscribes to a channel's events as `person`. Resolves once the server has subscribed. */
export async function subscribe(server: TestServer, person: Person, channelId: string): Promise<ChannelEvents> {
  const client = socketClient(server, { token: person.token });
  const events = await subscribeOn(client, `subscription ($id: ID!) { channelEvents(channelId: $id) { type data } }`, {
    id: channelId,
  });
  const passedOver: ChannelEvent[] = [];
  return {
    async next(isWanted = () => true) {
      const known = passedOver.findIndex(isWanted);
      if (known >= 0) return passedOver.splice(known, 1)[0] as ChannelEvent;
      for (;;) {
        const { data, errors } = await events.next();
        if (errors) throw new Error(`the subscription failed: ${JSON.stringify(errors)}`);
        const event: ChannelEvent = data.channelEvents;
        if (isWanted(event)) return event;
        passedOver.push(event);
      }
    },
    async close() {
      await client.dispose();
    },
  };
}
