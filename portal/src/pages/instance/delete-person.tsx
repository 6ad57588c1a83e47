import { useState } from 'react';
import { OperatorDeletePersonDocument } from '../../gql/instance/people.js';
import type { InstancePersonPageFragment } from '../../gql/types.js';
import { Switch, TextField } from '../../ui/field.js';
import { nameOf } from '../teams/person.js';
import { ActDialog } from './act-dialog.js';
import { figure } from './words.js';

interface DeletePersonProps {
  person: InstancePersonPageFragment;
  onDeleted: () => void;
  onClose: () => void;
}

export function DeletePerson({ person: { id, user, figures }, onDeleted, onClose }: DeletePersonProps) {
  const [withMessages, setWithMessages] = useState(false);
  const [withOwned, setWithOwned] = useState(false);
  const [typed, setTyped] = useState('');
  const owns = ownedText(figures);
  return (
    <ActDialog
      title={`Delete ${nameOf(user)}?`}
      doIt="Delete"
      isBad
      document={OperatorDeletePersonDocument}
      variables={(reason) => ({ input: { personId: id, reason, withMessages, withOwned } })}
      isChanged={withMessages || withOwned || typed !== ''}
      isReady={typed === user.username && (owns === '' || withOwned)}
      onDone={() => {
        onClose();
        onDeleted();
      }}
      onClose={onClose}
    >
      {() => (
        <>
          <p>
            This ends every session at once, and removes their name, email address and avatar everywhere,{' '}
            {figure(figures.memberships, 'membership')} and {figure(figures.applications, 'application')}. It can't be
            undone.
          </p>
          <Switch
            label="Remove their messages, too"
            hint={`${figure(figures.messages, 'message')} in ${figure(figures.memberships, 'server')} and in direct channels, with files and reactions. Otherwise, they stay by “Deleted User”.`}
            checked={withMessages}
            onChange={({ target }) => setWithMessages(target.checked)}
          />
          {owns !== '' && (
            <Switch
              label="Delete what they own, too"
              hint={`Required: ${owns}, also for the other members. Hand over first what should stay.`}
              checked={withOwned}
              onChange={({ target }) => setWithOwned(target.checked)}
            />
          )}
          <TextField
            label="Username"
            hint={
              <>
                Enter <bdi>{user.username}</bdi> to confirm.
              </>
            }
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </>
      )}
    </ActDialog>
  );
}

/** For example “2 servers, 1 team”. Empty if they own nothing. */
function ownedText({ servers, teams, boxes }: InstancePersonPageFragment['figures']): string {
  const parts = [
    servers > 0 && figure(servers, 'server'),
    teams > 0 && figure(teams, 'team'),
    boxes > 0 && (boxes === 1 ? '1 box' : `${boxes} boxes`),
  ];
  return parts.filter((part) => part !== false).join(', ');
}
