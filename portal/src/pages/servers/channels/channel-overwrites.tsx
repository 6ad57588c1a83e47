import { type ReactNode, useState } from 'react';
import { useClient } from 'urql';
import {
  DeleteChannelOverwriteDocument,
  SetChannelOverwriteDocument,
} from '../../../gql/servers/channels/channel-settings.js';
import { NamedUserDocument } from '../../../gql/servers/integrations/integration.js';
import type { ChannelSettingsFragment } from '../../../gql/types.js';
import { useQuery } from '../../../query.js';
import { useAction } from '../../../ui/action.js';
import { useDraft } from '../../../ui/draft.js';
import { Select } from '../../../ui/field.js';
import { DraftForm } from '../../../ui/save.js';
import { CHANNEL_PERMISSIONS, lacks } from '../permissions.js';
import { PersonField } from '../person-field.js';
import type { Say } from '../say.js';
import { useServer } from '../server.js';
import { ThreeStates } from '../three-states.js';
import { type Overwrite, overwritesOf, saidOf, withSaid } from './overwrites.js';
import '../integrations/integrations.css';

export function ChannelOverwrites({ channel }: { channel: ChannelSettingsFragment }) {
  const lack = lacks(channel.viewerPermissions, 'ManageRoles');
  const overwrites = overwritesOf(channel.overwrites);
  const [added, setAdded] = useState<Overwrite[]>([]);
  const isSaid = (id: string) => overwrites.some((one) => one.id === id);
  const add = (id: string, isRole: boolean) =>
    !isSaid(id) &&
    setAdded((before) => [...before.filter((one) => one.id !== id), { id, isRole, allow: '0', deny: '0' }]);
  return (
    <section className="card" aria-label="Permissions">
      <h2>Permissions</h2>
      <p>
        Channel permissions override server permissions. Permissions for a member override those for their roles, which
        override those for @everyone.
      </p>
      {[...overwrites, ...added.filter(({ id }) => !isSaid(id))].map((one) => (
        <OneTarget
          key={one.id}
          channelId={channel.id}
          overwrite={one}
          isSaid={isSaid(one.id)}
          lack={lack}
          onDrop={() => setAdded((before) => before.filter(({ id }) => id !== one.id))}
        />
      ))}
      {lack ? <p className="hint">{lack}</p> : <AddTarget count={added.length} isSaid={isSaid} onAdd={add} />}
    </section>
  );
}

interface AddTargetProps {
  count: number;
  isSaid: (id: string) => boolean;
  onAdd: (id: string, isRole: boolean) => void;
}

function AddTarget({ count, isSaid, onAdd }: AddTargetProps) {
  const { id: guildId, roles } = useServer();
  return (
    <div className="question">
      <Select label="Add a role" value="" onChange={({ target }) => onAdd(target.value, true)}>
        <option value="">Choose a role</option>
        {roles
          .filter(({ id }) => !isSaid(id))
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {id === guildId ? '@everyone' : name}
            </option>
          ))}
      </Select>
      <PersonField key={count} label="Add a member" onPick={(id) => id && onAdd(id, false)} />
    </div>
  );
}

interface OneTargetProps {
  channelId: string;
  overwrite: Overwrite;
  /** False for an overwrite just added. */
  isSaid: boolean;
  lack: string | undefined;
  onDrop: () => void;
}

function OneTarget(props: OneTargetProps) {
  const { id, isRole } = props.overwrite;
  const { id: guildId, roles } = useServer();
  if (!isRole) return <MemberTarget {...props} />;
  const name = id === guildId ? '@everyone' : (roles.find((role) => role.id === id)?.name ?? `Deleted role (${id})`);
  return <Target {...props} name={name} />;
}

function MemberTarget(props: OneTargetProps) {
  const { id } = props.overwrite;
  const { data } = useQuery({ query: NamedUserDocument, variables: { id } });
  return <Target {...props} name={data?.user?.username ?? id} />;
}

const NAMES = Object.fromEntries(CHANNEL_PERMISSIONS.map(({ text }) => [text, text]));

/** States by permission label. */
type Said = Record<string, Say>;

/** Collapsed once stored. Unchanged bits are sent as they are. */
function Target({ channelId, overwrite, isSaid, lack, onDrop, name }: OneTargetProps & { name: string }) {
  const client = useClient();
  const { id: targetId, isRole } = overwrite;
  const draft = useDraft<Said>(
    Object.fromEntries(CHANNEL_PERMISSIONS.map(({ bit, text }) => [text, saidOf(overwrite, bit)])),
  );
  const save = (changes: Partial<Said>) => {
    const targetType = isRole ? ('ROLE' as const) : ('MEMBER' as const);
    const input = { channelId, targetId, targetType, ...withChanges(overwrite, changes) };
    return client.mutation(SetChannelOverwriteDocument, { input }).toPromise();
  };
  return (
    <details className="overwrite" open={!isSaid}>
      <summary>
        <bdi>{name}</bdi> <span className="soft small">{summaryOf(overwrite, isSaid)}</span>
      </summary>
      <DraftForm draft={draft} names={NAMES} save={save} readOnly={lack}>
        {() => (
          <ul className="grants">
            {CHANNEL_PERMISSIONS.map(({ text }) => (
              <li key={text}>
                <span>{text}</span>
                <ThreeStates
                  label={`${text}, for ${name}`}
                  said={draft.value[text] ?? null}
                  onSay={(said) => draft.set(text, said)}
                />
              </li>
            ))}
          </ul>
        )}
      </DraftForm>
      {!lack && (
        <TakeBack channelId={channelId} targetId={targetId} isSaid={isSaid} onDrop={onDrop}>
          <span>
            Remove permissions for <bdi>{name}</bdi>
          </span>
        </TakeBack>
      )}
    </details>
  );
}

function withChanges({ allow, deny }: Overwrite, changes: Partial<Said>) {
  return CHANNEL_PERMISSIONS.reduce(
    (bits, { bit, text }) => (changes[text] === undefined ? bits : withSaid(bits, bit, changes[text])),
    { allow, deny },
  );
}

function summaryOf(overwrite: Overwrite, isSaid: boolean): string {
  const count = (said: boolean) => CHANNEL_PERMISSIONS.filter(({ bit }) => saidOf(overwrite, bit) === said).length;
  return isSaid ? `${count(true)} allowed, ${count(false)} denied` : 'not saved yet';
}

interface TakeBackProps {
  channelId: string;
  targetId: string;
  isSaid: boolean;
  onDrop: () => void;
  children: ReactNode;
}

function TakeBack({ channelId, targetId, isSaid, onDrop, children }: TakeBackProps) {
  const { run, isOff } = useAction(DeleteChannelOverwriteDocument);
  const take = async () => {
    if (!isSaid || (await run({ input: { channelId, targetId } }))) onDrop();
  };
  return (
    <div className="actions">
      <button type="button" className="plain small" disabled={isOff} onClick={() => void take()}>
        {children}
      </button>
    </div>
  );
}
