import { Copyable } from '../../ui/copy.js';
import { type Draft, useDraft } from '../../ui/draft.js';
import { TextArea, TextField } from '../../ui/field.js';
import { ImageField } from '../../ui/image-field.js';
import { Name, useTitle } from '../../ui/page.js';
import { DraftForm } from '../../ui/save.js';
import { ROLE_WORDS } from '../teams/role-words.js';
import { useApplication, useUpdateApplication } from './application.js';
import { DangerZone } from './danger-zone.js';
import { useReason } from './reasons.js';

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
        <h2>IDs and keys</h2>
        <Ids />
      </section>
      <section className="card">
        <h2>Ownership and installs</h2>
        <Ownership />
      </section>
      <DangerZone />
    </>
  );
}

const NAMES = { icon: 'Icon', cover: 'Cover', name: 'Name', description: 'Description' };

/** URL of the current image, a newly chosen file, or null for none. */
type Image = string | File | null;

interface Fields extends Record<string, unknown> {
  icon: Image;
  cover: Image;
  name: string;
  description: string;
}

function Profile() {
  const { name, description, iconUrl, coverUrl } = useApplication();
  const update = useUpdateApplication();
  const draft = useDraft<Fields>({ icon: iconUrl, cover: coverUrl, name, description });
  const readOnly = useReason('UPDATE_SETTINGS');
  const save = ({ icon, cover, ...texts }: Partial<Fields>) =>
    update({ ...texts, ...chosen('icon', icon), ...chosen('cover', cover) });
  return (
    <DraftForm draft={draft} names={NAMES} save={save} readOnly={readOnly}>
      {(faults) => <ProfileFields draft={draft} faults={faults} isOff={readOnly !== undefined} />}
    </DraftForm>
  );
}

/** Returns an empty object if the image is unchanged. */
function chosen(field: 'icon' | 'cover', image: Image | undefined): Partial<Record<typeof field, File | null>> {
  return image === null || image instanceof File ? { [field]: image } : {};
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
        hint="PNG, JPEG, GIF or WebP, up to 10 MiB. Cropped to a square. Also your bot's avatar. You can drop a file here."
        value={value.icon}
        fault={faults.icon}
        disabled={isOff}
        onChange={(icon) => set('icon', icon)}
      />
      <ImageField
        label="Cover"
        hint="Wide image, not cropped. PNG, JPEG, GIF or WebP, up to 10 MiB."
        isWide
        value={value.cover}
        fault={faults.cover}
        disabled={isOff}
        onChange={(cover) => set('cover', cover)}
      />
      <TextField
        label="Name"
        hint="2–32 characters. Also your bot's name."
        maxLength={32}
        value={value.name}
        fault={faults.name}
        onChange={({ target }) => set('name', target.value)}
      />
      <TextArea
        label="Description"
        hint="Shown when someone installs your application."
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
      <Copyable label="Application ID" text={id} />
      <Copyable label="Public key" text={publicKey} />
      <p className="soft small">
        The application ID is also your OAuth2 client ID and bot user ID. Use the public key to verify request
        signatures.
      </p>
    </>
  );
}

function Ownership() {
  const { ownerUser, ownerTeam, effectiveRole, serverCount, userCount } = useApplication();
  return (
    <dl className="facts">
      <dt>{ownerTeam ? 'Team' : 'Owner'}</dt>
      <dd>
        <Name>{ownerTeam?.name ?? ownerUser?.username ?? ''}</Name>
      </dd>
      <dt>Your role</dt>
      <dd>{ROLE_WORDS[effectiveRole]}</dd>
      <dt>Installs</dt>
      <dd>
        {counted(serverCount, 'server', 'servers')} · {counted(userCount, 'user', 'users')}
      </dd>
    </dl>
  );
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
