import { type FormEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import {
  AddReactionDocument,
  DeleteMessageDocument,
  EditMessageDocument,
  RemoveReactionDocument,
} from '../../../gql/servers/channel/channel.js';
import type { InteractionShownFragment, MessageOperation, MessageShownFragment } from '../../../gql/types.js';
import { Danger, useAction } from '../../../ui/action.js';
import { Closable, useClosing } from '../../../ui/closing.js';
import { DialogButtons } from '../../../ui/dialog-buttons.js';
import { TextArea } from '../../../ui/field.js';
import { Form } from '../../../ui/form.js';
import { Name } from '../../../ui/page.js';
import { Picture } from '../../../ui/picture.js';
import { Ago } from '../../../ui/times.js';
import { say } from '../../../ui/toasts.js';
import type { Fate } from './channel-log.js';
import { partsOf } from './components.js';
import { useKeptFocus } from './kept-focus.js';
import { Attachments, Embeds } from './message-extras.js';
import { MessageParts } from './message-parts.js';
import { useChannel } from './open-channel.js';
import { goOnWith, unsentIn } from './unsent.js';
import { attachmentsOf, embedsOf, type Reaction, reactionsOf } from './wire.js';

/** Message flag of a deferred response. */
const LOADING = 1 << 7;

interface MessageRowProps {
  message: MessageShownFragment;
  onChange: (message: MessageShownFragment) => void;
  onGone: (id: string) => void;
  fateOf: (id: string) => Fate;
  follow: (interaction: InteractionShownFragment) => void;
}

export function MessageRow({ message, onChange, onGone, fateOf, follow }: MessageRowProps) {
  const [doing, setDoing] = useState<MessageOperation | null>(null);
  const [used, setUsed] = useState<MessageOperation | null>(null);
  const stop = () => setDoing(null);
  const name = message.author.globalName ?? message.author.username;
  const focus = useKeptFocus<HTMLLIElement>((row) => row.querySelector('[data-used]'));
  return (
    <li
      {...focus}
      tabIndex={-1}
      className={message.ephemeral ? 'message ephemeral' : 'message'}
      aria-label={`Message from ${name}`}
    >
      <Picture url={message.author.avatarUrl} name={name} isRound />
      <div className="body">
        <MessageHead id={headOf(message)} message={message} name={name} />
        {doing === 'EDIT' ? (
          <MessageEditor message={message} onChange={onChange} onClose={stop} fateOf={fateOf} />
        ) : (
          <MessageContent message={message} name={name} />
        )}
        <Embeds embeds={embedsOf(message.embeds)} />
        <Attachments attachments={attachmentsOf(message.attachments)} />
        <MessageParts parts={partsOf(message.components)} messageId={message.id} follow={follow} />
        <Reactions message={message} onChange={onChange} isOpen={doing === 'REACT'} onClose={stop} />
        {doing !== 'EDIT' && (
          <MessageActions
            message={message}
            used={used}
            onDo={(next) => {
              setUsed(next);
              setDoing(next === doing ? null : next);
            }}
          />
        )}
      </div>
      {doing === 'DELETE' && <MessageDeletion message={message} onGone={onGone} onClose={stop} />}
    </li>
  );
}

/** Ids that label a message's buttons. */
const headOf = ({ id }: MessageShownFragment) => `head-${id}`;
const textOf = ({ id }: MessageShownFragment) => `text-${id}`;

function MessageHead({ id, message, name }: { id: string; message: MessageShownFragment; name: string }) {
  return (
    <p className="head" id={id}>
      <Name>{name}</Name>
      {message.author.bot && <span className="badge">bot</span>}
      <span className="soft small">
        <Ago at={message.createdAt} />
        {message.editedAt && ' (edited)'}
      </span>
      {message.ephemeral && <span className="badge warn">Only you can see this</span>}
    </p>
  );
}

function MessageContent({ message, name }: { message: MessageShownFragment; name: string }) {
  const { content, flags } = message;
  if ((flags & LOADING) !== 0) return <p className="soft">{name} is thinking…</p>;
  return content === '' ? null : (
    <p className="text" id={textOf(message)}>
      {content}
    </p>
  );
}

/** Shift+Enter adds a line. Enter during IME composition does not send. */
export function isSendKey({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean {
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing;
}

const takeFocus = (element: HTMLElement | null) => element?.focus();

interface EditorProps extends Pick<MessageRowProps, 'message' | 'onChange' | 'fateOf'> {
  onClose: () => void;
}

function MessageEditor({ message, onChange, fateOf, onClose }: EditorProps) {
  const { id: channelId } = useChannel();
  const closing = useClosing(onClose);
  const [content, setContent] = useState(message.content);
  const isChanged = content !== message.content;
  const area = useGoingOn(isChanged ? content : null, () => fateOf(message.id));
  const { run, isBusy, problem } = useAction(EditMessageDocument, { isQuiet: true });
  const save = async () => {
    const data = await run({ input: { channelId, messageId: message.id, content } });
    if (!data) return;
    onChange(data.editMessage.message);
    onClose();
  };
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') {
      // The same key press would close the confirmation that it opens.
      event.stopPropagation();
      closing.close();
    }
    if (!isSendKey(event)) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <Closable closing={closing}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={isChanged}
        onSubmit={save}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Save" />}
      >
        <TextArea
          label="Edit message"
          rows={2}
          value={content}
          fault={problem?.fields.content}
          onKeyDown={onKey}
          onChange={({ target }) => setContent(target.value)}
          ref={area}
        />
      </Form>
    </Closable>
  );
}

const GO_ON = 'Your text is now in the message field.';

/**
 * Moves an unfinished edit to the composer if the message is deleted or no longer loaded.
 * @returns ref of the field, which is focused on mount
 */
function useGoingOn(typed: string | null, fate: () => Fate) {
  const unsent = unsentIn(useChannel().id);
  const area = useRef<HTMLTextAreaElement>(null);
  const latest = useRef({ typed, fate });
  latest.current = { typed, fate };
  useLayoutEffect(() => {
    const field = area.current;
    field?.focus();
    return () => {
      const { typed, fate } = latest.current;
      const what = fate();
      if (typed === null || what === 'there') return;
      goOnWith(unsent, typed, document.activeElement === field);
      if (what === 'deleted') say(`The message you were editing was deleted. ${GO_ON}`);
      else say(`The message you were editing is no longer loaded. ${GO_ON}`);
    };
  }, [unsent]);
  return area;
}

interface MessageActionsProps {
  message: MessageShownFragment;
  /** The action used last, whose button gets the focus back. */
  used: MessageOperation | null;
  onDo: (doing: MessageOperation) => void;
}

const ACTS = { REACT: 'React', EDIT: 'Edit', DELETE: 'Delete' } as const satisfies Record<MessageOperation, string>;

function MessageActions({ message, used, onDo }: MessageActionsProps) {
  return (
    <div className="acts">
      {message.viewerOperations.map((act) => (
        <button
          key={act}
          type="button"
          className="link small"
          aria-describedby={`${headOf(message)} ${textOf(message)}`}
          data-used={act === used || undefined}
          onClick={() => onDo(act)}
        >
          {ACTS[act]}
        </button>
      ))}
    </div>
  );
}

interface DeletionProps {
  message: MessageShownFragment;
  onGone: (id: string) => void;
  onClose: () => void;
}

function MessageDeletion({ message, onGone, onClose }: DeletionProps) {
  const { id: channelId } = useChannel();
  const { run, isBusy, problem } = useAction(DeleteMessageDocument, { isQuiet: true });
  const remove = async () => {
    if (await run({ input: { channelId, messageId: message.id } })) onGone(message.id);
  };
  return (
    <Danger title="Delete this message?" doIt="Delete message" onDo={remove} {...{ onClose, isBusy, problem }}>
      <p className="text">{message.content}</p>
    </Danger>
  );
}

const EMOJIS = ['👍', '❤️', '😂', '🎉', '😮', '👀'];

interface ReactionsProps {
  message: MessageShownFragment;
  onChange: (message: MessageShownFragment) => void;
  isOpen: boolean;
  onClose: () => void;
}

function Reactions({ message, onChange, isOpen, onClose }: ReactionsProps) {
  const { id: channelId } = useChannel();
  const add = useAction(AddReactionDocument);
  const remove = useAction(RemoveReactionDocument);
  const reactions = reactionsOf(message.reactions);
  const toggle = async ({ emoji, isMine }: Pick<Reaction, 'emoji' | 'isMine'>) => {
    onClose();
    const key = { input: { channelId, messageId: message.id, emoji } };
    const changed = isMine ? (await remove.run(key))?.removeReaction : (await add.run(key))?.addReaction;
    if (changed) onChange(changed.message);
  };
  const offered = EMOJIS.filter((emoji) => isOpen && !reactions.some((one) => bare(one.emoji) === bare(emoji)));
  if (reactions.length === 0 && !isOpen) return null;
  return (
    <div className="reactions">
      {reactions.map((one) => (
        <button
          type="button"
          className="plain small"
          key={one.emoji}
          aria-pressed={one.isMine}
          aria-label={`${one.text}, ${one.count}`}
          onClick={() => toggle(one)}
        >
          {one.text} {one.count}
        </button>
      ))}
      {offered.map((emoji, index) => (
        <button
          type="button"
          className="plain small offered"
          key={emoji}
          ref={index === 0 ? takeFocus : undefined}
          aria-label={`React with ${emoji}`}
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
          onClick={() => toggle({ emoji, isMine: false })}
        >
          {emoji}
        </button>
      ))}
      {isOpen && <AnotherEmoji onPick={(emoji) => toggle({ emoji, isMine: false })} onClose={onClose} />}
    </div>
  );
}

/** The server ignores variation selectors. */
const bare = (emoji: string) => emoji.replaceAll('\uFE0F', '');

function AnotherEmoji({ onPick, onClose }: { onPick: (emoji: string) => void; onClose: () => void }) {
  const [emoji, setEmoji] = useState('');
  const pick = (event: FormEvent) => {
    event.preventDefault();
    if (emoji.trim() !== '') onPick(emoji.trim());
  };
  return (
    <form onSubmit={pick}>
      <input
        type="text"
        className="another-emoji"
        aria-label="React with another emoji"
        placeholder="Another emoji"
        autoComplete="off"
        value={emoji}
        onChange={({ target }) => setEmoji(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && onClose()}
      />
    </form>
  );
}
