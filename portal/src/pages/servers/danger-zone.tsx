import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { endHere } from '../../ended.js';
import { DeleteGuildDocument, LeaveGuildDocument } from '../../gql/servers/general.js';
import { Danger, useAction } from '../../ui/action.js';
import { useOff } from '../../ui/guarded.js';
import { say } from '../../ui/toasts.js';
import { useServer } from './server.js';

export function DangerZone() {
  const { viewerOperations } = useServer();
  const [asked, ask] = useState<'leave' | 'delete' | null>(null);
  const close = () => ask(null);
  const [mayLeave, mayDelete] = [viewerOperations.includes('LEAVE'), viewerOperations.includes('DELETE')];
  const leaving = useOff(mayLeave ? undefined : "You own this server, so you can't leave it.");
  const deleting = useOff(mayDelete ? undefined : 'Only the owner can delete this server.');
  // A server on a box is left and deleted there.
  if (!mayLeave && !mayDelete) return null;
  return (
    <section className="card">
      <h2>Danger zone</h2>
      <div className="danger-row">
        {leaving.note ?? <p>You'll need a new invite to rejoin.</p>}
        <button type="button" className="plain" onClick={() => ask('leave')} {...leaving.off}>
          Leave server
        </button>
      </div>
      <div className="danger-row">
        {deleting.note ?? <p>Permanently delete this server and everything in it.</p>}
        <button type="button" className="bad" onClick={() => ask('delete')} {...deleting.off}>
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
    <Danger title={`Leave ${name}?`} doIt="Leave server" onDo={leave} {...{ onClose, isBusy, problem }}>
      <p>You lose your roles in this server, and you need a new invite to rejoin. Your messages stay.</p>
    </Danger>
  );
}

function Delete({ onClose }: { onClose: () => void }) {
  const { id, name } = useServer();
  const navigate = useNavigate();
  const { run, isBusy, problem } = useAction(DeleteGuildDocument, { isQuiet: true });
  const remove = async () => {
    if (!(await endHere(id, () => run({ input: { guildId: id } })))) return;
    say(`${name} was deleted.`);
    void navigate({ to: '/servers', ignoreBlocker: true });
  };
  return (
    <Danger
      title={`Delete ${name}?`}
      doIt="Delete server"
      onDo={remove}
      typed={{ name, label: "Type the server's name" }}
      {...{ onClose, isBusy, problem }}
    >
      <p>This permanently deletes all channels, messages, roles and invites, and uninstalls all applications.</p>
    </Danger>
  );
}
