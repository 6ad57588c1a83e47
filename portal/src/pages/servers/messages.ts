import { useEffect, useRef, useState } from 'react';
import { type Client, useClient } from 'urql';
import { ChannelEventsDocument, ChannelMessagesDocument } from '../../gql/servers/channel.js';
import type { ChannelMessagesQuery, MessageShownFragment } from '../../gql/types.js';
import { connection } from '../../live.js';
import { problemIn, sentenceOf } from '../../ui/problems.js';
import { useTyping } from './typing.js';
import { newsOf } from './wire.js';

const PER_PAGE = 50;

/** For how long after somebody began to listen messages may have been missed, in milliseconds. */
const MISSED_MS = 1_500;

/** The messages of a channel as far as they were asked for, oldest first, and what goes on there. */
export interface ShownMessages {
  /** Undefined while they are on their way. */
  messages: readonly MessageShownFragment[] | undefined;
  fault: string | null;
  hasOlder: boolean;
  loadOlder(): Promise<void>;
  /** Shows a message as it is now, whether or not it was there. */
  put(message: MessageShownFragment): void;
  remove(id: string): void;
  /** Who is typing. */
  typing: string[];
  /** Whether the caller can no longer see the channel. */
  isOver: boolean;
}

type Known = ReadonlyMap<string, MessageShownFragment>;

interface State {
  known: Known;
  hasOlder: boolean;
}

type Page = NonNullable<ChannelMessagesQuery['channel']>['messages'];

/**
 * Shows a channel's messages, live. An event only tells what to ask for, so that all that is shown comes the same way; a message is
 * kept by its id, and shown once however often it comes.
 */
export function useMessages(channelId: string, selfId: string): ShownMessages {
  const { state, setState, fault, ask, askNewest, renew } = usePages(channelId);
  const { typing, note, forget } = useTyping(selfId);
  const remove = (...ids: string[]) => setState((state) => state && { ...state, known: without(state.known, ids) });
  const hear = (type: string, data: unknown) => {
    const news = newsOf(type, data);
    if (news.kind === 'gone') remove(...news.ids);
    if (news.kind === 'typing') note(news);
    if (news.kind === 'message') void renew(news.id);
    if (type === 'MESSAGE_CREATE') forget(data);
  };
  const isOver = useEvents(channelId, hear, askNewest);
  const messages = state ? [...state.known.values()] : undefined;
  const loadOlder = async () => {
    const page = await ask(PER_PAGE, messages?.[0]?.id ?? null);
    if (page)
      setState((state) => state && { known: merged(state.known, page), hasOlder: page.pageInfo.hasPreviousPage });
  };
  const put = (message: MessageShownFragment) =>
    setState((state) => state && { ...state, known: sorted([...state.known.values(), message]) });
  return { messages, fault, hasOlder: state?.hasOlder ?? false, loadOlder, put, remove, typing, isOver };
}

/** What was asked for, and what asks for more. */
function usePages(channelId: string) {
  const client = useClient();
  const [state, setState] = useState<State | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const ask = async (last: number, before: string | null) => {
    const { page, problem } = await askPage(client, channelId, last, before);
    setFault(problem);
    return page;
  };
  const askNewest = async () => {
    const page = await ask(PER_PAGE, null);
    if (page) setState((state) => withNewest(state, page));
  };
  /** Asks for one that has changed: with the newest, unless it is known to be older than those. */
  const renew = async (id: string) => {
    const older = [...(state?.known.keys() ?? [])].slice(0, -PER_PAGE);
    if (!older.includes(id)) return askNewest();
    const page = await ask(1, String(BigInt(id) + 1n));
    if (page) setState((state) => state && { ...state, known: merged(state.known, page) });
  };
  return { state, setState, fault, ask, askNewest, renew };
}

/** Hears of what goes on in a channel. @returns whether the caller can no longer see it */
function useEvents(channelId: string, hear: Listener['hear'], askNewest: () => Promise<void>): boolean {
  const client = useClient();
  const [isOver, setOver] = useState(false);
  const latest = useRef({ hear, askNewest });
  latest.current = { hear, askNewest };
  useEffect(
    () =>
      listen(client, channelId, {
        hear: (type, data) => latest.current.hear(type, data),
        askNewest: () => void latest.current.askNewest(),
        end: () => setOver(true),
      }),
    [client, channelId],
  );
  return isOver;
}

async function askPage(client: Client, id: string, last: number, before: string | null) {
  const variables = { id, last, before };
  const { data, error } = await client
    .query(ChannelMessagesDocument, variables, { requestPolicy: 'network-only' })
    .toPromise();
  return { page: data?.channel?.messages ?? null, problem: error ? sentenceOf(problemIn(error)) : null };
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

function sorted(messages: readonly MessageShownFragment[]): Known {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const ids = [...byId.keys()].sort((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1));
  return new Map(ids.flatMap((id) => byId.get(id) ?? []).map((message) => [message.id, message]));
}

const messagesIn = ({ edges }: Page) => edges.map(({ node }) => node);

function merged(known: Known, page: Page): Known {
  return sorted([...known.values(), ...messagesIn(page)]);
}

/** With the newest page, which says what is there since its first message; older ones stay where nothing is missing between. */
function withNewest(state: State | null, page: Page): State {
  const newest = messagesIn(page);
  const first = newest[0]?.id;
  const fresh = { known: sorted(newest), hasOlder: page.pageInfo.hasPreviousPage };
  if (!state || first === undefined || !state.known.has(first)) return fresh;
  const older = [...state.known.values()].filter(({ id }) => BigInt(id) < BigInt(first));
  return { known: sorted([...older, ...newest]), hasOlder: older.length > 0 ? state.hasOlder : fresh.hasOlder };
}

function without(known: Known, ids: readonly string[]): Known {
  return new Map([...known].filter(([id]) => !ids.includes(id)));
}
