import { useOff } from '../../ui/guarded.js';
import { useTitle } from '../../ui/page.js';
import { useRowFocus } from '../../ui/row-focus.js';
import { Invitations } from './invitations.js';
import { InviteMember } from './invite-member.js';
import { MemberRow } from './member-row.js';
import { whyNotTeam } from './rights.js';
import { RoleTables } from './role-table.js';
import { useTeam } from './team.js';

export function TeamMembers() {
  const { name, members, viewerOperations } = useTeam();
  const { off, note } = useOff(whyNotTeam(viewerOperations, 'CHANGE_ROLE'));
  const rows = useRowFocus();
  useTitle('Members', name);
  return (
    <>
      <section className="card">
        <h2>Members</h2>
        {note}
        <ul className="people" aria-label="Members" ref={rows}>
          {members.map((member) => (
            <MemberRow key={member.user.id} member={member} off={off} />
          ))}
        </ul>
      </section>
      <InviteMember />
      <Invitations />
      <RoleTables />
    </>
  );
}
