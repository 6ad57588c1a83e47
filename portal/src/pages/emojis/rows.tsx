import { useState } from 'react';
import { CopyButton } from '../../ui/copy.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { DeleteEmoji, EditEmoji } from './dialogs.js';
import { type ShownEmoji, useEmojiHome } from './home.js';
import './emojis.css';

/** Emojis, each with what can be done with it. */
export function EmojiRows({ emojis, lack }: { emojis: readonly ShownEmoji[]; lack: string | undefined }) {
  const list = useRowFocus(emojis.length);
  const { whyNot } = useEmojiHome();
  const isPartly = !lack && emojis.some(({ viewerOperations }) => viewerOperations.length === 0);
  return (
    <>
      <ul className="rows emoji-rows" ref={list}>
        {emojis.map((emoji) => (
          <Row key={emoji.id} emoji={emoji} />
        ))}
      </ul>
      {isPartly && <p className="hint">{whyNot}</p>}
    </>
  );
}

function Row({ emoji }: { emoji: ShownEmoji }) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const { id, name, animated, imageUrl, creator, roles = [], viewerOperations } = emoji;
  const written = `<${animated ? 'a' : ''}:${name}:${id}>`;
  const close = () => setOpen(null);
  return (
    <li aria-label={name}>
      <img className="emoji-picture" src={imageUrl} alt="" />
      <div>
        <p>
          <code>:{name}:</code> {animated && <span className="badge">moves</span>}
        </p>
        <p className="soft small">
          {creator ? (
            <>
              made by <bdi>{creator.username}</bdi>
            </>
          ) : (
            'made by somebody who is gone'
          )}
          {roles.length > 0 && <>, for {roles.map((role) => role.name).join(', ')}</>}
        </p>
        <p className="small">
          <code>{written}</code> <CopyButton text={written} what={`how ${name} is written`} />
        </p>
      </div>
      <div className="buttons">
        <button
          type="button"
          className="plain small"
          aria-label={`Change ${name}`}
          disabled={!viewerOperations.includes('UPDATE')}
          onClick={() => setOpen('edit')}
        >
          Change
        </button>
        <button
          type="button"
          className="plain small"
          aria-label={`Delete ${name}`}
          disabled={!viewerOperations.includes('DELETE')}
          onClick={() => setOpen('delete')}
        >
          Delete
        </button>
      </div>
      {open === 'edit' && <EditEmoji emoji={emoji} onClose={close} />}
      {open === 'delete' && <DeleteEmoji emoji={emoji} onClose={close} />}
    </li>
  );
}
