import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useClient } from 'urql';
import { DeleteRoleDocument, UpdateRoleDocument } from '../../../gql/servers/roles/roles.js';
import type { RoleRowFragment } from '../../../gql/types.js';
import { Danger, useAction } from '../../../ui/action.js';
import { useDraft } from '../../../ui/draft.js';
import { Switch, TextField } from '../../../ui/field.js';
import { useOff } from '../../../ui/guarded.js';
import { Question } from '../../../ui/question.js';
import { DraftForm } from '../../../ui/save.js';
import { byPermission, holds, NAMED_PERMISSIONS, type PermissionName, withPermissions } from '../permissions.js';
import { useServer } from '../server.js';

type Own = { name: string; color: string; hoist: boolean; mentionable: boolean };

/** One field per permission, so that concurrent changes of different permissions do not conflict. */
type Live = Own & Record<PermissionName, boolean>;

const OWN_NAMES: Record<keyof Own, string> = {
  name: 'Name',
  color: 'Colour',
  hoist: 'Listed separately',
  mentionable: 'Mentionable',
};

const NAMES = { ...OWN_NAMES, ...byPermission(({ text }) => text) };

export function RoleEditor({ role, lack }: { role: RoleRowFragment; lack: string | undefined }) {
  const { id: guildId } = useServer();
  const { save, question } = useSave(role);
  const draft = useDraft<Live>({
    name: role.name,
    color: colorText(role.color),
    hoist: role.hoist,
    mentionable: role.mentionable,
    ...byPermission(({ name }) => holds(role.permissions, name)),
  });
  const { value, set } = draft;
  const isEveryone = role.id === guildId;
  return (
    <section className="card" aria-label={`Role ${role.name}`}>
      <h2>
        <bdi>{role.name}</bdi>
      </h2>
      <DraftForm draft={draft} names={NAMES} words={WORDS} save={save} readOnly={lack}>
        {(faults) => (
          <>
            {!isEveryone && (
              <TextField
                label="Name"
                hint="1–100 characters."
                maxLength={100}
                value={value.name}
                fault={faults.name}
                onChange={({ target }) => set('name', target.value)}
              />
            )}
            {!isEveryone && (
              <TextField
                label="Colour"
                hint="For example, #3f4fd6. Leave empty for no colour."
                maxLength={7}
                value={value.color}
                fault={faults.color}
                onChange={({ target }) => set('color', target.value)}
              />
            )}
            {!isEveryone && (
              <Switch
                label="List members separately"
                checked={value.hoist}
                onChange={({ target }) => set('hoist', target.checked)}
              />
            )}
            {!isEveryone && (
              <Switch
                label="Anyone can mention this role"
                checked={value.mentionable}
                onChange={({ target }) => set('mentionable', target.checked)}
              />
            )}
            <Permissions
              bits={withPermissions(role.permissions, value)}
              before={role.permissions}
              fault={faults.permissions}
              onSet={set}
            />
          </>
        )}
      </DraftForm>
      {question}
      {role.viewerOperations.includes('DELETE') && <DeleteRole role={role} />}
    </section>
  );
}

/** Asks before granting Administrator. */
function useSave(role: RoleRowFragment) {
  const { id: guildId } = useServer();
  const client = useClient();
  const [answer, setAnswer] = useState<((isWanted: boolean) => void) | null>(null);
  const ask = () => new Promise<boolean>((resolve) => setAnswer(() => resolve));
  const save = async ({ name, color, hoist, mentionable, ...changes }: Partial<Live>) => {
    if (changes.Administrator && !(await ask())) return undefined;
    const input = {
      guildId,
      roleId: role.id,
      name,
      color: color === undefined ? undefined : colorOf(color),
      hoist,
      mentionable,
      permissions: Object.keys(changes).length === 0 ? undefined : withPermissions(role.permissions, changes),
    };
    return client.mutation(UpdateRoleDocument, { input }).toPromise();
  };
  const decide = (isWanted: boolean) => {
    answer?.(isWanted);
    setAnswer(null);
  };
  return { save, question: answer && <AdministratorQuestion role={role} decide={decide} /> };
}

interface AdministratorQuestionProps {
  role: RoleRowFragment;
  decide: (isWanted: boolean) => void;
}

function AdministratorQuestion({ role, decide }: AdministratorQuestionProps) {
  const isEveryone = role.id === useServer().id;
  return (
    <Question
      title={isEveryone ? 'Grant Administrator to everyone?' : `Grant Administrator to ${role.name}?`}
      safe="Cancel"
      onSafe={() => decide(false)}
      action={
        <button type="button" className="bad" onClick={() => decide(true)}>
          Grant Administrator
        </button>
      }
    >
      <p>
        {isEveryone ? 'All current and future members' : 'Members with this role'} will be able to do everything: read
        and write in every channel, assign roles, ban members and change the server. Channel permissions won't apply to
        them.
      </p>
    </Question>
  );
}

function colorText(color: number): string {
  return color === 0 ? '' : `#${color.toString(16).padStart(6, '0')}`;
}

const WORDS = { color: 'Colour must be # followed by six hex digits, for example #3f4fd6.' };

/** Returns -1 for an invalid color, which the server rejects. */
function colorOf(text: string): number {
  if (text.trim() === '') return 0;
  return /^#?[0-9a-f]{6}$/i.test(text.trim()) ? Number.parseInt(text.trim().replace('#', ''), 16) : -1;
}

interface PermissionsProps {
  bits: string;
  /** Saved permission bits. */
  before: string;
  fault: string | undefined;
  onSet: (name: PermissionName, isOn: boolean) => void;
}

function Permissions({ bits, before, fault, onSet }: PermissionsProps) {
  const { viewerPermissions } = useServer();
  const isOff = (name: PermissionName) => ![bits, before, viewerPermissions].some((held) => holds(held, name));
  const { off, note } = useOff(
    NAMED_PERMISSIONS.some(({ name }) => isOff(name)) ? 'You can grant only permissions that you have.' : undefined,
  );
  return (
    <fieldset className="permissions">
      <legend>Permissions</legend>
      {holds(bits, 'Administrator') && (
        <p className="notice warn">
          Administrators have all permissions, regardless of other role and channel permissions.
        </p>
      )}
      {fault && <p className="fault">{fault}</p>}
      <div className="check bits">
        {NAMED_PERMISSIONS.map(({ name, text }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={holds(bits, name)}
              onChange={({ target }) => onSet(name, target.checked)}
              {...(isOff(name) ? off : {})}
            />
            {text}
          </label>
        ))}
      </div>
      {note}
      <p className="soft small">
        Permission bits: <code>{bits}</code>
      </p>
    </fieldset>
  );
}

function DeleteRole({ role }: { role: RoleRowFragment }) {
  const { id: guildId } = useServer();
  const [isAsking, ask] = useState(false);
  const { run, isBusy, problem } = useAction(DeleteRoleDocument, { isQuiet: true });
  const navigate = useNavigate();
  const remove = async () => {
    if (!(await run({ input: { guildId, roleId: role.id } }))) return;
    void navigate({ to: '/servers/$guildId/roles', params: { guildId }, ignoreBlocker: true });
  };
  return (
    <div className="actions">
      <button type="button" className="bad" onClick={() => ask(true)}>
        Delete role
      </button>
      {isAsking && (
        <Danger
          title={`Delete ${role.name}?`}
          doIt="Delete role"
          onDo={remove}
          onClose={() => ask(false)}
          isBusy={isBusy}
          problem={problem}
        >
          <p>Members lose this role, and its channel and command permissions are deleted. This can't be undone.</p>
        </Danger>
      )}
    </div>
  );
}
