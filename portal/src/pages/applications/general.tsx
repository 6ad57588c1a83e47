import { Copyable } from '../../ui/copy.js';
import { useDraft } from '../../ui/draft.js';
import { TextArea, TextField } from '../../ui/field.js';
import { useTitle } from '../../ui/page.js';
import { DraftForm } from '../../ui/save.js';
import { useApplication, useUpdateApplication } from './application.js';

const NAMES = { name: 'Name', description: 'Description' };

/** What an application is called, and by which it is known. */
export function General() {
  const { id, name, description, publicKey } = useApplication();
  const update = useUpdateApplication();
  const draft = useDraft({ name, description });
  useTitle('General', name);
  return (
    <>
      <section className="card">
        <h2>General</h2>
        <DraftForm draft={draft} names={NAMES} save={update}>
          {(faults) => (
            <>
              <TextField
                label="Name"
                hint="2 to 32 characters."
                maxLength={32}
                value={draft.value.name}
                fault={faults.name}
                onChange={({ target }) => draft.set('name', target.value)}
              />
              <TextArea
                label="Description"
                hint="At most 400 characters."
                maxLength={400}
                value={draft.value.description}
                fault={faults.description}
                onChange={({ target }) => draft.set('description', target.value)}
              />
            </>
          )}
        </DraftForm>
      </section>
      <section className="card">
        <h2>Ids and keys</h2>
        <Copyable label="Application id" text={id} />
        <Copyable label="Public key" text={publicKey} />
      </section>
    </>
  );
}
