import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { endHere } from '../../ended.js';
import { DeleteGuildDocument, LeaveGuildDocument } from '../../gql/servers/general.js';
import { Danger, useAction } from '../../ui/action.js';
import { say } from '../../ui/toasts.js';
import { useServer } from './server.js';

/** What cannot be undone: to leave the server, and to delete it. */
export function DangerZone() {
  const { viewerOperations } = useServer();
  const [asked, ask] = useState<'leave' | 'delete' | null>(null);
  const close = () => ask(null);
  const [mayLeave, mayDelete] = [viewerOperations.includes('LEAVE'), viewerOperations.includes('DELETE')];
  // On a box, neither is done from here.
  if (!mayLeave && !mayDelete) return null;
  return (
    <section className="card">
      <h2>Danger zone</h2>
      <div className="danger-row">
        <p>{mayLeave ? 'You come back only by another invite.' : 'Who owns a server cannot leave it.'}</p>
        <button type="button" className="plain" disabled={!mayLeave} onClick={() => ask('leave')}>
          Leave server
        </button>
      </div>
      <div className="danger-row">
        <p>{mayDelete ? 'With all that it contains, for good.' : 'Only its owner can delete it.'}</p>
        <button type="button" className="bad" disabled={!mayDelete} onClick={() => ask('delete')}>
          Delete server
        </button>
      </div>
      {asked === 'leave' && <Leave onClose={close} />}
      {asked === 'delete' && <Delete onClose={close} />}
    </section>
  );
}

function Leave({ onClose }: { onClose: () => void }) {
  const { id, name } = useServer();
  const navigate = useNavigate();
  const { run, isBusy, problem } = useAction(LeaveGuildDocument, { isQuiet: true });
  const leave = async () => {
    if (!(await endHere(id, () => run({ input: { guildId: id } })))) return;
    say(`You left ${name}.`);
    void navigate({ to: '/servers', ignoreBlocker: true });
  };
  return (
    <Danger title={`Leave ${name}?`} doIt="Leave" onDo={leave} {...{ onClose, isBusy, problem }}>
      <p>You lose your roles in it. What you wrote stays.</p>
    </Danger>
  );
}

function Delete({ onClose }: { onClose: () => void }) {
  const { id, name } = useServer();
  const navigate = useNavigate();
  const { run, isBusy, problem } = useAction(DeleteGuildDocument, { isQuiet: true });
  const remove = async () => {
    if (!(await endHere(id, () => run({ input: { guildId: id } })))) return;
    say(`${name} is deleted.`);
    void navigate({ to: '/servers', ignoreBlocker: true });
  };
  return (
    <Danger
      title={`Delete ${name}?`}
      doIt="Delete server"
      onDo={remove}
      typed={{ name, label: 'Type the server’s name' }}
      {...{ onClose, isBusy, problem }}
    >
      <p>Its channels, messages, roles and invites are gone for good, and applications leave it.</p>
    </Danger>
  );
}
