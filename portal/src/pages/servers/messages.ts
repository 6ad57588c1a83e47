import { useEffect, useMemo, useRef, useState } from 'react';
import { type Client, useClient } from 'urql';
import { connection } from '../../connection.js';
import { ChannelEventsDocument } from '../../gql/servers/channel.js';
import type { ChannelRowFragment, MessageShownFragment } from '../../gql/types.js';
import { sessionEnded } from '../../session.js';
import { useStore } from '../../store.js';
import { ChannelLog, type Fate } from './channel-log.js';
import { useTyping } from './typing.js';
import { newsOf } from './wire.js';

/** For how long after somebody began to listen messages may have been missed, in milliseconds. */
const MISSED_MS = 1_500;

/** The messages of a channel as far as they were asked for, oldest first, and what goes on there. */
export interface ShownMessages {
  /** Undefined while they are on their way. */
  messages: readonly MessageShownFragment[] | undefined;
  /** Why these are not the newest ones. */
  fault: string | null;
  askNewest(): void;
  hasOlder: boolean;
  /** @returns why there are no older ones to show; null where they are there */
  loadOlder(): Promise<string | null>;
  /** Shows a message as it is now, whether or not it was there. */
  put(message: MessageShownFragment): void;
  remove(id: string): void;
  /** What has become of a message that was there, as far as is known. */
  fateOf(id: string): Fate;
  /** Who is typing. */
  typing: string[];
  /** Whether the caller can no longer see the channel. */
  isOver: boolean;
}

/** Shows a channel's messages, live. An event only tells what to ask for, so that all that is shown comes the same way. */
export function useMessages({ id: channelId, viewerPermissions }: ChannelRowFragment, selfId: string): ShownMessages {
  const client = useClient();
  const channel = useMemo(() => new ChannelLog(client, channelId), [client, channelId]);
  const { known, hasOlder, fault } = useStore(channel.log);
  const { typing, note, forget } = useTyping(selfId);
  const { askNewest, loadOlder, put, remove, fateOf } = channel;
  const hear = (type: string, data: unknown) => {
    const news = newsOf(type, data);
    if (news.kind === 'gone') remove(...news.ids);
    if (news.kind === 'typing') note(news);
    if (news.kind === 'message') channel.renew(news.id);
    if (type === 'MESSAGE_CREATE') forget(data);
  };
  const isOver = useEvents(channelId, hear, askNewest);
  const rights = useRef(viewerPermissions);
  useEffect(() => {
    // What somebody may do with each message is told with it.
    if (rights.current !== viewerPermissions) askNewest();
    rights.current = viewerPermissions;
  }, [viewerPermissions, askNewest]);
  const messages = useMemo(() => known && [...known.values()], [known]);
  return {
    messages: messages ?? undefined,
    fault,
    askNewest,
    hasOlder,
    loadOlder,
    put,
    remove,
    fateOf,
    typing,
    isOver,
  };
}

/** Hears of what goes on in a channel. @returns whether the caller can no longer see it */
function useEvents(channelId: string, hear: Listener['hear'], askNewest: () => void): boolean {
  const client = useClient();
  const [isOver, setOver] = useState(false);
  const latest = useRef({ hear, askNewest });
  latest.current = { hear, askNewest };
  const isSignedOut = useStore(sessionEnded);
  useEffect(() => {
    if (isSignedOut) return;
    return listen(client, channelId, {
      hear: (type, data) => latest.current.hear(type, data),
      askNewest: () => latest.current.askNewest(),
      end: () => setOver(true),
    });
  }, [client, channelId, isSignedOut]);
  return isOver;
}

interface Listener {
  hear(type: string, data: unknown): void;
  askNewest(): void;
  end(): void;
}

/** Hears of a channel's events; after each begin, what was missed is asked for. @returns what ends it */
function listen(client: Client, id: string, { hear, askNewest, end }: Listener): () => void {
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const begin = () => {
    askNewest();
    timers.add(setTimeout(askNewest, MISSED_MS));
  };
  const events = client.subscription(ChannelEventsDocument, { id }).subscribe(({ data, error }) => {
    if (data) hear(data.channelEvents.type, data.channelEvents.data);
    if (error?.graphQLErrors.some(({ extensions }) => /NOT_FOUND|FORBIDDEN/.test(String(extensions.code)))) end();
  });
  const stop = connection.subscribe(() => connection.get() === 'live' && begin());
  begin();
  return () => {
    events.unsubscribe();
    stop();
    for (const timer of timers) clearTimeout(timer);
  };
}
