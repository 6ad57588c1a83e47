import { useClient } from 'urql';
import { UpdateTeamDocument } from '../../gql/teams/general.js';
import { Copyable } from '../../ui/copy.js';
import { useDraft } from '../../ui/draft.js';
import { TextField } from '../../ui/field.js';
import { ImageField } from '../../ui/image-field.js';
import { useTitle } from '../../ui/page.js';
import { DraftForm } from '../../ui/save.js';
import { TeamDangers } from './dangers.js';
import { whyNotTeam } from './rights.js';
import { useTeam } from './team.js';

const NAMES = { name: 'Name', icon: 'Icon' };

interface Settings extends Record<string, unknown> {
  name: string;
  /** URL of the current icon, a newly chosen file, or null for none. */
  icon: string | File | null;
}

export function TeamGeneral() {
  const { id, name } = useTeam();
  useTitle('General', name);
  return (
    <>
      <section className="card">
        <h2>General</h2>
        <TeamSettings />
      </section>
      <section className="card">
        <h2>IDs</h2>
        <Copyable label="Team ID" text={id} />
      </section>
      <TeamDangers />
    </>
  );
}

function TeamSettings() {
  const { name, iconUrl, viewerOperations } = useTeam();
  const draft = useDraft<Settings>({ name, icon: iconUrl });
  const save = useUpdateTeam();
  const readOnly = whyNotTeam(viewerOperations, 'UPDATE');
  return (
    <DraftForm draft={draft} names={NAMES} save={save} readOnly={readOnly}>
      {(faults) => (
        <>
          <ImageField
            label="Icon"
            hint="PNG, JPEG, GIF or WebP, up to 10 MiB. Choose a file or drop it here."
            value={draft.value.icon}
            fault={faults.icon}
            disabled={readOnly !== undefined}
            onChange={(icon) => draft.set('icon', icon)}
          />
          <TextField
            label="Name"
            hint="2–32 characters."
            maxLength={32}
            value={draft.value.name}
            fault={faults.name}
            onChange={({ target }) => draft.set('name', target.value)}
          />
        </>
      )}
    </DraftForm>
  );
}

function useUpdateTeam() {
  const client = useClient();
  const { id } = useTeam();
  return ({ name, icon }: Partial<Settings>) => {
    const input = {
      teamId: id,
      ...(name === undefined ? {} : { name }),
      ...(icon === null || icon instanceof File ? { icon } : {}),
    };
    return client.mutation(UpdateTeamDocument, { input }).toPromise();
  };
}
