import type { TeamRole } from '../../gql/types.js';
import { Copyable } from '../../ui/copy.js';
import { type Draft, useDraft } from '../../ui/draft.js';
import { TextArea, TextField } from '../../ui/field.js';
import { ImageField } from '../../ui/image-field.js';
import { Name, useTitle } from '../../ui/page.js';
import { DraftForm } from '../../ui/save.js';
import { useApplication, useUpdateApplication } from './application.js';
import { DangerZone } from './danger-zone.js';
import { useReason } from './reasons.js';

/** What an application is called and looks like, by which it is known, and whose it is. */
export function General() {
  const { name } = useApplication();
  useTitle('General', name);
  return (
    <>
      <section className="card">
        <h2>General</h2>
        <Profile />
      </section>
      <section className="card">
        <h2>Ids and keys</h2>
        <Ids />
      </section>
      <section className="card">
        <h2>Ownership</h2>
        <Ownership />
      </section>
      <DangerZone />
    </>
  );
}

const NAMES = { icon: 'Icon', name: 'Name', description: 'Description' };

interface Fields extends Record<string, unknown> {
  icon: string | File | null;
  name: string;
  description: string;
}

function Profile() {
  const { name, description, iconUrl } = useApplication();
  const update = useUpdateApplication();
  const draft = useDraft<Fields>({ icon: iconUrl, name, description });
  const readOnly = useReason('UPDATE_SETTINGS');
  const save = ({ icon, ...texts }: Partial<Fields>) =>
    update({ ...texts, ...(icon === null || icon instanceof File ? { icon } : {}) });
  return (
    <DraftForm draft={draft} names={NAMES} save={save} readOnly={readOnly}>
      {(faults) => <ProfileFields draft={draft} faults={faults} isOff={readOnly !== undefined} />}
    </DraftForm>
  );
}

interface ProfileFieldsProps {
  draft: Draft<Fields>;
  faults: Record<string, string>;
  isOff: boolean;
}

function ProfileFields({ draft: { value, set }, faults, isOff }: ProfileFieldsProps) {
  return (
    <>
      <ImageField
        label="Icon"
        hint="PNG, JPEG, GIF or WebP, at most 10 MiB; cut to a square. The bot wears it too. You can drop a file here."
        value={value.icon}
        fault={faults.icon}
        disabled={isOff}
        onChange={(icon) => set('icon', icon)}
      />
      <TextField
        label="Name"
        hint="2 to 32 characters. The bot is called so, too."
        maxLength={32}
        value={value.name}
        fault={faults.name}
        onChange={({ target }) => set('name', target.value)}
      />
      <TextArea
        label="Description"
        hint={`Shown to who installs it. ${[...value.description].length} of at most 400 characters.`}
        maxLength={400}
        value={value.description}
        fault={faults.description}
        onChange={({ target }) => set('description', target.value)}
      />
    </>
  );
}

function Ids() {
  const { id, publicKey } = useApplication();
  return (
    <>
      <Copyable label="Application id" text={id} />
      <Copyable label="Public key" text={publicKey} />
      <p className="soft small">
        The id is also the client id and the id of the bot. With the key, an interactions endpoint checks who asks.
      </p>
    </>
  );
}

const ROLES: Record<TeamRole, string> = {
  OWNER: 'Owner',
  ADMIN: 'Admin',
  DEVELOPER: 'Developer',
  READ_ONLY: 'Read-only',
};

function Ownership() {
  const { ownerUser, ownerTeam, effectiveRole } = useApplication();
  return (
    <dl className="facts">
      <dt>{ownerTeam ? 'Team' : 'Owner'}</dt>
      <dd>
        <Name>{ownerTeam?.name ?? ownerUser?.username ?? ''}</Name>
      </dd>
      <dt>Your role</dt>
      <dd>{ROLES[effectiveRole]}</dd>
    </dl>
  );
}
