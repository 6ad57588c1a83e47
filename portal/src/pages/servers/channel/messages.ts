import { useEffect, useMemo, useRef, useState } from 'react';
import { type Client, useClient } from 'urql';
import { connection } from '../../../connection.js';
import { ChannelEventsDocument } from '../../../gql/servers/channel/channel.js';
import type { ChannelRowFragment, MessageShownFragment } from '../../../gql/types.js';
import { sessionEnded } from '../../../session.js';
import { useStore } from '../../../store.js';
import { ChannelLog, type Fate } from './channel-log.js';
import { useTyping } from './typing.js';
import { newsOf } from './wire.js';

/** How long after subscribing events may be missed, in milliseconds. */
const MISSED_MS = 1_500;

export interface ShownMessages {
  /** Oldest first; undefined while loading. */
  messages: readonly MessageShownFragment[] | undefined;
  /** Why the newest messages could not be loaded. */
  fault: string | null;
  askNewest(): void;
  hasOlder: boolean;
  /** @returns an error message, or null */
  loadOlder(): Promise<string | null>;
  /** Adds or replaces a message. */
  put(message: MessageShownFragment): void;
  remove(id: string): void;
  fateOf(id: string): Fate;
  /** User names. */
  typing: string[];
  /** Whether the user has lost access. */
  isOver: boolean;
}

/** Events only say which message to fetch, so that all messages come from the same query. */
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
    // Messages include the user's operations, which depend on these permissions.
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

/** @returns whether the user has lost access */
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

/** Fetches missed messages after each (re)connect. @returns unsubscribe function */
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
