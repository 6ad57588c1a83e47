import { type ComponentProps, Fragment } from 'react';
import { CopyButton } from '../../ui/copy.js';
import { useOff } from '../../ui/guarded.js';
import { Name } from '../../ui/page.js';
import { useRowDialog } from '../../ui/row-dialog.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { DeleteEmoji, EditEmoji } from './dialogs.js';
import { type ShownEmoji, useEmojiHome } from './home.js';
import './emojis.css';

export function EmojiRows({ emojis, isOnBox = false }: { emojis: readonly ShownEmoji[]; isOnBox?: boolean }) {
  const list = useRowFocus();
  const { whyNot } = useEmojiHome();
  const isPartly = emojis.some(({ viewerOperations }) => viewerOperations.length === 0);
  const { off, note } = useOff(isPartly && !isOnBox ? whyNot : undefined);
  const { dialog, open, close } = useRowDialog<EmojiAct, ShownEmoji>(emojis);
  return (
    <>
      <ul className="rows emoji-rows" ref={list}>
        {emojis.map((emoji) => (
          <Row key={emoji.id} emoji={emoji} off={off} onOpen={(act) => open(act, emoji)} />
        ))}
      </ul>
      {note}
      {dialog?.what === 'UPDATE' && <EditEmoji emoji={dialog.row} isGone={dialog.isGone} onClose={close} />}
      {dialog?.what === 'DELETE' && !dialog.isGone && <DeleteEmoji emoji={dialog.row} onClose={close} />}
    </>
  );
}

type EmojiAct = 'UPDATE' | 'DELETE';

interface RowProps {
  emoji: ShownEmoji;
  /** Attributes that refer to the reason. */
  off: ComponentProps<'button'>;
  onOpen: (act: EmojiAct) => void;
}

function Row({ emoji, off, onOpen }: RowProps) {
  const { id, name, animated, imageUrl, creator, roles = [], viewerOperations } = emoji;
  const written = `<${animated ? 'a' : ''}:${name}:${id}>`;
  const button = (act: EmojiAct) => ({
    ...(viewerOperations.includes(act) ? {} : { ...off, disabled: true }),
    onClick: () => onOpen(act),
  });
  return (
    <li aria-label={name}>
      <img className="emoji-picture" src={imageUrl} alt="" />
      <div>
        <p>
          <code>:{name}:</code> {animated && <span className="badge">animated</span>}
        </p>
        <p className="soft small">
          {creator ? (
            <>
              Created by <bdi>{creator.username}</bdi>
            </>
          ) : (
            'Created by a deleted user'
          )}
          {roles.map((role, index) => (
            <Fragment key={role.id}>
              {index === 0 ? ' · Only for ' : ', '}
              <Name>{role.name}</Name>
            </Fragment>
          ))}
        </p>
        <p className="small">
          <code>{written}</code> <CopyButton text={written} what={`code for ${name}`} />
        </p>
      </div>
      <div className="buttons">
        <button type="button" className="plain small" aria-label={`Edit ${name}`} {...button('UPDATE')}>
          Edit
        </button>
        <button type="button" className="plain small" aria-label={`Delete ${name}`} {...button('DELETE')}>
          Delete
        </button>
      </div>
    </li>
  );
}
