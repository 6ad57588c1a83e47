import { useState } from 'react';
import { Danger } from '../../ui/action.js';
import { OpenDialog } from '../../ui/dialog.js';
import { DialogButtons } from '../../ui/dialog-buttons.js';
import { useDraft } from '../../ui/draft.js';
import { TextField } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { ImageField } from '../../ui/image-field.js';
import { Name } from '../../ui/page.js';
import { GoneMeanwhile } from '../../ui/row-dialog.js';
import { Conflicts } from '../../ui/save.js';
import { type ShownEmoji, useEmojiHome } from './home.js';

const NAME_HINT = '2–32 letters, digits or underscores.';

const IMAGE_HINT = 'PNG, JPEG, GIF or WebP, up to 256 KiB. Resized to fit 128 × 128 pixels. GIFs can be animated.';

export function NewEmoji({ onClose }: { onClose: () => void }) {
  const { useCreate } = useEmojiHome();
  const { run, isBusy, problem } = useCreate();
  const [image, setImage] = useState<File | null>(null);
  const [name, setName] = useState('');
  const users = useUsers(NOBODY);
  const choose = (chosen: File | null) => {
    setImage(chosen);
    if (chosen && name === '') setName(nameOf(chosen));
  };
  const create = async () => {
    if (image && (await run({ name, image, roleIds: users.roleIds }))) onClose();
  };
  return (
    <OpenDialog title="New emoji" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={image !== null || name !== '' || users.isChanged}
        onSubmit={create}
        buttons={(isOff) => <DialogButtons isOff={isOff || image === null} doIt="Create emoji" />}
      >
        <ImageField label="Image" hint={IMAGE_HINT} value={image} fault={problem?.fields.image} onChange={choose} />
        <TextField
          label="Name"
          hint={NAME_HINT}
          maxLength={32}
          value={name}
          fault={problem?.fields.name}
          onChange={({ target }) => setName(target.value)}
        />
        <WhoMayUse users={users} />
      </Form>
    </OpenDialog>
  );
}

/** Derives an emoji name from the file name. */
function nameOf({ name }: File): string {
  return name
    .replace(/\.[^.]*$/, '')
    .replace(/\W+/g, '_')
    .slice(0, 32);
}

interface EmojiDialogProps {
  emoji: ShownEmoji;
  onClose: () => void;
}

/** Only changes are sent. */
export function EditEmoji({ emoji, isGone, onClose }: EmojiDialogProps & { isGone: boolean }) {
  const { useUpdate } = useEmojiHome();
  const { run, isBusy, problem } = useUpdate(emoji.id);
  const draft = useDraft({ name: emoji.name });
  const users = useUsers(emoji.roles ?? NOBODY);
  const isChanged = draft.isChanged || users.isChanged;
  const save = async () => {
    const changes = { ...draft.changes, ...(users.isChanged ? { roleIds: users.roleIds } : {}) };
    if (!isChanged || (await run(changes))) onClose();
  };
  return (
    <OpenDialog title={`Edit ${emoji.name}`} onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={isChanged}
        onSubmit={save}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Save" />}
      >
        <GoneMeanwhile isGone={isGone} />
        <TextField
          label="Name"
          hint={NAME_HINT}
          maxLength={32}
          value={draft.value.name}
          fault={problem?.fields.name}
          onChange={({ target }) => draft.set('name', target.value)}
        />
        <WhoMayUse users={users} />
        <Conflicts draft={draft} names={{ name: 'Name' }} />
      </Form>
    </OpenDialog>
  );
}

const NOBODY: readonly { id: string }[] = [];

interface Users {
  roleIds: string[];
  isChanged: boolean;
  has: (roleId: string) => boolean;
  choose: (roleId: string, isChosen: boolean) => void;
}

/** Applies the choices on top of the live roles, so that concurrent changes of other roles stay. */
function useUsers(current: readonly { id: string }[]): Users {
  const { roles = [] } = useEmojiHome();
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isSo = (roleId: string) => current.some(({ id }) => id === roleId);
  const has = (roleId: string) => chosen.get(roleId) ?? isSo(roleId);
  return {
    roleIds: roles.map(({ id }) => id).filter(has),
    isChanged: roles.some(({ id }) => has(id) !== isSo(id)),
    has,
    choose: (roleId, isChosen) => setChosen((before) => new Map(before).set(roleId, isChosen)),
  };
}

function WhoMayUse({ users }: { users: Users }) {
  const { roles } = useEmojiHome();
  if (!roles || roles.length === 0) return null;
  return (
    <fieldset className="check">
      <legend>Allowed roles</legend>
      <p className="soft small">If you choose no role, everyone can use this emoji.</p>
      {roles.map(({ id, name }) => (
        <label key={id}>
          <input type="checkbox" checked={users.has(id)} onChange={({ target }) => users.choose(id, target.checked)} />
          <Name>{name}</Name>
        </label>
      ))}
    </fieldset>
  );
}

export function DeleteEmoji({ emoji: { id, name }, onClose }: EmojiDialogProps) {
  const { useDelete } = useEmojiHome();
  const { run, isBusy, problem } = useDelete();
  const remove = async () => {
    if (await run(id)) onClose();
  };
  return (
    <Danger
      title={`Delete the emoji ${name}?`}
      doIt="Delete emoji"
      onDo={() => void remove()}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
    >
      <p>No one will be able to use this emoji, and existing messages will no longer show it. This cannot be undone.</p>
    </Danger>
  );
}
