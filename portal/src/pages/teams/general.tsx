import { useClient } from 'urql';
import { UpdateTeamDocument } from '../../gql/teams/general.js';
import { Copyable } from '../../ui/copy.js';
import { useDraft } from '../../ui/draft.js';
import { TextField } from '../../ui/field.js';
import { useTitle } from '../../ui/page.js';
import { DraftForm } from '../../ui/save.js';
import { TeamDangers } from './dangers.js';
import { type Icon, IconField } from './icon-field.js';
import { whyNotTeam } from './rights.js';
import { useTeam } from './team.js';

const NAMES = { name: 'Name', icon: 'Icon' };

interface Settings extends Record<string, unknown> {
  name: string;
  icon: Icon;
}

/** What a team is called, what it wears, and its end. */
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
        <h2>Ids</h2>
        <Copyable label="Team id" text={id} />
      </section>
      <TeamDangers />
    </>
  );
}

function TeamSettings() {
  const { name, iconUrl, viewerOperations } = useTeam();
  const draft = useDraft<Settings>({ name, icon: { url: iconUrl } });
  const update = useUpdateTeam();
  const save = async (changes: Partial<Settings>) => {
    const { data, error } = await update(changes);
    // A file is never the same as what became of it.
    if (data && changes.icon) draft.set('icon', { url: data.updateTeam.team.iconUrl });
    return { error };
  };
  return (
    <DraftForm draft={draft} names={NAMES} save={save} readOnly={whyNotTeam(viewerOperations, 'UPDATE')}>
      {(faults) => (
        <>
          <IconField
            icon={draft.value.icon}
            name={draft.value.name}
            fault={faults.icon}
            onChange={(icon) => draft.set('icon', icon)}
          />
          <TextField
            label="Name"
            hint="2 to 32 characters."
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

/** Saves settings of the team: only those that are given. */
function useUpdateTeam() {
  const client = useClient();
  const { id } = useTeam();
  return ({ name, icon }: Partial<Settings>) => {
    const input = {
      teamId: id,
      ...(name === undefined ? {} : { name }),
      ...(icon === undefined ? {} : { icon: icon instanceof File ? icon : null }),
    };
    return client.mutation(UpdateTeamDocument, { input }).toPromise();
  };
}
