import { useState } from 'react';
import { InstanceOperatorsDocument, OperatorSetRoleDocument } from '../../gql/instance/operators.js';
import type { InstancePersonRowFragment, OperatorRole } from '../../gql/types.js';
import { useMe } from '../../me.js';
import { useQuery } from '../../query.js';
import { NotFound } from '../../ui/endings.js';
import { Select } from '../../ui/field.js';
import { useOff } from '../../ui/guarded.js';
import { Awaited } from '../../ui/listing.js';
import { Heading, useTitle } from '../../ui/page.js';
import { Picture } from '../../ui/picture.js';
import { useRowDialog } from '../../ui/row-dialog.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { say } from '../../ui/toasts.js';
import { nameOf } from '../teams/person.js';
import { ActDialog } from './act-dialog.js';
import { PersonBadges } from './people.js';
import { PersonLink } from './person-link.js';
import { PersonSearch } from './person-search.js';
import { OPERATOR_WORDS } from './words.js';

export function Operators() {
  return useMe()?.operatorRole === 'OPERATOR' ? <Listed /> : <NotFound />;
}

function Listed() {
  useTitle('Operators', 'Instance');
  const answer = useQuery({ query: InstanceOperatorsDocument });
  // A row leaves with its role, and not when the list has been renewed.
  const operators = answer.data?.instance.operators.filter(({ operatorRole }) => operatorRole !== null);
  const [isAdding, setAdding] = useState(false);
  const { dialog, open, close } = useRowDialog<'change' | 'remove', InstancePersonRowFragment>(operators ?? []);
  return (
    <>
      <div className="heading">
        <Heading>Operators</Heading>
        <button type="button" onClick={() => setAdding(true)}>
          Add
        </button>
      </div>
      <section className="card" aria-label="Operators">
        <p className="soft">
          Moderators can act on people, applications and servers. Operators can also choose operators and moderators.
        </p>
        {!operators && <Awaited answer={answer} />}
        <ul className="list" ref={useRowFocus()}>
          {operators?.map((person) => (
            <OperatorItem key={person.id} person={person} onAsk={(what) => open(what, person)} />
          ))}
        </ul>
      </section>
      {isAdding && <Add onClose={() => setAdding(false)} />}
      {dialog?.what === 'change' && <Change person={dialog.row} onClose={close} />}
      {dialog?.what === 'remove' && !dialog.isGone && <Remove person={dialog.row} onClose={close} />}
    </>
  );
}

interface OperatorItemProps {
  person: InstancePersonRowFragment;
  onAsk: (what: 'change' | 'remove') => void;
}

function OperatorItem({ person, onAsk }: OperatorItemProps) {
  const { id, user, email } = person;
  const isOwn = useMe()?.id === id;
  const { off, note } = useOff(
    isOwn ? 'Another operator must change your role, so that there is always one.' : undefined,
  );
  const name = nameOf(user);
  return (
    <li>
      <div className="pictured">
        <Picture url={user.avatarUrl} name={name} isRound />
        <div>
          <PersonLink user={user} />
          <PersonBadges person={person} />
          <p className="soft small">{email}</p>
          {note}
        </div>
      </div>
      <div className="buttons">
        <button
          type="button"
          className="plain small"
          aria-label={`Change role of ${name}`}
          onClick={() => onAsk('change')}
          {...off}
        >
          Change role
        </button>
        <button
          type="button"
          className="plain small"
          aria-label={`Remove role of ${name}`}
          onClick={() => onAsk('remove')}
          {...off}
        >
          Remove role
        </button>
      </div>
    </li>
  );
}

interface RoleFieldProps {
  role: OperatorRole;
  fault: string | undefined;
  onRole: (role: OperatorRole) => void;
}

function RoleField({ role, fault, onRole }: RoleFieldProps) {
  return (
    <Select
      label="Role"
      value={role}
      fault={fault}
      onChange={({ target }) => onRole(target.value === 'OPERATOR' ? 'OPERATOR' : 'MODERATOR')}
    >
      <option value="MODERATOR">Moderator: acts on people, applications and servers</option>
      <option value="OPERATOR">Operator: does everything, and chooses operators</option>
    </Select>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const [personId, setPersonId] = useState<string>();
  const [role, setRole] = useState<OperatorRole>('MODERATOR');
  return (
    <ActDialog
      title="Add an operator or moderator"
      doIt="Add"
      document={OperatorSetRoleDocument}
      variables={(reason) => ({ input: { personId: personId ?? '', role, reason } })}
      isChanged={personId !== undefined}
      isReady={personId !== undefined}
      onDone={({ operatorSetRole: { person } }) => {
        onClose();
        sayRole(person);
      }}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <PersonSearch label="Person" fault={faults.personId} onPick={setPersonId} />
          <RoleField role={role} fault={faults.role} onRole={setRole} />
        </>
      )}
    </ActDialog>
  );
}

interface RowDialogProps {
  person: InstancePersonRowFragment;
  onClose: () => void;
}

function Change({ person: { id, user, operatorRole }, onClose }: RowDialogProps) {
  const [role, setRole] = useState<OperatorRole>(operatorRole ?? 'MODERATOR');
  return (
    <ActDialog
      title={`Change the role of ${nameOf(user)}`}
      doIt="Change role"
      document={OperatorSetRoleDocument}
      variables={(reason) => ({ input: { personId: id, role, reason } })}
      isChanged={role !== operatorRole}
      onDone={({ operatorSetRole: { person } }) => {
        onClose();
        sayRole(person);
      }}
      onClose={onClose}
    >
      {(faults) => <RoleField role={role} fault={faults.role} onRole={setRole} />}
    </ActDialog>
  );
}

function Remove({ person: { id, user }, onClose }: RowDialogProps) {
  const name = nameOf(user);
  return (
    <ActDialog
      title={`Remove the role of ${name}?`}
      doIt="Remove role"
      isBad
      document={OperatorSetRoleDocument}
      variables={(reason) => ({ input: { personId: id, role: null, reason } })}
      onDone={() => {
        onClose();
        say(`${name} has no role any more.`);
      }}
      onClose={onClose}
    >
      {() => <p>They can no longer open these pages. Their account, applications and servers stay as they are.</p>}
    </ActDialog>
  );
}

function sayRole({ user, operatorRole }: Pick<InstancePersonRowFragment, 'user' | 'operatorRole'>): void {
  if (operatorRole !== null)
    say(`${nameOf(user)} is ${operatorRole === 'OPERATOR' ? 'an' : 'a'} ${OPERATOR_WORDS[operatorRole]} now.`);
}
