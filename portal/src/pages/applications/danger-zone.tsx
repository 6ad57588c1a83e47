import { useState } from 'react';
import { GuardedButton } from '../../ui/guarded.js';
import { useApplication } from './application.js';
import { DeleteApplication } from './delete-application.js';
import { useReason } from './reasons.js';
import { TransferApplication } from './transfer-application.js';

export function DangerZone() {
  return (
    <section className="card danger">
      <h2>Danger zone</h2>
      <Transfer />
      <Delete />
    </section>
  );
}

function Transfer() {
  const { ownerTeam } = useApplication();
  const [isOpen, setOpen] = useState(false);
  const needed = useReason('TRANSFER');
  const reason = ownerTeam ? "Team applications can't be transferred." : needed;
  return (
    <div className="row">
      <div>
        <h3>Transfer</h3>
        <p className="soft">Move this application to a team. You can't move it back.</p>
      </div>
      <GuardedButton className="plain bad" reason={reason} onClick={() => setOpen(true)}>
        Transfer to a team
      </GuardedButton>
      {isOpen && <TransferApplication onClose={() => setOpen(false)} />}
    </div>
  );
}

function Delete() {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="row">
      <div>
        <h3>Delete</h3>
        <p className="soft">The bot leaves every server, and all tokens and secrets stop working immediately.</p>
      </div>
      <GuardedButton className="plain bad" reason={useReason('DELETE')} onClick={() => setOpen(true)}>
        Delete application
      </GuardedButton>
      {isOpen && <DeleteApplication onClose={() => setOpen(false)} />}
    </div>
  );
}
