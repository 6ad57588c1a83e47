import { Link, useParams } from '@tanstack/react-router';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { InteractionShownFragment, MessageShownFragment } from '../../../gql/types.js';
import { NotFound } from '../../../ui/endings.js';
import { lazyPart, MissingPart } from '../../../ui/lazy-part.js';
import { Skeleton } from '../../../ui/listing.js';
import { Loading } from '../../../ui/loading.js';
import { Name, useTitle } from '../../../ui/page.js';
import { isMessageChannel } from '../channels-of.js';
import { lacks } from '../permissions.js';
import { ON_ITS_BOX, useIsOnBox, useSelf, useServer } from '../server.js';
import { Composer } from './composer.js';
import { FollowedInteractions, isWatchable } from './followed-interactions.js';
import { useKeptFocus } from './kept-focus.js';
import { MessageRow } from './message.js';
import { type ShownMessages, useMessages } from './messages.js';
import { ChannelContext, useChannel } from './open-channel.js';

export function Channel() {
  const { channelId } = useParams({ from: '/frame/servers/$guildId/channels/$channelId' });
  const { channels, name } = useServer();
  const channel = channels.find(({ id }) => id === channelId);
  useTitle(channel ? `#${channel.name}` : 'Channels', name);
  const isOnBox = useIsOnBox();
  if (!channel || !isMessageChannel(channel)) return <NotFound isPart />;
  if (isOnBox) return <p className="hint">{ON_ITS_BOX}</p>;
  return (
    <ChannelContext key={channelId} value={channel}>
      <OpenChannel />
    </ChannelContext>
  );
}

const InteractionPanel = lazyPart(() => import('./interaction-panel.js'), NoPanel, <Loading />);

/** Minimum width for the timeline; same as in the CSS. */
const WIDE = '(min-width: 72rem)';

/** Number of interactions shown, besides those with an open modal. */
const FOLLOWED = 3;

function OpenChannel() {
  const channel = useChannel();
  const { id: selfId } = useSelf();
  const { id: guildId } = useServer();
  const shown = useMessages(channel, selfId);
  const [followed, setFollowed] = useState<InteractionShownFragment[]>([]);
  const held = useRef(new Set<string>());
  const [watchedId, watch] = useState<string | null>(null);
  const [isWatching, setWatching] = useState(() => window.matchMedia(WIDE).matches);
  const follow = (one: InteractionShownFragment) => {
    setFollowed((before) => shownOf([...before.filter(({ id }) => id !== one.id), one], held.current));
    if (isWatching && isWatchable(one)) watch(one.id);
  };
  const watched = followed.find(({ id }) => id === watchedId);
  const watchOrNot = (id: string | null) => {
    setWatching(id !== null);
    watch(id);
  };
  if (shown.isOver) return <NotFound isPart />;
  return (
    <>
      <section className="card channel" aria-label={`Channel ${channel.name}`}>
        <header>
          <h2>
            <span aria-hidden="true"># </span>
            <Name>{channel.name}</Name>
          </h2>
          <Link
            className="small"
            to="/servers/$guildId/channels/$channelId/settings"
            params={{ guildId, channelId: channel.id }}
          >
            Settings
          </Link>
          {channel.topic && <p className="soft small">{channel.topic}</p>}
        </header>
        <Messages shown={shown} follow={follow} lack={lacks(channel.viewerPermissions, 'ReadMessageHistory')} />
        <p className="typing soft small" role="status">
          {typingWords(shown.typing)}
        </p>
        <FollowedInteractions
          followed={followed}
          follow={follow}
          held={held.current}
          drop={(id) => setFollowed((before) => before.filter((one) => one.id !== id))}
          watchedId={watchedId}
          watch={watchOrNot}
        />
        <Composer onSent={shown.put} follow={follow} />
      </section>
      {watched && <InteractionPanel key={watched.id} watched={watched} onClose={() => watchOrNot(null)} />}
    </>
  );
}

function shownOf(followed: InteractionShownFragment[], held: ReadonlySet<string>): InteractionShownFragment[] {
  return followed.filter(({ id }, place) => place >= followed.length - FOLLOWED || held.has(id));
}

function NoPanel({ onClose }: { onClose: () => void }) {
  return (
    <aside className="card channel-timeline" aria-label="Timeline">
      <MissingPart what="The timeline">
        <button type="button" className="plain small" onClick={onClose}>
          Close
        </button>
      </MissingPart>
    </aside>
  );
}

function typingWords(names: string[]): string {
  if (names.length === 0) return '';
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} typing…`;
}

interface MessagesProps {
  shown: ShownMessages;
  follow: (interaction: InteractionShownFragment) => void;
  lack: string | undefined;
}

function Messages({ shown, follow, lack }: MessagesProps) {
  const { messages, fault, askNewest, hasOlder, loadOlder, put, remove, fateOf } = shown;
  const focus = useKeptFocus<HTMLDivElement>();
  useScroll(focus.ref, messages);
  if (!messages) return fault ? <NotNewest fault={fault} askNewest={askNewest} /> : <Skeleton />;
  return (
    <>
      <div className="channel-log" role="log" aria-label="Messages" {...focus} tabIndex={-1}>
        {lack && <p className="hint">{lack}</p>}
        {hasOlder && <Older load={loadOlder} />}
        {messages.length === 0 && <p className="hint">No messages yet. Write one, or type “/” to run a command.</p>}
        <ol>
          {messages.map((message) => (
            <MessageRow
              key={message.id}
              message={message}
              onChange={put}
              onGone={remove}
              fateOf={fateOf}
              follow={follow}
            />
          ))}
        </ol>
      </div>
      {fault && <NotNewest fault={fault} askNewest={askNewest} />}
    </>
  );
}

function Older({ load }: { load: () => Promise<string | null> }) {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const ask = async () => {
    if (isBusy) return;
    setBusy(true);
    setFault(await load());
    setBusy(false);
  };
  return (
    <div className="channel-older">
      <button type="button" className="plain small" aria-disabled={isBusy} onClick={ask}>
        Load older messages
      </button>
      {fault && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

function NotNewest({ fault, askNewest }: { fault: string; askNewest: () => void }) {
  return (
    <div className="notice" role="alert">
      <p>Could not load new messages: {fault}</p>
      <button type="button" className="plain small" onClick={askNewest}>
        Try again
      </button>
    </div>
  );
}

/** Stays at the end if the user is there. Otherwise the visible messages stay in place. */
function useScroll(log: RefObject<HTMLElement | null>, messages: readonly MessageShownFragment[] | undefined): void {
  const before = useRef({ height: 0, first: '' });
  const first = messages?.[0]?.id ?? '';
  useLayoutEffect(() => {
    const element = log.current;
    if (!element) return;
    const { height, first: wasFirst } = before.current;
    const isAtEnd = element.scrollTop + element.clientHeight >= height - 80;
    if (isAtEnd) element.scrollTop = element.scrollHeight;
    else if (first !== wasFirst) element.scrollTop += element.scrollHeight - height;
    before.current = { height: element.scrollHeight, first };
  }, [messages]);
}
