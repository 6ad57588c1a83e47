import { useEffect, useId, useRef, useState } from 'react';
import { FollowedInteractionDocument, InteractionChangedDocument } from '../../../gql/servers/channel/commands.js';
import type { InteractionShownFragment } from '../../../gql/types.js';
import { useSubscription } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { Closable, useClosing } from '../../../ui/closing.js';
import { useUnsaved } from '../../../unsaved.js';
import { ModalDialog, type Typed } from './modal-dialog.js';

interface FollowedProps {
  followed: readonly InteractionShownFragment[];
  follow: (interaction: InteractionShownFragment) => void;
  /** Ids of interactions with an open or partly filled modal. */
  held: Set<string>;
  drop: (id: string) => void;
  /** The interaction whose timeline is shown. */
  watchedId: string | null;
  watch: (id: string | null) => void;
}

export function FollowedInteractions({ followed, follow, held, drop, watchedId, watch }: FollowedProps) {
  if (followed.length === 0) return null;
  return (
    <ul className="followed" aria-label="Your recent interactions">
      {followed.map((one) => (
        <FollowedInteraction
          key={one.id}
          started={one}
          follow={follow}
          held={held}
          onDrop={() => drop(one.id)}
          isWatched={one.id === watchedId}
          onWatch={(isWatched) => watch(isWatched ? one.id : null)}
        />
      ))}
    </ul>
  );
}

export function isWatchable({ application }: InteractionShownFragment): boolean {
  return application?.viewerOperations.includes('VIEW_INTERACTIONS') ?? false;
}

interface FollowedInteractionProps {
  started: InteractionShownFragment;
  follow: (interaction: InteractionShownFragment) => void;
  held: Set<string>;
  onDrop: () => void;
  isWatched: boolean;
  onWatch: (isWatched: boolean) => void;
}

function FollowedInteraction({ started, follow, held, onDrop, isWatched, onWatch }: FollowedInteractionProps) {
  const interaction = useInteraction(started);
  const { name, type } = interaction;
  const id = useId();
  const closing = useClosing(onDrop);
  return (
    <li>
      <Closable closing={closing}>
        <span role="status" id={id}>
          <bdi>{type === COMMAND ? `/${name}` : name}</bdi> {words(interaction)}
        </span>
        <Answer interaction={interaction} describedBy={id} follow={follow} held={held} />
        {isWatchable(interaction) && (
          <button
            type="button"
            className="link small"
            aria-pressed={isWatched}
            aria-describedby={id}
            onClick={() => onWatch(!isWatched)}
          >
            Timeline
          </button>
        )}
        <button type="button" className="link small" aria-label={`Dismiss ${name}`} onClick={closing.close}>
          Dismiss
        </button>
      </Closable>
    </li>
  );
}

interface AnswerProps {
  interaction: InteractionShownFragment;
  describedBy: string;
  follow: (interaction: InteractionShownFragment) => void;
  held: Set<string>;
}

/** Opens the application's modal at once. It can be reopened, and its input is kept. */
function Answer({ interaction: { id, modal, state }, describedBy, follow, held }: AnswerProps) {
  const [isOpen, setOpen] = useState(true);
  const [isSent, setSent] = useState(false);
  const [typed, setTyped] = useState<Typed>({});
  const isAsked = modal !== null && state === 'ANSWERED' && !isSent;
  const isTyped = isAsked && Object.keys(typed).length > 0;
  useUnsaved(isTyped);
  useHeld(held, id, isTyped || (isAsked && isOpen));
  if (!isAsked) return null;
  const onSent = (next: InteractionShownFragment) => {
    setSent(true);
    follow(next);
  };
  return (
    <>
      <button type="button" className="small" aria-describedby={describedBy} onClick={() => setOpen(true)}>
        Open form
      </button>
      {isOpen && (
        <ModalDialog
          interactionId={id}
          modal={modal}
          typed={typed}
          onType={setTyped}
          onSent={onSent}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function useHeld(held: Set<string>, id: string, isHeld: boolean): void {
  useEffect(() => {
    if (!isHeld) return;
    held.add(id);
    return () => {
      held.delete(id);
    };
  }, [held, id, isHeld]);
}

const COMMAND = 2;

function words({ state, failure, application, modal }: InteractionShownFragment): string {
  const who = application?.name ?? 'Causeway';
  switch (state) {
    case 'DELIVERING':
      return '– sending…';
    case 'DELIVERED_HTTP':
    case 'DELIVERED_GATEWAY':
      return `– waiting for ${who}…`;
    case 'DEFERRED':
      return `– ${who} is thinking…`;
    case 'ANSWERED':
      return modal === null ? 'was answered.' : 'needs your input.';
    case 'FAILED':
      return `failed: ${failure ?? `${who} did not respond.`}`;
    case 'EXPIRED':
      return `expired: ${failure ?? `${who} did not finish within 15 minutes.`}`;
  }
}

/** Polling interval, in milliseconds. */
const ASK_MS = 2_000;

const WAITING: ReadonlySet<string> = new Set(['DELIVERING', 'DELIVERED_HTTP', 'DELIVERED_GATEWAY']);

/** Polling covers changes before the subscription started and timeouts without an event. */
function useInteraction(started: InteractionShownFragment): InteractionShownFragment {
  const variables = { id: started.id };
  const { data, again } = useQuery({ query: FollowedInteractionDocument, variables });
  useSubscription({ query: InteractionChangedDocument, variables });
  const interaction = data?.interaction ?? started;
  useAsking(interaction.state, again);
  return interaction;
}

export function useAsking(state: InteractionShownFragment['state'] | undefined, ask: () => void): void {
  const latest = useRef(ask);
  latest.current = ask;
  const isWaiting = state !== undefined && WAITING.has(state);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => latest.current(), ASK_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
}
