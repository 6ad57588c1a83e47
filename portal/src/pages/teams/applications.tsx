import { useState } from 'react';
import { useOff } from '../../ui/guarded.js';
import { Listing } from '../../ui/listing.js';
import { useTitle } from '../../ui/page.js';
import { ApplicationCard } from '../applications/card.js';
import { NewApplication } from '../applications/new-application.js';
import { MoveHere } from './move-here.js';
import { whyNotTeam } from './rights.js';
import { useTeam } from './team.js';

export function TeamApplications() {
  const { id, name, applications, viewerOperations } = useTeam();
  const { off, note } = useOff(whyNotTeam(viewerOperations, 'RECEIVE_APPLICATION'));
  const [open, setOpen] = useState<'new' | 'move' | null>(null);
  useTitle('Applications', name);
  return (
    <>
      <div className="heading">
        <h2>Applications</h2>
        <div className="actions">
          <button type="button" className="plain" onClick={() => setOpen('move')} {...off}>
            Move an application here
          </button>
          <button type="button" onClick={() => setOpen('new')} {...off}>
            New application
          </button>
        </div>
      </div>
      {note}
      <Listing
        answer={{}}
        items={applications}
        empty="This team has no applications yet. Create one, or move one of yours here. Members get access according to their roles."
        render={(application) => <ApplicationCard key={application.id} application={application} />}
      />
      {open === 'new' && <NewApplication teamId={id} onClose={() => setOpen(null)} />}
      {open === 'move' && <MoveHere onClose={() => setOpen(null)} />}
    </>
  );
}
