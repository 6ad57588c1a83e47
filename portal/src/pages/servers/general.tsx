import { Copyable } from '../../ui/copy.js';
import { useDraft } from '../../ui/draft.js';
import { TextArea, TextField } from '../../ui/field.js';
import { ImageField } from '../../ui/image-field.js';
import { useTitle } from '../../ui/page.js';
import { DraftForm } from '../../ui/save.js';
import { DangerZone } from './danger-zone.js';
import { Invites } from './invites.js';
import { useLack, useServer, useUpdateServer } from './server.js';

const NAMES = { name: 'Name', description: 'Description', icon: 'Icon' };

export function General() {
  const { id, name } = useServer();
  useTitle('General', name);
  return (
    <>
      <Settings />
      <Invites />
      <section className="card">
        <h2>ID</h2>
        <Copyable label="Server ID" text={id} />
      </section>
      <DangerZone />
    </>
  );
}

interface Live extends Record<string, unknown> {
  name: string;
  description: string;
  icon: string | File | null;
}

function Settings() {
  const { name, description, iconUrl } = useServer();
  const update = useUpdateServer();
  const draft = useDraft<Live>({ name, description: description ?? '', icon: iconUrl });
  const lack = useLack('ManageGuild');
  const save = ({ icon, ...texts }: Partial<Live>) =>
    update({ ...texts, ...(icon === null || icon instanceof Blob ? { icon } : {}) });
  return (
    <section className="card">
      <h2>General</h2>
      <DraftForm draft={draft} names={NAMES} save={save} readOnly={lack}>
        {(faults) => (
          <>
            <ImageField
              label="Icon"
              hint="PNG, JPEG, GIF or WebP, up to 10 MiB."
              value={draft.value.icon}
              fault={faults.icon}
              disabled={lack !== undefined}
              onChange={(icon) => draft.set('icon', icon)}
            />
            <TextField
              label="Name"
              hint="2–100 characters."
              maxLength={100}
              value={draft.value.name}
              fault={faults.name}
              onChange={({ target }) => draft.set('name', target.value)}
            />
            <TextArea
              label="Description"
              maxLength={300}
              value={draft.value.description}
              fault={faults.description}
              onChange={({ target }) => draft.set('description', target.value)}
            />
          </>
        )}
      </DraftForm>
    </section>
  );
}
